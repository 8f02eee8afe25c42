"""Judge set operations slice by slice, and carry what is known of columns through new names and positions."""

from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from typing import TypeVar

from lamina.compiler.query.operators import Limit, SetBlock, Term
from lamina.compiler.rules import distinct_without_time, interval_limit, unsliced_branch
from lamina.compiler.slices.alignment import whole
from lamina.compiler.slices.cuts import Cut, Grid, Margin, Read, unbounded
from lamina.values.diagnostic import Diagnostic

T = TypeVar("T")


def cut_of_set(block: SetBlock, cuts: list[Cut], *, grid: Grid, refusals: list[Diagnostic]) -> Cut:
    """Judge a set operation by its branches."""
    branches = [cuts[number] for number in block.branches]
    reads = tuple(read for cut in branches for read in _by_position(cut, branches[0], block))
    names, dates = branches[0].names, _common_dates(branches, block)
    mixed = _mixed(branches, block) if grid.zone != "UTC" else frozenset()
    reads = tuple(read._replace(carriers=_without(read.carriers, mixed)) for read in reads)
    if all(cut.columns is None for cut in branches):
        is_alone = all(cut.is_alone for cut in branches)
        return whole(names, _limited(reads, block.limit))._replace(is_alone=is_alone, dates=dates)
    if block.limit:
        refusals.append(interval_limit.finding(at=block.limit.at))
    name = block.operator.upper()
    needed = branches if block.operator == "union" else branches[:1]
    if any(cut.columns is None for cut in needed):
        refusals.append(unsliced_branch.finding(name, at=block.at))
    columns = _without(_common_columns([cut for cut in branches if cut.columns is not None], block), mixed)
    if not columns and (block.operator != "union" or block.is_distinct):
        refusals.append(distinct_without_time.finding(clause=name, at=block.at))
    sliced = [cut for cut in branches if cut.columns is not None]
    margin = reduce(Margin.beyond, (cut.margin for cut in sliced))
    valid = reduce(Margin.within, (cut.valid for cut in sliced))
    return Cut(names=names, columns=columns, margin=margin, valid=valid, reads=reads, dates=dates)


def whole_units(valid: Margin, terms: Iterable[Term | None]) -> Margin:
    """Shorten a valid time to whole units where rows were put together by values cut to one."""
    return reduce(Margin.within, (valid.cut_to(term.unit) for term in terms if term), valid)


def renamed(cut: Cut, names: tuple[str, ...]) -> Cut:
    """Give a block the column names of its alias."""
    if not names:
        return cut
    is_known = cut.names is not None and len(names) == len(cut.names)
    given = dict(zip(cut.names or (), names, strict=True)) if is_known else {}
    columns = (
        None if cut.columns is None else {given[name]: value for name, value in cut.columns.items() if name in given}
    )
    reads = tuple(_given(read, given) for read in cut.reads)
    dates = frozenset(given[name] for name in cut.dates if name in given)
    return cut._replace(names=names, columns=columns, reads=reads, dates=dates)


def _by_position(cut: Cut, first: Cut, block: SetBlock) -> Iterator[Read]:
    """Yield the reads of a branch with their carriers named as the first branch names them."""
    if cut is first or block.is_by_name:
        yield from cut.reads
        return
    names = first.names or ()
    given = dict(zip(cut.names, names, strict=True)) if cut.names and len(cut.names) == len(names) else {}
    for read in cut.reads:
        yield _given(read, given)


def _given(read: Read, given: Mapping[str, str]) -> Read:
    """Give the carriers of a read other names."""
    return read._replace(carriers={given[name]: value for name, value in read.carriers.items() if name in given})


def _common_dates(branches: list[Cut], block: SetBlock) -> frozenset[str]:
    """Return the columns that are dates in every branch, named as in the first."""
    columns = [cut._replace(columns=dict.fromkeys(cut.dates, True)) for cut in branches]
    return frozenset(_common_columns(columns, block))


def _mixed(branches: list[Cut], block: SetBlock) -> frozenset[str]:
    """Return the columns, named as in the first branch, that are dates in one and instants in another."""
    first, found = branches[0], set[str]()
    for cut in branches:
        names = {*cut.dates, *(name for name, is_date in (cut.columns or {}).items() if is_date)}
        is_named = not block.is_by_name and cut.names and first.names and len(cut.names) == len(first.names)
        given = dict(zip(cut.names or (), first.names or (), strict=True)) if is_named else {}
        found |= {given.get(name, name) for name in names}
    return frozenset(found) - _common_dates(branches, block)


def _without(values: Mapping[str, T], names: frozenset[str]) -> dict[str, T]:
    return {name: value for name, value in values.items() if name not in names}


def _common_columns(branches: list[Cut], block: SetBlock) -> dict[str, bool]:
    """Return the columns that identify the slice in every branch, named as in the first."""
    first = branches[0]
    if block.is_by_name:
        shared = set.intersection(*(set(cut.columns or {}) for cut in branches))
        return {name: value for name, value in (first.columns or {}).items() if name in shared}
    if any(cut.names is None or len(cut.names) != len(first.names or ()) for cut in branches):
        return {}
    positions = [
        {number for number, name in enumerate(cut.names or ()) if name in (cut.columns or {})} for cut in branches
    ]
    shared_positions = set.intersection(*positions)
    names = first.names or ()
    return {names[number]: (first.columns or {})[names[number]] for number in sorted(shared_positions)}


def _limited(reads: tuple[Read, ...], limit: Limit | None) -> tuple[Read, ...]:
    return tuple(unbounded(read, "LIMIT") for read in reads) if limit else reads
