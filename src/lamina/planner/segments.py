"""Coverage as segments: putting debts on ranges, replacing ranges, fusing equal neighbours."""

from collections.abc import Iterator

from lamina.values.coverage import Coverage, Debt, Segment
from lamina.values.interval import Interval, merge
from lamina.values.row_counts import add_counts, counts_within, join_counts


def fuse(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """Return the segments in order, neighbours with the same code and debts as one."""
    fused: list[Segment] = []
    for segment in sorted(segments, key=lambda item: item.interval):
        last = fused[-1] if fused else None
        if last is not None and last.interval.end == segment.interval.start and _owe_alike(last, segment):
            fused[-1] = _joined(last, segment)
        else:
            fused.append(segment)
    return tuple(fused)


def _owe_alike(left: Segment, right: Segment) -> bool:
    """Say whether two ranges have the same code and debts, however many rows each owes."""
    if left.logic != right.logic or len(left.debts) != len(right.debts):
        return False
    if left.debts == right.debts:
        return True
    pairs = zip(left.debts, right.debts, strict=True)
    return all(one == other.replace(counts=one.counts) and _is_counted_alike(one, other) for one, other in pairs)


def _is_counted_alike(left: Debt, right: Debt) -> bool:
    return (left.counts is None) == (right.counts is None)


def _joined(left: Segment, right: Segment) -> Segment:
    pairs = zip(left.debts, right.debts, strict=True)
    return Segment(
        interval=Interval(left.interval.start, right.interval.end),
        logic=left.logic,
        debts=tuple(one.replace(counts=join_counts(one.counts, other.counts)) for one, other in pairs),
    )


def _part(segment: Segment, span: Interval) -> Segment:
    """Return a part of a segment, with the counts of the rows that may lie in it."""
    debts = segment.debts
    if any(debt.counts for debt in debts):
        debts = tuple(debt.replace(counts=counts_within(debt.counts, span)) for debt in debts)
    return Segment(interval=span, logic=segment.logic, debts=debts)


def ever_built(coverage: Coverage) -> tuple[Interval, ...]:
    """Return every slice that was built at some time, those that are to be built again included."""
    return covered(coverage) if coverage.ever_built is None else coverage.ever_built


def covered(coverage: Coverage) -> tuple[Interval, ...]:
    """Return the ranges that are built, by whatever code."""
    return merge(tuple(segment.interval for segment in coverage.segments))


def indebted(coverage: Coverage) -> tuple[Interval, ...]:
    """Return the built ranges that owe something to an input."""
    return merge(tuple(segment.interval for segment in coverage.segments if segment.debts))


def cut_out(segments: tuple[Segment, ...], ranges: tuple[Interval, ...]) -> tuple[Segment, ...]:
    """Return the parts of segments inside ranges."""
    return tuple(part for part, place in split(segments, merge(ranges)) if place is not None)


def leave_out(segments: tuple[Segment, ...], ranges: tuple[Interval, ...]) -> tuple[Segment, ...]:
    """Return the parts of segments outside ranges."""
    return tuple(part for part, place in split(segments, merge(ranges)) if place is None)


def split(segments: tuple[Segment, ...], spans: tuple[Interval, ...]) -> Iterator[tuple[Segment, int | None]]:
    """Yield the parts of segments with the place of the span each lies in; both are in order and do not overlap."""
    following = 0
    for segment in segments:
        start, end = segment.interval.start, segment.interval.end
        while following < len(spans) and spans[following].end <= start:
            following += 1
        place = following
        while place < len(spans) and spans[place].start < end:
            inside = Interval(max(start, spans[place].start), min(end, spans[place].end))
            if start < inside.start:
                yield _part(segment, Interval(start, inside.start)), None
            yield _part(segment, inside), place
            start, place = inside.end, place + 1
        if start < end:
            yield _part(segment, Interval(start, end)), None


def owe(segment: Segment, debt: Debt) -> Segment:
    """Return a segment with one more debt; debts to one input become one, from the earliest to the latest touch."""
    older = next((item for item in segment.debts if _is_alike(item, debt)), None)
    if older is None:
        return owe_apart(segment, debt)
    others = segment.replace(debts=tuple(item for item in segment.debts if not _is_alike(item, debt)))
    counts = add_counts(older.counts, debt.counts)
    is_append = older.is_append and debt.is_append
    return owe_apart(others, debt.replace(since=older.since, is_append=is_append, counts=counts))


def owe_apart(segment: Segment, debt: Debt) -> Segment:
    """Return a segment with one more debt, beside others to the same input, so that it can be forgiven alone."""
    debts = sorted((*segment.debts, debt), key=lambda item: (item.input, item.is_foreign))
    return segment.replace(debts=tuple(debts))


def _is_alike(left: Debt, right: Debt) -> bool:
    return (left.input, left.is_foreign) == (right.input, right.is_foreign)
