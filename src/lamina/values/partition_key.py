"""Partition keys: how a person names one unit of a model, or a coarser span of it."""

import re
from datetime import UTC, date, datetime

from lamina.values.grid import Grid, Unit, advance, day_start, local_day, widen
from lamina.values.interval import Interval

# Finest first; the four minute grains share one form.
_FORMS: tuple[tuple[Unit, str], ...] = (
    ("minute", r"(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2})"),
    ("hour", r"(\d{4})-(\d{2})-(\d{2})T(\d{2})"),
    ("day", r"(\d{4})-(\d{2})-(\d{2})"),
    ("week", r"(\d{4})-W(\d{2})"),
    ("month", r"(\d{4})-(\d{2})"),
    ("year", r"(\d{4})"),
)
_ORDER: tuple[Unit, ...] = ("minute", "5 minutes", "15 minutes", "30 minutes", "hour", "day", "week", "month", "year")
_EXAMPLES: dict[Unit, str] = {
    "hour": "2026-04-07T13",
    "day": "2026-04-07",
    "week": "2026-W15",
    "month": "2026-04",
    "year": "2026",
}


def key_of(grid: Grid, boundary: datetime) -> str:
    """Return the key of the unit that begins at a boundary.

    Units shorter than a day are named in UTC, as they are cut: a local hour can come twice.

    >>> key_of(Grid("week"), datetime(2026, 4, 6, tzinfo=UTC))
    '2026-W15'
    """
    if grid.unit not in _EXAMPLES:
        return boundary.strftime("%Y-%m-%dT%H:%M")
    if grid.unit == "hour":
        return boundary.strftime("%Y-%m-%dT%H")
    return _date_key(grid.unit, local_day(grid.zone, boundary))


def parse_key(grid: Grid, key: str) -> Interval | None:
    """Return the unit a key names, or None unless it has the grid's grain and is written exactly so."""
    span = parse_coarse_key(grid, key)
    return span if span is not None and key_of(grid, span.start) == key else None


def parse_coarse_key(grid: Grid, key: str) -> Interval | None:
    """Return the units a key of the grid's grain or a coarser one spans, or None if it is not such a key."""
    unit = next((unit for unit, form in _FORMS if re.fullmatch(form, key, re.ASCII)), None)
    if unit == "minute":
        unit = grid.unit
    if unit is None or _ORDER.index(unit) < _ORDER.index(grid.unit):
        return None
    named = Grid(unit, grid.zone)
    start = _key_start(named, key)
    if start is None or key_of(named, start) != key:
        return None
    return widen(grid, Interval(start, advance(named, start, count=1)))


def example_key(grid: Grid) -> str:
    """Return a key of the grid's grain, for a hint."""
    return _EXAMPLES.get(grid.unit, "2026-04-07T13:00")


def _date_key(unit: Unit, day: date) -> str:
    if unit == "week":
        year, week, _ = day.isocalendar()
        return f"{year:04}-W{week:02}"
    return day.isoformat()[: {"day": 10, "month": 7, "year": 4}[unit]]


def _key_start(named: Grid, key: str) -> datetime | None:
    """Return the instant a key's text begins at, or None where it is not a date."""
    numbers = [int(number) for number in re.findall(r"\d+", key)]
    try:
        if named.unit == "week":
            return day_start(named.zone, date.fromisocalendar(numbers[0], numbers[1], 1))
        if "T" in key:
            year, month, day, hour, minute = (*numbers, 0)[:5]
            return datetime(year, month, day, hour, minute, tzinfo=UTC)
        year, month, day = (*numbers, 1, 1)[:3]
        return day_start(named.zone, date(year, month, day))
    except (ValueError, OverflowError):
        return None
