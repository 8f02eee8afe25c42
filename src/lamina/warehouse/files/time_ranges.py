"""Times of one column as few intervals: the days of dates; the minutes of a few times, the hours of many."""

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING, Any

from lamina.values.interval import MAX, Interval, intersect, merge

if TYPE_CHECKING:
    import pyarrow

_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)
_MINUTE = timedelta(minutes=1)
_INSTANT = timedelta(microseconds=1)

# Bounds that lie no further apart than this are given as they are; wider ones are refined by looking at the values.
FEW_UNITS = timedelta(hours=26)

# Rows of no more minutes than this, such as late ones, are given by the minute: slices may be as short as that.
FEW_MINUTES = 100


def ranges_of(values: "pyarrow.ChunkedArray") -> tuple[Interval, ...] | None:
    """Return the days of dates, or the minutes or hours of times, as few intervals as possible; None of other types."""
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
    minutes = _units(values, "minute")
    if len(minutes) <= FEW_MINUTES:
        return intersect(merge(tuple(_range(minute, _MINUTE) for minute in minutes)), (span,))
    if span.end - span.start <= FEW_UNITS:
        return (span,)
    return merge(tuple(_range(hour, _HOUR) for hour in _units(values, "hour")))


def _units(values: "pyarrow.ChunkedArray", unit: str) -> list[datetime]:
    """Return where the units begin that hold the values of a column."""
    import pyarrow
    from pyarrow import compute

    starts = compute.floor_temporal(values, unit=unit).cast(pyarrow.timestamp("s", tz=values.type.tz))
    return [start for start in compute.unique(starts).to_pylist() if start is not None]


def span_of(first: Any, last: Any) -> Interval:
    """Return the interval that holds two values of one time column and all between them."""
    if isinstance(first, datetime):
        return Interval(min(_utc(first), MAX - _INSTANT), _after(_utc(last), _INSTANT))
    return Interval(day_range(first).start, day_range(last).end)


def day_range(day: date) -> Interval:
    """Return the interval of one day in UTC."""
    start = min(datetime(day.year, day.month, day.day, tzinfo=UTC), MAX - _DAY)
    return Interval(start, _after(start, _DAY))


def _range(start: datetime, length: timedelta) -> Interval:
    start = min(_utc(start), MAX - length)
    return Interval(start, _after(start, length))


def _after(start: datetime, length: timedelta) -> datetime:
    """Return the end of a unit; dates that mean "never" lie at the end of the calendar, where no slice is."""
    return MAX if start >= MAX - length else start + length


def _utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
