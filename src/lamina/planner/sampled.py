"""A few slices of a table for a quick proof: the oldest, the newest, and one in between."""

from lamina.planner.consumed import Consumed
from lamina.values.grid import Grid, advance, count_units, floor_unit, next_unit
from lamina.values.interval import Interval, intersect, merge


def sampled(groups: tuple[Consumed, ...], grid: Grid, *, pick: int) -> tuple[tuple[Consumed, ...], int]:
    """Return up to three slices of what can be compared, in their groups, and how many slices there are.

    `pick` chooses the one in between.
    """
    spans = merge(tuple(span for group in groups for span in group.intervals))
    counts = [count_units(grid, span) for span in spans]
    total = sum(counts)
    wanted = {0, total - 1, 1 + pick % max(total - 2, 1)}
    slices = tuple(_unit(spans, counts, grid, number=number) for number in sorted(wanted) if number < total)
    parts = (group.replace(intervals=intersect(group.intervals, slices)) for group in groups)
    return tuple(part for part in parts if part.intervals), total


def _unit(spans: tuple[Interval, ...], counts: list[int], grid: Grid, *, number: int) -> Interval:
    """Return a slice by its place among all of them; one at the end of what was built may be a part."""
    for span, count in zip(spans, counts, strict=True):
        if number < count:
            start = max(advance(grid, floor_unit(grid, span.start), count=number), span.start)
            return Interval(start, min(next_unit(grid, start), span.end))
        number -= count
    raise ValueError(f"there is no slice {number}")
