"""Units of time that changes are grouped by: one truncation for each filter column serves readers of every unit."""

from datetime import UTC, datetime, timedelta
from typing import cast

from lamina.values.grid import Grid, Unit, floor_unit, next_unit
from lamina.values.interval import WHOLE, Interval
from lamina.warehouse.sql import quote

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST_YEAR = (datetime(3, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST_YEAR = (datetime(9997, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND

_MINUTES = {"5 minutes": 5, "15 minutes": 15, "30 minutes": 30}
_NESTED = (*_MINUTES, "hour", "day", "month", "year")  # each is a part of those after it; a week is seven days


def known_unit(asked: str | None) -> Unit:
    """Return the unit that changes are grouped by where a reader asks for one; minutes would be too many."""
    return cast("Unit", asked) if asked in (*_NESTED, "week") else "hour"


def common_unit(units: set[Unit]) -> Unit:
    """Return the longest unit that tiles all of some units.

    >>> common_unit({"month", "year"}), common_unit({"week"}), common_unit({"week", "month"})
    ('month', 'week', 'day')
    """
    if units == {"week"}:
        return "week"
    nested = {"day" if unit == "week" else unit for unit in units}
    return cast("Unit", min(nested, key=_NESTED.index))


def unit_sql(column: str, unit: Unit) -> str:
    """Return the first microsecond of the unit that a row lies in."""
    # A number: a timestamp would come back in the time zone of this host.
    time = f"CAST({quote(column)} AS TIMESTAMP)"
    if unit in _MINUTES:
        return f"unix_micros({time}) - pmod(unix_micros({time}), {_MINUTES[unit] * 60_000_000})"
    return f"unix_micros(date_trunc('{unit.upper()}', {time}))"


def unit_around(microsecond: int, unit: Unit) -> Interval:
    """Return the whole unit around an instant."""
    # Spark's calendar is longer than Python's.
    if not _FIRST_YEAR <= microsecond < _LAST_YEAR:
        return WHOLE
    instant, grid = _EPOCH + timedelta(microseconds=microsecond), Grid(unit)
    return Interval(floor_unit(grid, instant), next_unit(grid, instant))


def coarser_unit(one: Unit, other: Unit) -> Unit | None:
    """Return the unit of two that the other one tiles; None for weeks beside months or years.

    >>> coarser_unit("hour", "day"), coarser_unit("week", "day"), coarser_unit("week", "month")
    ('day', 'week', None)
    """
    if "week" in (one, other):
        shorter = other if one == "week" else one
        return None if shorter in ("month", "year") else "week"
    return max((one, other), key=_NESTED.index)


def units_around(first: int, last: int, unit: Unit) -> Interval:
    """Return the whole units around two instants and all between them."""
    start, end = unit_around(first, unit), unit_around(last, unit)
    return WHOLE if WHOLE in (start, end) else Interval(start.start, end.end)


def microsecond_of(instant: datetime) -> int:
    """Return an instant as Spark counts it."""
    return (instant - _EPOCH) // _MICROSECOND
