"""Decide whether the operands of one SELECT are of the same slice, and which columns identify it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from lamina.compiler.rules import reach_outside_range, unaligned_slices
from lamina.compiler.slices.cuts import (
    Anchor,
    Bounds,
    Carrier,
    Cut,
    Difference,
    Key,
    Operand,
    Reach,
    Read,
    merge_anchors,
    rounded_down,
    rounded_up,
)
from lamina.compiler.slices.units import DAY, UNBOUNDED, in_words
from lamina.values.diagnostic import Diagnostic

IsDate = Callable[[Key], bool]


class Facts(NamedTuple):
    """What the conditions of one SELECT say: on every row, and on each operand that may be absent from a row."""

    rows: dict[Key, Bounds]
    row_differences: tuple[Difference, ...]
    own: dict[str, dict[Key, Bounds]]  # by alias: bounds in the ON of an outer, semi or anti join
    own_differences: dict[str, tuple[Difference, ...]]
    is_date: IsDate
    same_slices: tuple[Difference, ...] = ()  # an instant lies in the slice of its local day; no more is equal of them


class Aligned(NamedTuple):
    """The time of a SELECT's rows; `main` is None when the rows do not depend on the range."""

    main: Anchor | None
    others: tuple[Anchor, ...]  # further times, each refused or reached from the main one
    halves: frozenset[Key]  # of a full join: one of them identifies the slice, the other may be null
    sides: dict[str, Anchor]
    refusals: tuple[Diagnostic, ...]


def align(operands: tuple[Operand, ...], facts: Facts) -> Aligned:
    """Find the one time that all operands share, or say which do not share it."""
    sides = {item.alias: anchor for item in operands if (anchor := _side(item, facts)) is not None}
    mains = _connected([*_mains(operands), *_row_anchors(facts)], facts)
    if not mains:
        return _without_main(operands, sides, facts)
    main = min(mains, key=lambda anchor: (anchor.before, sorted(anchor.keys)))
    others = [("", anchor) for anchor in mains if anchor is not main]
    refusals: list[Diagnostic] = []
    for alias, anchor in (*others, *sides.items()):
        differences = (*facts.row_differences, *facts.own_differences.get(alias, ()))
        valid = valid_beside(main, anchor, differences, what=f"the join reads `{_name(anchor)}`")
        if isinstance(valid, int):
            main = main._replace(valid=min(main.valid, valid))
        else:
            refusals.append(valid or _unaligned(main, anchor))
    return Aligned(main, tuple(anchor for _, anchor in others), frozenset(), sides, tuple(refusals))


def _mains(operands: Iterable[Operand]) -> Iterator[Anchor]:
    for item in operands:
        if item.cut.columns is not None and not item.is_nullable and not item.is_hidden:
            yield _anchor_of(item)


def _anchor_of(item: Operand) -> Anchor:
    keys = frozenset((item.alias, name) for name in item.cut.columns or ())
    return Anchor(keys, item.cut.before, item.cut.valid, item.at)


def _row_anchors(facts: Facts) -> Iterator[Anchor]:
    for key, bounds in facts.rows.items():
        yield _bounded(key, bounds)


def _bounded(key: Key, bounds: Bounds) -> Anchor:
    before = UNBOUNDED if bounds.before is None else bounds.before
    return Anchor(frozenset({key}), before, bounds.valid, bounds.at)


def _side(item: Operand, facts: Facts) -> Anchor | None:
    if not item.is_nullable and not item.is_hidden:
        return None
    anchor = _anchor_of(item) if item.cut.columns is not None else None
    for key, bounds in facts.own.get(item.alias, {}).items():
        own = _bounded(key, bounds)
        anchor = own if anchor is None else merge_anchors(anchor, own)
    return anchor


def _connected(anchors: list[Anchor], facts: Facts) -> list[Anchor]:
    """Spread each anchor over equal columns and merge those that meet.

    Of values cut to a unit only the slice is equal: they say nothing about rows in the middle of a unit.
    """
    equalities = [item for item in facts.row_differences if item.is_equality]
    exact = [item for item in equalities if item.unit == "instant"]
    loose = [*equalities, *facts.same_slices]
    spread = [anchor._replace(keys=spread_keys(anchor.keys, exact if anchor.before else loose)) for anchor in anchors]
    merged: list[Anchor] = []
    for anchor in spread:
        meeting = [item for item in merged if item.keys & anchor.keys]
        for item in meeting:
            merged.remove(item)
            anchor = merge_anchors(item, anchor)  # noqa: PLW2901 - folding is clearest in place
        merged.append(anchor)
    return merged


def spread_keys(keys: frozenset[Key], equalities: list[Difference]) -> frozenset[Key]:
    """Return some columns and all that are equal to them."""
    found = set(keys)
    while True:
        more = {
            end
            for item in equalities
            for end in (item.left, item.right)
            if (item.left in found or item.right in found) and end not in found
        }
        if not more:
            return frozenset(found)
        found |= more


def valid_beside(
    main: Anchor, other: Anchor, differences: Iterable[Difference], *, what: str
) -> int | Diagnostic | None:
    """Return from how far before the start the main rows find everything they need of another operand or subquery.

    None: their times are not known to be tied.
    """
    if main.keys & other.keys:
        return other.valid
    facts = [item for item in distances(main.keys, other.keys, differences) if item.is_past]
    if not facts:
        return None
    if other.valid >= UNBOUNDED:
        return UNBOUNDED
    low = max(item.low or 0 for item in facts)
    if other.valid + low >= 0:
        return min(rounded_down(other.valid + low, item.unit) for item in facts)
    present = in_words(other.valid) if other.valid else "nothing"
    text = f"{what} {in_words(-low)} before the slice, but {present} of that is read"
    hint = f"read it from `@start_date - INTERVAL {in_words(-low)}` and declare the `window`"
    return reach_outside_range.finding(text, hint=hint, at=other.at)


def _name(anchor: Anchor) -> str:
    return ".".join(part for part in min(anchor.keys, default=("", "the time column")) if part)


def distances(mains: frozenset[Key], others: Iterable[Key], differences: Iterable[Difference]) -> Iterator[Difference]:
    """Yield the facts about how far other columns lie from the main ones."""
    wanted = set(others)
    for item in differences:
        for fact in (item, item.turned()):
            if fact.left in mains and fact.right in wanted:
                yield fact


def _without_main(operands: tuple[Operand, ...], sides: dict[str, Anchor], facts: Facts) -> Aligned:
    anchors = list(sides.values())
    if not anchors:
        return Aligned(None, (), frozenset(), {}, ())
    joins = {item.join for item in operands}
    if len(operands) == len(anchors) == 2 and "full" in joins:
        differences = [item for found in facts.own_differences.values() for item in found if item.is_equality]
        ties = list(distances(anchors[0].keys, anchors[1].keys, differences))
        if ties:
            both = merge_anchors(anchors[0], anchors[1])
            before = max(anchors[0].before, anchors[1].before)
            valid = min(rounded_down(both.valid, item.unit) for item in ties)
            return Aligned(both._replace(before=before, valid=valid, keys=frozenset()), (), both.keys, sides, ())
        return Aligned(None, (), frozenset(), sides, (_unaligned(anchors[0], anchors[1]),))
    preserved = next((item for item in operands if not item.is_nullable and not item.is_hidden), operands[0])
    refusal = unaligned_slices.finding_of_preserved(preserved.alias, _name(anchors[0]), at=preserved.at)
    return Aligned(None, (), frozenset(), sides, (refusal,))


def _unaligned(first: Anchor, second: Anchor) -> Diagnostic:
    return unaligned_slices.finding(_name(first), _name(second), at=second.at)


def bound_reads(
    operands: tuple[Operand, ...], aligned: Aligned, facts: Facts
) -> tuple[list[tuple[Read, Reach]], list[tuple[str, Read]]]:
    """Split the reads of the operands into those with a reach and those still open, with their alias."""
    settled: list[tuple[Read, Reach]] = []
    pending: list[tuple[str, Read]] = []
    for item in operands:
        differences = (*facts.row_differences, *facts.own_differences.get(item.alias, ()))
        for read in item.cut.reads:
            carriers = {(item.alias, name): carrier for name, carrier in read.carriers.items()}
            reach = _reach(carriers, aligned, aligned.sides.get(item.alias), differences)
            if reach is not None:
                settled.append((read, reach))
            elif aligned.main is not None and reads_ahead(aligned.main, carriers, differences, is_date=facts.is_date):
                pending.append((item.alias, read._replace(why=read.why or "the join with later rows")))
            else:
                pending.append((item.alias, read))
    return settled, pending


def _reach(
    carriers: Mapping[Key, Carrier], aligned: Aligned, side: Anchor | None, differences: Iterable[Difference]
) -> Reach | None:
    if aligned.main is None:
        anchors = [side] if side is not None else []
    else:
        anchors = [anchor for anchor in (side, aligned.main, *aligned.others) if anchor is not None]
    for anchor in anchors:
        reaches = [carriers[key].reach(anchor.before) for key in carriers.keys() & anchor.keys]
        if reaches:
            return min(reaches, key=lambda reach: reach.order)
    return reach_from(aligned.main, carriers, differences) if aligned.main is not None else None


def reach_from(main: Anchor, carriers: Mapping[Key, Carrier], differences: Iterable[Difference]) -> Reach | None:
    """Return how far before the start rows are read that lie in a known time before the main ones."""
    reaches = [
        carriers[item.right].reach(rounded_up(main.before, item.unit) - (item.low or 0))
        for item in distances(main.keys, carriers, differences)
        if item.is_past
    ]
    return min(reaches, key=lambda reach: reach.order, default=None)


def reads_ahead(
    main: Anchor, carriers: Mapping[Key, Carrier], differences: Iterable[Difference], *, is_date: IsDate
) -> bool:
    """Return whether the query itself asks for rows whose time is after the main ones; a date lasts until its end."""
    times = [key for key, carrier in carriers.items() if carrier.is_time]
    facts = distances(main.keys, times, differences)
    return any(item.is_ahead(DAY if is_date(item.left) else 0) for item in facts)


def whole(names: tuple[str, ...] | None, reads: tuple[Read, ...] = ()) -> Cut:
    """Return a block that does not depend on the range."""
    return Cut(names=names, columns=None, reads=reads, is_alone=True)
