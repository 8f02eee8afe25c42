"""Coverage as segments: putting debts on ranges, replacing ranges, fusing equal neighbours."""

from lamina.values.coverage import Coverage, Debt, Segment
from lamina.values.interval import Interval, intersect, merge, subtract


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
    return tuple(
        segment.replace(interval=span) for segment in segments for span in intersect((segment.interval,), ranges)
    )


def leave_out(segments: tuple[Segment, ...], ranges: tuple[Interval, ...]) -> tuple[Segment, ...]:
    """Return the parts of segments outside ranges."""
    return tuple(
        segment.replace(interval=span) for segment in segments for span in subtract((segment.interval,), ranges)
    )


def owe(segment: Segment, debt: Debt) -> Segment:
    """Return a segment with one more debt; debts to one input become one, from the earliest to the latest touch."""
    older = next((item for item in segment.debts if item.input == debt.input), None)
    joined = debt if older is None else debt.replace(since=older.since, is_append=older.is_append and debt.is_append)
    others = tuple(item for item in segment.debts if item.input != debt.input)
    return segment.replace(debts=tuple(sorted((*others, joined), key=lambda item: item.input)))
