"""A batch's range on its time column: as SQL, and against the table's layout."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.planner.axis import grid_of, reach_of
from lamina.values.bounds import Bound, bound_text, typed_bounds, without_zone
from lamina.values.interval import Interval, merge
from lamina.values.names import TableName, folded, same_name
from lamina.values.value import Value
from lamina.warehouse.iceberg.layout import PartitionField
from lamina.warehouse.sources.port import ForSlices
from lamina.warehouse.sql import quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


class TimeRange(Value, frozen=True):
    """The bounds `[start, end)` of a batch in the domain of its time column: dates, or instants in UTC."""

    column: str
    start: Bound
    end: Bound

    def predicate(self, prefix: str = "") -> str:
        """Return the range as a SQL condition; null is in no range."""
        name = prefix + quote(self.column)
        return f"{name} >= {literal(self.start)} AND {name} < {literal(self.end)}"


def time_ranges(column: str, kind: str, slices: tuple[Interval, ...], *, zone: str) -> tuple[TimeRange, ...]:
    """Return the ranges of slices; a date column is compared by local dates of the model's zone."""
    bounds = (typed_bounds(span, kind, zone=zone) for span in merge(slices))
    return tuple(TimeRange(column=column, start=start, end=end) for start, end in bounds)


def predicate(ranges: tuple[TimeRange, ...], prefix: str = "") -> str:
    """Return several ranges as one condition."""
    return " OR ".join(f"({item.predicate(prefix)})" for item in ranges)


def rows_inside(table: "DataFrame", model: CompiledModel, slices: tuple[Interval, ...]) -> "DataFrame":
    """Return the rows of an interval model's slices, or all rows of another."""
    ranges = _ranges_in(table, model, slices)
    return table if ranges is None else table.where(predicate(ranges))


def rows_in_reach(frame: "DataFrame", wanted: ForSlices, use: InputUse) -> "DataFrame":
    """Leave out rows of an input that slices cannot see, so that Spark opens no file for them.

    The query leaves them out itself, but maybe in a way that Spark does not see through, such as a window in a join.
    """
    grid, read = grid_of(wanted.model), use.range
    if read is None or grid is None or use.name == TableName(wanted.model.name):
        return frame
    kind = _kinds(frame).get(folded(read.column))
    if kind != ("date" if read.is_date else "timestamp"):
        return frame
    return frame.where(predicate(time_ranges(read.column, kind, (reach_of(grid, read, wanted.span),), zone="UTC")))


def rows_outside(table: "DataFrame", model: CompiledModel, slices: tuple[Interval, ...]) -> "DataFrame":
    """Return the rows of an interval model that lie in none of some slices, or no row of another."""
    ranges = _ranges_in(table, model, slices)
    if ranges is None:
        return table.limit(0)
    return table.where(f"NOT ({predicate(ranges)}) OR {quote(ranges[0].column)} IS NULL")


def _ranges_in(table: "DataFrame", model: CompiledModel, slices: tuple[Interval, ...]) -> tuple[TimeRange, ...] | None:
    """Return slices as ranges of a table's time column, None for a model without one."""
    cut = model.traits.slices
    if cut is None:
        return None
    kind = _kinds(table).get(folded(cut.time_column), "timestamp")
    return time_ranges(cut.time_column, kind, slices, zone=model.settings.timezone)


def _kinds(frame: "DataFrame") -> dict[str, str]:
    return {folded(name): kind for name, kind in frame.dtypes}


def literal(bound: Bound) -> str:
    """Return a bound as a typed literal; the session's zone is UTC.

    >>> noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    >>> literal(noon), literal(noon.date())
    ("TIMESTAMP '2026-01-01 12:00:00'", "DATE '2026-01-01'")
    """
    if not isinstance(bound, datetime):
        return f"DATE '{bound_text(bound)}'"
    kind = "TIMESTAMP_NTZ" if bound.tzinfo is None else "TIMESTAMP"
    return f"{kind} '{bound_text(bound)}'"


def is_aligned(ranges: tuple[TimeRange, ...], layout: tuple[PartitionField, ...]) -> bool:
    """Return whether no file of that layout can have rows on both sides of a bound."""
    return any(
        all(_is_boundary(bound, field.transform) for item in ranges for bound in (item.start, item.end))
        for field in layout
        if ranges and same_name(field.column, ranges[0].column)
    )


def _is_boundary(bound: Bound, transform: str) -> bool:
    if transform == "identity":
        return True
    day = datetime(bound.year, bound.month, bound.day, tzinfo=UTC)
    at = without_zone(bound if isinstance(bound, datetime) else day)
    is_hour = (at.minute, at.second, at.microsecond) == (0, 0, 0)
    is_day = is_hour and at.hour == 0
    match transform:
        case "hour":
            return is_hour
        case "day":
            return is_day
        case "month":
            return is_day and at.day == 1
        case "year":
            return is_day and (at.month, at.day) == (1, 1)
        case _:
            return False
