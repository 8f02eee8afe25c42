"""Times of one column as few intervals: the days of dates, or the hours of times."""

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from lamina.values.interval import MAX, Interval, merge

if TYPE_CHECKING:
    import pyarrow

_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)
_INSTANT = timedelta(microseconds=1)

# Bounds that lie no further apart than this are given as they are; wider ones are refined by looking at the values.
FEW_UNITS = timedelta(hours=26)


def ranges_of(values: "pyarrow.ChunkedArray") -> tuple[Interval, ...] | None:
    """Return the days of dates, or the hours of times, as few intervals as possible; None if they are neither."""
    import pyarrow
    from pyarrow import compute

    if pyarrow.types.is_null(values.type) or values.null_count == len(values):
        return ()
    if pyarrow.types.is_date(values.type):
        days = compute.unique(values.cast(pyarrow.date32()))
        return merge(tuple(day_range(day) for day in days.to_pylist() if day is not None))
    if not pyarrow.types.is_timestamp(values.type):
        return None
    bounds = compute.min_max(values.cast(pyarrow.timestamp("us", tz=values.type.tz)))
    span = span_of(bounds["min"].as_py(), bounds["max"].as_py())
    if span.end - span.start <= FEW_UNITS:
        return (span,)
    hours = compute.unique(compute.floor_temporal(values, unit="hour").cast(pyarrow.timestamp("s", tz=values.type.tz)))
    return merge(tuple(_hour(hour) for hour in hours.to_pylist() if hour is not None))


def span_of(first: Any, last: Any) -> Interval:
    """Return the interval that holds two values of one time column and all between them."""
    if isinstance(first, datetime):
        return Interval(min(_utc(first), MAX - _INSTANT), _after(_utc(last), _INSTANT))
    return Interval(day_range(first).start, day_range(last).end)


def day_range(day: date) -> Interval:
    """Return the interval of one day in UTC."""
    start = min(datetime(day.year, day.month, day.day, tzinfo=UTC), MAX - _DAY)
    return Interval(start, _after(start, _DAY))


def _hour(hour: datetime) -> Interval:
    start = min(_utc(hour), MAX - _HOUR)
    return Interval(start, _after(start, _HOUR))


def _after(start: datetime, length: timedelta) -> datetime:
    """Return the end of a unit; dates that mean "never" lie at the end of the calendar, where no slice is."""
    return MAX if start >= MAX - length else start + length


def _utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
