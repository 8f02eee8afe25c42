"""Coverage as segments: putting debts on ranges, replacing ranges, fusing equal neighbours."""

from collections.abc import Iterator

from lamina.values.coverage import Coverage, Debt, Segment
from lamina.values.interval import Interval, merge


def fuse(segments: tuple[Segment, ...]) -> tuple[Segment, ...]:
    """Return the segments in order, neighbours with the same code and debts as one."""
    fused: list[Segment] = []
    for segment in sorted(segments, key=lambda item: item.interval):
        last = fused[-1] if fused else None
        if (
            last is not None
            and last.interval.end == segment.interval.start
            and last.replace(interval=segment.interval) == segment
        ):
            fused[-1] = segment.replace(interval=Interval(last.interval.start, segment.interval.end))
        else:
            fused.append(segment)
    return tuple(fused)


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
                yield segment.replace(interval=Interval(start, inside.start)), None
            yield segment.replace(interval=inside), place
            start, place = inside.end, place + 1
        if start < end:
            yield segment.replace(interval=Interval(start, end)), None


def owe(segment: Segment, debt: Debt) -> Segment:
    """Return a segment with one more debt; debts to one input become one, from the earliest to the latest touch."""
    older = next((item for item in segment.debts if item.input == debt.input), None)
    if older is not None:
        debt = debt.replace(
            since=older.since,
            is_append=older.is_append and debt.is_append,
            is_foreign=older.is_foreign or debt.is_foreign,
        )
    others = tuple(item for item in segment.debts if item.input != debt.input)
    return segment.replace(debts=tuple(sorted((*others, debt), key=lambda item: item.input)))
