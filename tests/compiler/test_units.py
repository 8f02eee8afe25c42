"""Which units lie in which, against the calendar itself."""

import doctest
from datetime import UTC, date, datetime, timedelta
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from lamina.compiler.slices import units
from lamina.compiler.slices.units import LINE, is_whole_in, nests
from lamina.values.grid import day_start

UNITS = (*(unit for unit in LINE if unit != "instant"), "week")
MINUTES = {"minute": 1, "5 minutes": 5, "15 minutes": 15, "30 minutes": 30}


def cut(unit: str, at: datetime) -> datetime:
    """Cut an instant to a unit, in UTC."""
    if unit == "second":
        return at.replace(microsecond=0)
    if unit in MINUTES:
        return at.replace(minute=at.minute - at.minute % MINUTES[unit], second=0, microsecond=0)
    if unit == "hour":
        return at.replace(minute=0, second=0, microsecond=0)
    day = at.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "week":
        return day - timedelta(days=day.weekday())
    months = {"day": (day.month, day.day), "month": (day.month, 1), "quarter": (day.month - (day.month - 1) % 3, 1)}
    month, number = months.get(unit, (1, 1))
    return day.replace(month=month, day=number)


@given(
    st.datetimes(min_value=datetime(2000, 1, 1), max_value=datetime(2040, 1, 1), timezones=st.just(UTC)),
    st.sampled_from(UNITS),
    st.sampled_from(UNITS),
)
def test_a_time_cut_to_a_nested_unit_stays_in_its_outer_unit(at: datetime, inner: str, outer: str) -> None:
    if nests(inner, outer):
        assert cut(outer, cut(inner, at)) == cut(outer, at)


def test_units_that_do_not_nest_part_somewhere() -> None:
    step = timedelta(hours=5, minutes=7, seconds=13)
    for inner, outer in product(UNITS, UNITS):
        if not nests(inner, outer):
            times = (datetime(2026, 1, 1, tzinfo=UTC) + step * number for number in range(4_000))
            assert any(cut(outer, cut(inner, at)) != cut(outer, at) for at in times), (inner, outer)


@given(
    st.dates(min_value=date(1970, 1, 1), max_value=date(2040, 1, 1)),
    st.sampled_from(("Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe", "Europe/Berlin", "America/Sao_Paulo")),
    st.sampled_from(("second", "minute", "hour", "day")),
)
def test_a_midnight_begins_every_unit_that_is_whole_in_its_zone(day: date, zone: str, unit: str) -> None:
    midnight = day_start(zone, day)
    assert not is_whole_in(zone, unit) or cut(unit, midnight) == midnight


def test_only_some_units_are_whole_in_a_zone() -> None:
    assert [is_whole_in("Asia/Kathmandu", unit) for unit in ("minute", "hour", "day")] == [True, False, False]
    assert [is_whole_in("Australia/Lord_Howe", unit) for unit in ("minute", "hour")] == [True, False]
    assert [is_whole_in("America/Sao_Paulo", unit) for unit in ("hour", "week")] == [True, False]


def test_examples_hold() -> None:
    assert doctest.testmod(units).failed == 0
