"""The unit grid of an interval model: boundaries that tile time with no gap and no overlap, in every zone."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo

from lamina.values.interval import MAX, MIN, Interval
from lamina.values.value import Value

Unit = Literal["minute", "5 minutes", "15 minutes", "30 minutes", "hour", "day", "week", "month", "year"]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Nearer to the ends of the calendar than this, zone arithmetic overflows: there the grid has one open unit.
_EARLIEST = datetime(3, 1, 1, tzinfo=UTC)
_LATEST = datetime(9997, 1, 1, tzinfo=UTC)

_STEPS: dict[str, timedelta] = {
    "minute": timedelta(minutes=1),
    "5 minutes": timedelta(minutes=5),
    "15 minutes": timedelta(minutes=15),
    "30 minutes": timedelta(minutes=30),
    "hour": timedelta(hours=1),
}


class Grid(Value, frozen=True):
    """A unit and the zone whose midnights bound it; units shorter than a day are cut in UTC."""

    unit: Unit
    zone: str = "UTC"


def floor_unit(grid: Grid, instant: datetime) -> datetime:
    """Return the latest boundary at or before an instant.

    >>> floor_unit(Grid("day", "Europe/Stockholm"), datetime(2026, 4, 7, 23, tzinfo=UTC)).isoformat()
    '2026-04-07T22:00:00+00:00'
    """
    if instant < _EARLIEST:
        return MIN
    if instant >= _LATEST:
        return _LATEST
    if step := _STEPS.get(grid.unit):
        return instant - (instant - _EPOCH) % step
    return _midnight(grid.zone, _first_day(grid, instant))


def ceil_unit(grid: Grid, instant: datetime) -> datetime:
    """Return the earliest boundary at or after an instant."""
    floor = floor_unit(grid, instant)
    return floor if floor == instant else next_unit(grid, instant)


def next_unit(grid: Grid, instant: datetime) -> datetime:
    """Return the earliest boundary after an instant."""
    return advance(grid, floor_unit(grid, instant), count=1)


def advance(grid: Grid, boundary: datetime, *, count: int) -> datetime:
    """Return the boundary `count` units after one, or before it where negative."""
    if boundary < _EARLIEST:
        return _EARLIEST if count > 0 else MIN
    if boundary >= _LATEST and count > 0:
        return MAX
    if step := _STEPS.get(grid.unit):
        return boundary + step * max(-((boundary - MIN) // step), min(count, (MAX - boundary) // step))
    first = _shift(grid.unit, _first_day(grid, boundary), count)
    return _midnight(grid.zone, first) if first is not None else (MAX if count > 0 else MIN)


def widen(grid: Grid, span: Interval) -> Interval:
    """Return the smallest run of whole units that contains a span."""
    return Interval(floor_unit(grid, span.start), ceil_unit(grid, span.end))


def count_units(grid: Grid, span: Interval) -> int:
    """Return how many units a span touches."""
    wide = widen(grid, span)
    if step := _STEPS.get(grid.unit):
        return (wide.end - wide.start) // step
    return sum(1 for _ in each_unit(grid, wide))


def each_unit(grid: Grid, span: Interval) -> Iterator[Interval]:
    """Yield the units a span touches one by one, the outer ones cut to it."""
    start = span.start
    while start < span.end:
        end = min(next_unit(grid, start), span.end)
        yield Interval(start, end)
        start = end


def local_day(zone: str, instant: datetime) -> date:
    """Return the date whose day holds an instant in a zone."""
    return _first_day(Grid("day", zone), instant)


def day_start(zone: str, day: date) -> datetime:
    """Return the instant a date begins in a zone."""
    return _midnight(zone, day)


def utc_offset(zone: str, day: date) -> timedelta:
    """Return how far the clocks of a zone are ahead of UTC where a date begins."""
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)).utcoffset() or timedelta()


@lru_cache(maxsize=16384)
def _midnight(zone: str, day: date) -> datetime:
    # A midnight that a clock change skips gets the offset before it: the instant of the change itself.
    return datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)).astimezone(UTC)


def _first_day(grid: Grid, instant: datetime) -> date:
    """Return the first date of the unit that holds an instant."""
    first = _unit_start(grid.unit, instant.astimezone(ZoneInfo(grid.zone)).date())
    # The date on the clock can lag behind or run ahead of the boundaries where a change repeats or skips a midnight.
    while _midnight(grid.zone, first) > instant:
        first = _unit_start(grid.unit, first - timedelta(days=1))
    while (following := _shift(grid.unit, first, 1)) and _midnight(grid.zone, following) <= instant:
        first = following
    return first


def _unit_start(unit: Unit, day: date) -> date:
    if unit == "week":
        return day - timedelta(days=day.weekday())
    if unit == "month":
        return day.replace(day=1)
    if unit == "year":
        return day.replace(month=1, day=1)
    return day


def _shift(unit: Unit, first: date, count: int) -> date | None:
    """Return the first date `count` units on, or None beyond the calendar."""
    if unit in ("month", "year"):
        months = first.year * 12 + first.month - 1 + count * (12 if unit == "year" else 1)
        return date(months // 12, months % 12 + 1, 1) if _EARLIEST.year <= months // 12 <= _LATEST.year else None
    ordinal = first.toordinal() + count * (7 if unit == "week" else 1)
    return date.fromordinal(ordinal) if _EARLIEST.toordinal() <= ordinal <= _LATEST.toordinal() else None
