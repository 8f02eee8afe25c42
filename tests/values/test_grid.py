"""Unit grids tile time in every zone."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.values.grid import (
    Grid,
    Unit,
    advance,
    ceil_unit,
    count_units,
    day_start,
    each_unit,
    floor_unit,
    local_day,
    next_unit,
    widen,
)
from lamina.values.interval import MAX, MIN, WHOLE, Interval

# Half-hour changes, skipped midnights, a skipped day, repeated midnights, odd offsets.
ZONES = (
    "UTC",
    "Europe/Stockholm",
    "America/New_York",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "America/Sao_Paulo",
    "America/Havana",
    "Asia/Beirut",
    "Asia/Kathmandu",
    "America/St_Johns",
)
grids = st.builds(Grid, st.sampled_from(get_args(Unit)), st.sampled_from(ZONES))
instants = st.datetimes(datetime(1985, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC))


@given(grids, instants)
def test_i8_every_instant_lies_in_exactly_one_unit(grid: Grid, instant: datetime) -> None:
    start, end = floor_unit(grid, instant), next_unit(grid, instant)
    assert start <= instant < end
    assert floor_unit(grid, start) == start
    assert floor_unit(grid, end) == end
    assert floor_unit(grid, end - timedelta(microseconds=1)) == start
    assert next_unit(grid, start) == end


@given(grids, instants, st.integers(1, 40))
def test_i8_units_tile_without_gap_or_overlap(grid: Grid, instant: datetime, count: int) -> None:
    start = floor_unit(grid, instant)
    end = advance(grid, start, count=count)
    units = list(each_unit(grid, Interval(start, end)))
    assert units[0].start == start
    assert units[-1].end == end
    assert all(left.end == right.start for left, right in pairwise(units))
    assert len(units) == count_units(grid, Interval(start, end))
    # A day that a zone skipped altogether is not a unit.
    assert len(units) in (count, count - 1)


@given(grids, instants, st.integers(1, 10**7))
def test_widening_ends_on_boundaries(grid: Grid, instant: datetime, seconds: int) -> None:
    span = Interval(instant, instant + timedelta(seconds=seconds))
    wide = widen(grid, span)
    assert wide.start <= span.start
    assert wide.end >= span.end
    assert widen(grid, wide) == wide
    assert ceil_unit(grid, wide.end) == wide.end


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("Europe/Stockholm", date(2026, 3, 29), 23),
        ("Europe/Stockholm", date(2026, 10, 25), 25),
        ("America/New_York", date(2026, 3, 8), 23),
        ("Australia/Lord_Howe", date(2026, 4, 5), 24.5),
        ("Australia/Lord_Howe", date(2026, 10, 4), 23.5),
        ("America/Havana", date(2026, 3, 8), 23),
    ],
)
def test_i8_a_day_of_a_clock_change_is_shorter_or_longer(zone: str, day: date, hours: float) -> None:
    start = day_start(zone, day)
    assert next_unit(Grid("day", zone), start) - start == timedelta(hours=hours)
    assert local_day(zone, start) == day


def test_weeks_begin_on_monday() -> None:
    assert floor_unit(Grid("week"), datetime(2026, 4, 12, 23, tzinfo=UTC)) == datetime(2026, 4, 6, tzinfo=UTC)


def test_short_units_are_cut_in_utc_whatever_the_zone() -> None:
    instant = datetime(2026, 4, 7, 13, 7, tzinfo=UTC)
    assert floor_unit(Grid("hour", "Asia/Kathmandu"), instant) == datetime(2026, 4, 7, 13, tzinfo=UTC)
    assert floor_unit(Grid("5 minutes", "Asia/Kathmandu"), instant) == datetime(2026, 4, 7, 13, 5, tzinfo=UTC)


@given(grids)
def test_the_ends_of_the_calendar_do_not_overflow(grid: Grid) -> None:
    assert widen(grid, WHOLE) == WHOLE
    assert widen(grid, Interval(MIN, datetime(2026, 4, 7, tzinfo=UTC))).start == MIN
    assert widen(grid, Interval(datetime(2026, 4, 7, tzinfo=UTC), MAX - timedelta(days=5))).end == MAX
    assert advance(grid, floor_unit(grid, datetime(2026, 4, 7, tzinfo=UTC)), count=10**8) <= MAX
