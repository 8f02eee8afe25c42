"""Decide whether the operands of one SELECT tell the same slice, and which columns tell it."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lamina.compiler.cuts import Anchor, Bounds, Cut, Difference, Key, Operand, Read, merge_anchors
from lamina.compiler.rules import reach_outside_range, unaligned_slices
from lamina.compiler.units import DAY, UNBOUNDED, in_words
from lamina.compiler.verdict import Refusal


class Facts(NamedTuple):
    """What the conditions of one SELECT say: on every row, and on each operand that may be absent from a row."""

    rows: dict[Key, Bounds]
    row_differences: tuple[Difference, ...]
    own: dict[str, dict[Key, Bounds]]  # by alias: bounds in the ON of an outer, semi or anti join
    own_differences: dict[str, tuple[Difference, ...]]


class Aligned(NamedTuple):
    """The time of a SELECT's rows; `main` is None when the rows do not depend on the range."""

    main: Anchor | None
    others: tuple[Anchor, ...]  # further times, each refused or reached from the main one
    halves: frozenset[Key]  # of a full join: one of them tells the slice, the other may be null
    sides: dict[str, Anchor]
    refusals: tuple[Refusal, ...]


def align(operands: tuple[Operand, ...], facts: Facts) -> Aligned:
    """Find the one time that all operands share, or say which do not share it."""
    sides = {item.alias: anchor for item in operands if (anchor := _side(item, facts)) is not None}
    mains = _connected([*_mains(operands), *_row_anchors(facts)], facts)
    if not mains:
        return _without_main(operands, sides, facts)
    main = min(mains, key=lambda anchor: (anchor.before, sorted(anchor.keys)))
    others = [("", anchor) for anchor in mains if anchor is not main]
    refusals: list[Refusal] = []
    for alias, anchor in (*others, *sides.items()):
        differences = (*facts.row_differences, *facts.own_differences.get(alias, ()))
        valid = _valid_beside(main, anchor, differences)
        if isinstance(valid, Refusal):
            refusals.append(valid)
        else:
            main = main._replace(valid=min(main.valid, valid))
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
    """Spread each anchor over equal columns and merge those that meet."""
    equalities = [item for item in facts.row_differences if item.is_equality]
    spread = [anchor._replace(keys=_spread(anchor.keys, equalities)) for anchor in anchors]
    merged: list[Anchor] = []
    for anchor in spread:
        meeting = [item for item in merged if item.keys & anchor.keys]
        for item in meeting:
            merged.remove(item)
            anchor = merge_anchors(item, anchor)  # noqa: PLW2901 - folding is clearest in place
        merged.append(anchor)
    return merged


def _spread(keys: frozenset[Key], equalities: list[Difference]) -> frozenset[Key]:
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


def _valid_beside(main: Anchor, other: Anchor, differences: Iterable[Difference]) -> int | Refusal:
    """Return from how far before the start the main rows find everything they need of the other operand."""
    if main.keys & other.keys:
        return other.valid
    facts = [item for item in _distances(main.keys, other.keys, differences) if item.low is not None and _is_past(item)]
    first, second = _name(main), _name(other)
    if not facts:
        return unaligned_slices.refusal(first, second, at=other.at)
    low = max(item.low or 0 for item in facts)
    valid = other.valid - other.valid % DAY if any(item.is_cut for item in facts) else other.valid
    if other.valid < UNBOUNDED and valid + low < 0:
        present = in_words(valid) if valid else "nothing"
        text = f"the join reads `{second}` {in_words(-low)} before the slice, but {present} of that is read"
        hint = f"read it from `@start_date - INTERVAL {in_words(-low)}` and declare the `window`"
        return reach_outside_range.refusal(text, hint=hint, at=other.at)
    return UNBOUNDED if other.valid >= UNBOUNDED else valid + low


def _is_past(fact: Difference) -> bool:
    return fact.high is not None and fact.high <= 0


def _name(anchor: Anchor) -> str:
    return ".".join(part for part in min(anchor.keys, default=("", "the time column")) if part)


def _distances(mains: frozenset[Key], others: Iterable[Key], differences: Iterable[Difference]) -> Iterator[Difference]:
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
        if any(True for _ in _distances(anchors[0].keys, anchors[1].keys, differences)):
            both = merge_anchors(anchors[0], anchors[1])
            before = max(anchors[0].before, anchors[1].before)
            return Aligned(both._replace(before=before, keys=frozenset()), (), both.keys, sides, ())
        return Aligned(None, (), frozenset(), sides, (_unaligned(anchors[0], anchors[1]),))
    preserved = next((item for item in operands if not item.is_nullable and not item.is_hidden), operands[0])
    refusal = unaligned_slices.refusal_of_preserved(preserved.alias, _name(anchors[0]), at=preserved.at)
    return Aligned(None, (), frozenset(), sides, (refusal,))


def _unaligned(first: Anchor, second: Anchor) -> Refusal:
    return unaligned_slices.refusal(_name(first), _name(second), at=second.at)


def bound_reads(
    operands: tuple[Operand, ...], aligned: Aligned, facts: Facts
) -> tuple[list[tuple[Read, int]], list[tuple[str, Read]]]:
    """Split the reads of the operands into those with a reach and those still open, with their alias."""
    settled: list[tuple[Read, int]] = []
    pending: list[tuple[str, Read]] = []
    for item in operands:
        differences = (*facts.row_differences, *facts.own_differences.get(item.alias, ()))
        for read in item.cut.reads:
            reach = _reach(item, read, aligned, differences)
            if reach is None:
                pending.append((item.alias, read))
            else:
                settled.append((read, min(UNBOUNDED, reach + read.back)))
    return settled, pending


def _reach(item: Operand, read: Read, aligned: Aligned, differences: Iterable[Difference]) -> int | None:
    carriers = {(item.alias, name) for name in read.carriers}
    side = aligned.sides.get(item.alias)
    if side is not None and carriers & side.keys:
        return side.before
    if aligned.main is None:
        return None
    for anchor in (aligned.main, *aligned.others):
        if carriers & anchor.keys:
            return anchor.before
    before = aligned.main.before
    whole_days = min(UNBOUNDED, -(-before // DAY) * DAY)
    reaches = [
        (whole_days if item.is_cut else before) - item.low
        for item in _distances(aligned.main.keys, carriers, differences)
        if item.low is not None and _is_past(item)
    ]
    return min(reaches, default=None)


def whole(names: tuple[str, ...] | None, reads: tuple[Read, ...] = ()) -> Cut:
    """Return a block that does not depend on the range."""
    return Cut(names=names, columns=None, reads=reads)
