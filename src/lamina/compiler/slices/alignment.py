"""Decide whether the operands of one SELECT are of the same slice, and which columns identify it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce
from typing import NamedTuple

from lamina.compiler.rules import reach_outside_range, unaligned_slices
from lamina.compiler.slices.cuts import (
    Anchor,
    Bounds,
    Carrier,
    Cut,
    Difference,
    Key,
    Margin,
    Operand,
    Reach,
    Read,
    merge_anchors,
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
    main = min(mains, key=lambda anchor: (sum(anchor.margin), sorted(anchor.keys)))
    others = [("", anchor) for anchor in mains if anchor is not main]
    refusals: list[Diagnostic] = []
    for alias, anchor in (*others, *sides.items()):
        differences = (*facts.row_differences, *facts.own_differences.get(alias, ()))
        what = f"the join reads `{_name(anchor)}`"
        valid = valid_beside(main, anchor, differences, what=what, is_date=facts.is_date)
        if isinstance(valid, Margin):
            main = main._replace(valid=main.valid.within(valid))
        else:
            refusals.append(valid or _unaligned(main, anchor))
    return Aligned(main, tuple(anchor for _, anchor in others), frozenset(), sides, tuple(refusals))


def _mains(operands: Iterable[Operand]) -> Iterator[Anchor]:
    for item in operands:
        if item.cut.columns is not None and not item.is_nullable and not item.is_hidden:
            yield _anchor_of(item)


def _anchor_of(item: Operand) -> Anchor:
    keys = frozenset((item.alias, name) for name in item.cut.columns or ())
    return Anchor(keys, item.cut.margin, item.cut.valid, item.at)


def _row_anchors(facts: Facts) -> Iterator[Anchor]:
    for key, bounds in facts.rows.items():
        yield _bounded(key, bounds)


def _bounded(key: Key, bounds: Bounds) -> Anchor:
    margin = Margin(UNBOUNDED if bounds.before is None else bounds.before, bounds.after or 0)
    return Anchor(frozenset({key}), margin, bounds.valid, bounds.at)


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
    spread = [
        anchor._replace(keys=spread_keys(anchor.keys, exact if any(anchor.margin) else loose)) for anchor in anchors
    ]
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
    main: Anchor, other: Anchor, differences: Iterable[Difference], *, what: str, is_date: IsDate
) -> Margin | Diagnostic | None:
    """Return up to how far outside the range the main rows find all they need of another operand or subquery.

    None: their times are not known to be tied.
    """
    if main.keys & other.keys:
        return other.valid
    facts = [item for item in distances(main.keys, other.keys, differences) if item.around is not None]
    if not facts:
        return None
    around = reduce(Margin.within, (item.around for item in facts if item.around is not None))
    room = Margin(_room(other.valid.before, around.before), _room(other.valid.after, around.after))
    if min(room) >= 0:
        return reduce(Margin.within, (room.cut_to(item.unit) for item in facts))
    if room.after < 0 and not any(is_tied_ahead(item, is_date) for item in facts):
        return None  # a day and its hours: which of them are of the slice is not looked into
    return _beside(what, around, other, is_ahead=room.after < 0)


def _beside(what: str, around: Margin, other: Anchor, *, is_ahead: bool) -> Diagnostic:
    """Return the refusal of rows that are needed outside the range, and not read there."""
    side = "after" if is_ahead else "before"
    span, valid = (around.after, other.valid.after) if is_ahead else (around.before, other.valid.before)
    present = in_words(valid) if valid else "nothing"
    text = f"{what} {in_words(span)} {side} the slice, but {present} of that is read"
    bound = "up to `@end_date +" if is_ahead else "from `@start_date -"
    hint = f"read it {bound} INTERVAL {in_words(span)}` and declare the `window`"
    return reach_outside_range.finding(text, hint=hint, at=other.at)


def _room(valid: int, needed: int) -> int:
    """Return what is left of a valid time when rows around it are needed too."""
    return valid if valid >= UNBOUNDED else valid - needed


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
            margin = anchors[0].margin.beyond(anchors[1].margin)
            valid = reduce(Margin.within, (both.valid.cut_to(item.unit) for item in ties))
            return Aligned(both._replace(margin=margin, valid=valid, keys=frozenset()), (), both.keys, sides, ())
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
            reach = _reach(carriers, aligned, aligned.sides.get(item.alias), differences, is_date=facts.is_date)
            if reach is not None:
                settled.append((read, reach))
            elif aligned.main is not None and reads_ahead(aligned.main, carriers, differences, is_date=facts.is_date):
                pending.append((item.alias, read._replace(why=read.why or "the join with later rows")))
            else:
                pending.append((item.alias, read))
    return settled, pending


def _reach(
    carriers: Mapping[Key, Carrier],
    aligned: Aligned,
    side: Anchor | None,
    differences: Iterable[Difference],
    *,
    is_date: IsDate,
) -> Reach | None:
    if aligned.main is None:
        anchors = [side] if side is not None else []
    else:
        anchors = [anchor for anchor in (side, aligned.main, *aligned.others) if anchor is not None]
    for anchor in anchors:
        reaches = [carriers[key].reach(anchor.margin) for key in carriers.keys() & anchor.keys]
        if reaches:
            return min(reaches, key=lambda reach: reach.order)
    return reach_from(aligned.main, carriers, differences, is_date=is_date) if aligned.main is not None else None


def reach_from(
    main: Anchor, carriers: Mapping[Key, Carrier], differences: Iterable[Difference], *, is_date: IsDate
) -> Reach | None:
    """Return how far outside the range rows are read that lie in a known time around the main ones."""
    reaches = [
        carriers[item.right].reach(main.margin.in_whole(item.unit).plus(item.around))
        for item in distances(main.keys, carriers, differences)
        if item.around is not None and (not item.around.after or is_tied_ahead(item, is_date))
    ]
    return min(reaches, key=lambda reach: reach.order, default=None)


def reads_ahead(
    main: Anchor, carriers: Mapping[Key, Carrier], differences: Iterable[Difference], *, is_date: IsDate
) -> bool:
    """Return whether the query itself asks for rows whose time is after the main ones; a date lasts until its end."""
    times = [key for key, carrier in carriers.items() if carrier.is_time]
    facts = distances(main.keys, times, differences)
    return any(is_tied_ahead(item, is_date) for item in facts)


def is_tied_ahead(fact: Difference, is_date: IsDate) -> bool:
    """Return whether a fact about a main column is one about later rows."""
    # The hours of a day are no later rows than its date; another date is.
    return fact.is_ahead(DAY if is_date(fact.left) and not is_date(fact.right) else 0)


def whole(names: tuple[str, ...] | None, reads: tuple[Read, ...] = ()) -> Cut:
    """Return a block that does not depend on the range."""
    return Cut(names=names, columns=None, reads=reads, is_alone=True)
