"""I8 over every zone and every clock change from 1970 to 2037, against boundaries found from offsets alone."""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import cycle
from zoneinfo import ZoneInfo, available_timezones

from lamina.values.grid import Grid, Unit, floor_unit, next_unit

CASES = 100_000
FIRST, LAST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2038, 1, 1, tzinfo=UTC)
UNITS: tuple[Unit, ...] = ("day", "week", "month", "year")
TINY = timedelta(microseconds=1)
# How far from a change units are asked for: at it, just before it, and around the midnights beside it.
BESIDE = tuple(
    timedelta(hours=hours) + tiny for hours in (0, -25, -24, -12, -1, 1, 12, 23, 24, 25) for tiny in (-TINY, TINY * 0)
)

Offsets = tuple[list[datetime], list[timedelta]]  # since when the clocks are how far ahead of UTC


def _ahead(zone: ZoneInfo, instant: datetime) -> timedelta:
    return instant.astimezone(zone).utcoffset() or timedelta()


def _offsets(zone: ZoneInfo) -> Offsets:
    """Return the changes of a zone's clocks, each found by halving a week in which they differ."""
    since, ahead = [FIRST - timedelta(days=800)], [_ahead(zone, FIRST - timedelta(days=800))]
    at = since[0]
    while at < LAST + timedelta(days=800):
        end = at + timedelta(days=7)
        while (now := _ahead(zone, end)) != ahead[-1]:
            low, high = at, end
            while high - low > timedelta(seconds=1):
                middle = low + timedelta(seconds=(high - low) // timedelta(seconds=2))
                low, high = (middle, high) if _ahead(zone, middle) == ahead[-1] else (low, middle)
            since.append(high)
            ahead.append(_ahead(zone, high))
            at = high
            if ahead[-1] == now:
                break
        at = end
    return since, ahead


def _begins(offsets: Offsets, day: date) -> datetime:
    """Return the first instant at which the clocks show a date, or a later one."""
    since, ahead = offsets
    midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
    first = max(bisect_right(since, midnight - timedelta(days=2)) - 1, 0)
    for at in range(first, len(since)):
        end = since[at + 1] if at + 1 < len(since) else LAST + timedelta(days=3000)
        if (instant := max(since[at], midnight - ahead[at])) < end:
            return instant
    raise AssertionError(day)


def _starts(unit: Unit, around: date) -> Iterator[date]:
    """Yield the first dates of some units around a date, in order."""
    for number in range(-2, 3):
        if unit == "day":
            yield around + timedelta(days=number)
        elif unit == "week":
            yield around - timedelta(days=around.weekday()) + timedelta(days=7 * number)
        elif unit == "month":
            months = around.year * 12 + around.month - 1 + number
            yield date(months // 12, months % 12 + 1, 1)
        else:
            yield date(around.year + number, 1, 1)


def _cases() -> Iterator[tuple[str, Offsets, datetime, Unit]]:
    """Yield the day of every clock change, and units beside it; zones without one are asked about as well."""
    beside, units = cycle(BESIDE), cycle(UNITS)
    for name in sorted(available_timezones()):
        offsets = _offsets(ZoneInfo(name))
        for change in [at for at in offsets[0][1:] if FIRST <= at < LAST] or [FIRST]:
            yield name, offsets, change, "day"
            for _ in range(3):
                yield name, offsets, change + next(beside), next(units)


def test_i8_units_of_every_zone_are_those_that_its_clocks_show() -> None:
    count = 0
    for zone, offsets, instant, unit in _cases():
        count += 1
        begins = sorted({_begins(offsets, day) for day in _starts(unit, instant.date())})
        place = bisect_right(begins, instant)
        found = floor_unit(Grid(unit, zone), instant), next_unit(Grid(unit, zone), instant)
        assert found == (begins[place - 1], begins[place]), (zone, unit, instant)
    assert count > CASES
