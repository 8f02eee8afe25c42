"""A batch's range on its time column: as SQL, and against the table's layout."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from lamina.values.interval import Interval, merge
from lamina.values.value import Value
from lamina.warehouse.spark.layout import PartitionField
from lamina.warehouse.spark.sql import quote


class TimeRange(Value, frozen=True):
    """The bounds `[start, end)` of a batch in the domain of its time column: dates, or instants in UTC."""

    column: str
    start: datetime | date
    end: datetime | date

    def predicate(self, prefix: str = "") -> str:
        """Return the range as a SQL condition; null is in no range."""
        name = prefix + quote(self.column)
        return f"{name} >= {literal(self.start)} AND {name} < {literal(self.end)}"


def time_ranges(column: str, kind: str, slices: tuple[Interval, ...], *, zone: str) -> tuple[TimeRange, ...]:
    """Return the ranges of slices; a date column is compared by local dates of the model's zone."""
    spans = merge(slices)
    if kind == "timestamp_ntz":
        return tuple(
            TimeRange(column=column, start=_without_zone(span.start), end=_without_zone(span.end)) for span in spans
        )
    if kind != "date":
        return tuple(TimeRange(column=column, start=span.start, end=span.end) for span in spans)
    local = ZoneInfo(zone)
    return tuple(
        TimeRange(column=column, start=span.start.astimezone(local).date(), end=_date_up(span.end.astimezone(local)))
        for span in spans
    )


def predicate(ranges: tuple[TimeRange, ...], prefix: str = "") -> str:
    """Return several ranges as one condition."""
    return " OR ".join(f"({item.predicate(prefix)})" for item in ranges)


def literal(bound: datetime | date) -> str:
    """Return a bound as a typed literal; the session's zone is UTC.

    >>> literal(datetime(2026, 1, 1, 12, tzinfo=UTC)), literal(date(2026, 1, 1))
    ("TIMESTAMP '2026-01-01 12:00:00'", "DATE '2026-01-01'")
    """
    if not isinstance(bound, datetime):
        return f"DATE '{bound_text(bound)}'"
    kind = "TIMESTAMP_NTZ" if bound.tzinfo is None else "TIMESTAMP"
    return f"{kind} '{bound_text(bound)}'"


def bound_text(bound: datetime | date) -> str:
    """Return a bound as text, instants in UTC."""
    if not isinstance(bound, datetime):
        return bound.isoformat()
    return _without_zone(bound).isoformat(sep=" ")


def is_aligned(ranges: tuple[TimeRange, ...], layout: tuple[PartitionField, ...]) -> bool:
    """Tell whether no file of that layout can have rows on both sides of a bound."""
    return any(
        all(_is_boundary(bound, field.transform) for item in ranges for bound in (item.start, item.end))
        for field in layout
        if ranges and field.column.casefold() == ranges[0].column.casefold()
    )


def _is_boundary(bound: datetime | date, transform: str) -> bool:
    if transform == "identity":
        return True
    day = datetime(bound.year, bound.month, bound.day, tzinfo=UTC)
    at = _without_zone(bound if isinstance(bound, datetime) else day)
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


def _without_zone(at: datetime) -> datetime:
    return at if at.tzinfo is None else at.astimezone(UTC).replace(tzinfo=None)


def _date_up(at: datetime) -> date:
    is_midnight = (at.hour, at.minute, at.second, at.microsecond) == (0, 0, 0, 0)
    return at.date() if is_midnight else at.date() + timedelta(days=1)
