"""Units of time and how they lie in one another; a value cut to a unit decides the slice of every unit around it."""

from datetime import date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from lamina.values.grid import utc_offset
from lamina.values.words import counted

SECOND = 1_000_000
MINUTE = 60 * SECOND
HOUR = 60 * MINUTE
DAY = 24 * HOUR
UNBOUNDED = 10**18  # microseconds; farther than any declared reach

LINE = (
    "instant",
    "second",
    "minute",
    "5 minutes",
    "15 minutes",
    "30 minutes",
    "hour",
    "day",
    "month",
    "quarter",
    "year",
)

DAY_OR_LONGER = frozenset({"day", "week", "month", "quarter", "year"})

TRUNCATIONS = {
    "yyyy": "year",
    "yy": "year",
    "mon": "month",
    "mm": "month",
    "dd": "day",
    "microsecond": "instant",
    "millisecond": "second",
} | {unit: unit for unit in ("second", "minute", "hour", "day", "week", "month", "quarter", "year")}
"""What `date_trunc` and `trunc` call a unit."""

LENGTHS = {
    "microsecond": (1, 1),
    "millisecond": (1_000, 1_000),
    "second": (SECOND, SECOND),
    "minute": (MINUTE, MINUTE),
    "hour": (HOUR, HOUR),
    "day": (DAY, DAY),
    "week": (7 * DAY, 7 * DAY),
    "month": (28 * DAY, 31 * DAY),
    "quarter": (90 * DAY, 92 * DAY),
    "year": (365 * DAY, 366 * DAY),
}
"""The shortest and the longest span of each unit of an interval, in microseconds."""


def nests(inner: str, outer: str) -> bool:
    """Return whether every `inner` lies whole inside one `outer`.

    >>> nests("day", "month"), nests("week", "month"), nests("month", "day")
    (True, False, False)
    """
    if inner == outer:
        return True
    if inner == "week":
        return False
    if outer == "week":
        return LINE.index(inner) <= LINE.index("day")
    return LINE.index(inner) < LINE.index(outer)


@lru_cache
def is_whole_in(zone: str, unit: str) -> bool:
    """Return whether every midnight of a zone begins a `unit` of UTC.

    >>> is_whole_in("Europe/Berlin", "hour"), is_whole_in("Asia/Kolkata", "hour"), is_whole_in("Europe/Berlin", "day")
    (True, False, False)
    """
    if unit in DAY_OR_LONGER:
        return False
    length = LENGTHS[unit][0] if unit in LENGTHS else 1
    weeks = (date(1970, 1, 1) + timedelta(weeks=number) for number in range(53 * 70))
    return not any(utc_offset(zone, day) % timedelta(microseconds=length) for day in weeks)


@lru_cache
def has_whole_days(zone: str) -> bool:
    """Return whether the date on the clocks of a zone changes where its days begin, and never goes back.

    >>> has_whole_days("Europe/Stockholm"), has_whole_days("America/Havana"), has_whole_days("America/St_Johns")
    (True, True, False)
    """
    weeks = [date(1970, 1, 2) + timedelta(weeks=number) for number in range(53 * 70)]
    changing = (week for week in weeks if utc_offset(zone, week) != utc_offset(zone, week + timedelta(weeks=1)))
    days = (week + timedelta(days=number) for week in changing for number in range(8))
    midnights = (datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)) for day in days)
    # Where a change skips or repeats what is before and after midnight, the date changes elsewhere, or twice.
    return not any(_is_changed(at) and _is_changed(at - timedelta(microseconds=1)) for at in midnights)


def _is_changed(at: datetime) -> bool:
    """Return whether clocks show a time twice, or never."""
    return at.utcoffset() != at.replace(fold=1).utcoffset()


def coarsen(unit: str, truncation: str) -> str | None:
    """Return the unit of a value of `unit` truncated further, None if neither lies in the other.

    >>> coarsen("instant", "day"), coarsen("month", "day"), coarsen("week", "month")
    ('day', 'month', None)
    """
    if nests(unit, truncation):
        return truncation
    return unit if nests(truncation, unit) else None


def in_words(microseconds: int) -> str:
    """Write a span for people.

    >>> in_words(6 * DAY), in_words(90 * MINUTE), in_words(UNBOUNDED)
    ('6 days', '90 minutes', 'without bound')
    """
    if microseconds >= UNBOUNDED:
        return "without bound"
    for length, name in ((DAY, "day"), (HOUR, "hour"), (MINUTE, "minute"), (SECOND, "second")):
        if microseconds and microseconds % length == 0:
            return counted(microseconds // length, name)
    return f"{microseconds} microseconds"
