"""How many rows of a touch each slice owes: by ranges where they were counted so, else as an upper bound for all."""

from collections.abc import Iterable, Mapping

from lamina.compiler.graph import InputUse
from lamina.planner.axis import inverse_image
from lamina.planner.segments import cut_out
from lamina.values.coverage import Coverage, InputRange
from lamina.values.grid import Grid
from lamina.values.interval import Interval
from lamina.values.names import TableName, same_name
from lamina.values.row_counts import (
    ColumnCounts,
    Owed,
    RangeCounts,
    RowCounts,
    add_counts,
    counts_within,
    join_counts,
    total,
)
from lamina.values.touch import Touch


def owed_rows(
    touch: Touch, reached: tuple[Interval, ...], *, grid: Grid | None, read: InputRange | None, is_own: bool
) -> Owed:
    """Return the rows of a touch by the slices that read them; None where they were not counted."""
    if touch.rows is None or not reached:
        return None
    counted = _counted_by(touch, read)
    if counted is None or grid is None or read is None:
        return (RangeCounts(interval=Interval(reached[0].start, reached[-1].end), rows=touch.rows),)
    owed: Owed = ()
    for item in counted.ranges:
        slices = inverse_image(grid, read, (item.interval,), is_own=is_own)
        owed = add_counts(owed, (item.replace(interval=Interval(slices[0].start, slices[-1].end)),))
    return owed


def _counted_by(touch: Touch, read: InputRange | None) -> ColumnCounts | None:
    return next((item for item in touch.rows_in if read is not None and same_name(item.column, read.column)), None)


def added_up(owed: Iterable[Owed], span: Interval) -> Owed:
    """Return what several touches that reach a range brought to it; one of which nothing is known there counts so."""
    summed: Owed = ()
    for counts in owed:
        summed = add_counts(summed, counts_within(counts, span) or None)
    return summed


def rows_by_input(
    coverage: Coverage, span: Interval, *, inputs: tuple[InputUse, ...]
) -> dict[TableName, RowCounts | None]:
    """Return the rows that a range waits for by input, each counted once; None where some of them were not counted.

    A table that is no input any more, or the model's own that another writer changed, has no count.
    """
    names = {use.name for use in inputs}
    by_input: dict[TableName, Owed] = {}
    for segment in cut_out(coverage.segments, (span,)):
        for debt in segment.debts:
            counts = debt.counts if debt.input in names else None
            by_input[debt.input] = join_counts(by_input.get(debt.input, ()), counts)
    return {name: None if counts is None else total(counts) for name, counts in sorted(by_input.items())}


def in_all(by_input: Mapping[TableName, RowCounts | None]) -> RowCounts | None:
    """Return the rows of all inputs together; None where some were not counted, or nothing is owed."""
    known = [rows for rows in by_input.values() if rows is not None]
    return sum(known, start=RowCounts()) if known and len(known) == len(by_input) else None
