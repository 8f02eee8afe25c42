"""Partition keys name units exactly."""

from datetime import UTC, datetime
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.values.grid import Grid, Unit, floor_unit, next_unit
from lamina.values.interval import Interval
from lamina.values.partition_key import example_key, key_of, parse_coarse_key, parse_key

ZONES = ("UTC", "Europe/Stockholm", "America/New_York", "Australia/Lord_Howe", "America/Havana")


@given(
    st.sampled_from(get_args(Unit)),
    st.sampled_from(ZONES),
    st.datetimes(datetime(1990, 1, 1), datetime(2040, 1, 1), timezones=st.just(UTC)),
)
def test_keys_round_trip_in_every_zone(unit: Unit, zone: str, instant: datetime) -> None:
    grid = Grid(unit, zone)
    start = floor_unit(grid, instant)
    assert parse_key(grid, key_of(grid, start)) == Interval(start, next_unit(grid, start))


@pytest.mark.parametrize(
    ("unit", "key"),
    [
        ("day", "2026-04-7"),
        ("day", "2026-04"),
        ("day", "2026-02-30"),
        ("day", "2026-04-07T00"),
        ("day", "２０２６-04-07"),
        ("month", "2026-13"),
        ("month", "2026-04-07"),
        ("week", "2026-W54"),
        ("week", "2026-W1"),
        ("5 minutes", "2026-04-07T13:03"),
        ("hour", "2026-04-07T24"),
        ("year", "26"),
        ("day", ""),
        ("day", "0000-01-01"),
    ],
)
def test_a_key_of_another_grain_or_form_is_none(unit: Unit, key: str) -> None:
    assert parse_key(Grid(unit), key) is None


@pytest.mark.parametrize("unit", get_args(Unit))
def test_the_example_is_a_key(unit: Unit) -> None:
    assert parse_key(Grid(unit), example_key(Grid(unit))) is not None


def test_a_coarser_key_means_all_its_units() -> None:
    april = Interval(datetime(2026, 4, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC))
    assert parse_coarse_key(Grid("day"), "2026-04") == april
    assert parse_coarse_key(Grid("hour"), "2026-04") == april
    assert parse_coarse_key(Grid("month"), "2026-04-07") is None


def test_weeks_of_the_iso_year() -> None:
    assert parse_key(Grid("week"), "2026-W01") == Interval(
        datetime(2025, 12, 29, tzinfo=UTC), datetime(2026, 1, 5, tzinfo=UTC)
    )
