"""Decide which rows of a subquery the rows of the query around it depend on, by the times that tie the two."""

from collections.abc import Mapping
from typing import NamedTuple

from lamina.compiler.query.operators import Comparator, Subquery, Term
from lamina.compiler.rules import unaligned_slices
from lamina.compiler.slices.alignment import IsDate, reach_from, reads_ahead, valid_beside
from lamina.compiler.slices.conditions import Differences, Resolve, Side, add_difference
from lamina.compiler.slices.cuts import Anchor, Carrier, Cut, Difference, Grid, Key, Margin, Reach, Read, unbounded
from lamina.values.diagnostic import Diagnostic


class Around(NamedTuple):
    """The SELECT a subquery is in; `main` is the time of its rows, None if they do not depend on the range."""

    main: Anchor | None
    grid: Grid
    resolve: Resolve
    is_date: IsDate


class Correlation(NamedTuple):
    """What a subquery adds to the SELECT it is in."""

    main: Anchor | None
    settled: list[tuple[Read, Reach]]
    pending: list[Read]
    refusals: list[Diagnostic]


def correlate(item: Subquery, cut: Cut, around: Around) -> Correlation:
    """Judge one subquery beside the rows of its SELECT."""
    main = around.main
    found = Correlation(main, [], [], [])
    differences = _differences(item, cut, around)
    if cut.columns is not None:
        valid = _valid(item, cut, around, differences)
        if isinstance(valid, Diagnostic):
            found.refusals.append(valid)
        elif main is not None:
            found = found._replace(main=main._replace(valid=main.valid.within(valid)))
    for read in cut.reads:
        carriers = _carriers(item, cut, read, around)
        reach = reach_from(main, carriers, differences, is_date=around.is_date) if main is not None else None
        if reach is not None:
            found.settled.append((read, reach))
            continue
        is_ahead = main is not None and reads_ahead(main, carriers, differences, is_date=around.is_date)
        found.pending.append(_open(item, cut, read, why="the subquery over later rows" if is_ahead else ""))
    return found


def _differences(item: Subquery, cut: Cut, around: Around) -> tuple[Difference, ...]:
    """Return how far columns of the subquery lie from the main ones."""
    found: Differences = {}
    for link in cut.links:
        _add(
            found, Side(_inside(link.inner), link.term, link.is_date), link.comparator, outer=link.outer, around=around
        )
    first = _first(item, cut, around)
    if first is not None and item.term is not None:
        inner = Side(first, Term(column=first[1]), (cut.columns or {}).get(first[1], False))
        _add(found, inner, "=", outer=item.term, around=around)
    return tuple(found.values())


def _add(found: Differences, inner: Side, comparator: Comparator, *, outer: Term, around: Around) -> None:
    key = around.resolve(outer)
    if key is not None and around.main is not None and key in around.main.keys:
        side = Side(key, outer, around.is_date(key))
        add_difference(found, inner, side, comparator=comparator, grid=around.grid)


def _first(item: Subquery, cut: Cut, around: Around) -> Key | None:
    """Return the column that IN compares; where no filter says whether it is a date, it may be of another zone."""
    name = cut.names[0] if item.term is not None and cut.names else None
    if name is None or (name not in (cut.columns or {}) and around.grid.zone != "UTC"):
        return None
    return _inside(("", name))


def _inside(key: Key) -> Key:
    """Return a column of the subquery under a name that no column around it has."""
    return f"({key[0]})", key[1]


def _valid(item: Subquery, cut: Cut, around: Around, differences: tuple[Difference, ...]) -> Margin | Diagnostic:
    """Return up to how far outside the range the main rows find all they need in a subquery that is cut itself."""
    keys = {_inside(link.inner) for link in cut.links if link.decides}
    first = _first(item, cut, around)
    if first is not None and first[1] in (cut.columns or {}):
        keys.add(first)
    other = Anchor(frozenset(keys), cut.margin, cut.valid, item.at)
    what = f"the subquery reads `{min(keys)[1]}`" if keys else ""
    valid = None
    if around.main is not None:
        valid = valid_beside(around.main, other, differences, what=what, is_date=around.is_date)
    return unaligned_slices.finding_of_subquery(at=item.at) if valid is None else valid


def _carriers(item: Subquery, cut: Cut, read: Read, around: Around) -> Mapping[Key, Carrier]:
    """Return the columns compared with the query around that have the time of the rows one occurrence reads."""
    carriers = {_inside(key): carrier for key, carrier in read.ties.items()}
    first = _first(item, cut, around)
    if first is None or first[1] not in read.carriers:
        return carriers
    carrier = read.carriers[first[1]]
    # One null makes IN unknown for every value that is not found, which matters unless it filters rows.
    if item.is_filter or carrier.is_present or first[1] in (cut.columns or {}):
        carriers[first] = carrier
    return carriers


def _open(item: Subquery, cut: Cut, read: Read, *, why: str) -> Read:
    """Return a read that stays without bound; the columns of a subquery cannot be filtered around it."""
    if cut.is_alone and item.kind != "in":
        return unbounded(read, "the subquery")
    return read._replace(carriers={}, ties={}, why=read.why or why)
