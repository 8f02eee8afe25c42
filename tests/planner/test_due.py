"""What is due, missing and selected."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.planner.making import DAILY, built, day, days, model

from lamina.compiler.graph import CompiledModel
from lamina.errors import UsageError
from lamina.planner.due import (
    declared_end,
    due_range,
    effective_start,
    missing,
    next_release,
    read_instant,
    selected_range,
    selects_slices,
    tail_after_end,
    with_lookback,
)
from lamina.project.strategy import TimeInterval
from lamina.values.coverage import Coverage
from lamina.values.grid import Grid
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName
from lamina.values.plan import Selection

GRID = Grid("day")
NOW = day(8, hour=6)


def due(subject: CompiledModel, now: datetime = NOW, **flags: object) -> Interval | None:
    selection = Selection().replace(**flags)
    return due_range(subject, day(1), grid=GRID, execution_time=now, selection=selection)


def test_due_ends_with_the_last_whole_unit() -> None:
    assert due(model(strategy=DAILY)) == days(1, 7)


def test_due_ends_with_the_last_tick() -> None:
    assert due(model(strategy=DAILY, cron="0 7 * * *")) == days(1, 6)
    assert due(model(strategy=DAILY, cron="0 7 * * *"), ignore_cron=True) == days(1, 7)


def test_due_is_ragged_where_partials_are_allowed() -> None:
    subject = model(strategy=DAILY, cron="@hourly", allow_partials=True)
    assert due(subject, day(8, hour=6) + timedelta(minutes=30)) == Interval(day(1), day(8, hour=6))


def test_nothing_is_due_before_the_start() -> None:
    assert due(model(strategy=DAILY), day(1, hour=5)) is None
    assert due(model(strategy=DAILY), day(1, month=3)) is None


def test_an_end_written_as_a_date_includes_that_day() -> None:
    assert due(model(strategy=DAILY, end="2026-04-03")) == days(1, 3)
    zoned = model(strategy=DAILY, end="2026-04-03", timezone="Europe/Stockholm")
    assert declared_end(zoned, Grid("day", "Europe/Stockholm")) == day(3, hour=22)


def start_of(subject: CompiledModel, coverage: Coverage, *parents: datetime) -> datetime:
    return effective_start(subject, coverage, grid=GRID, parents=parents, execution_time=NOW)


def test_start_is_declared_else_recorded_else_the_parents_else_one_period_ago() -> None:
    recorded = Coverage(start=day(3).isoformat())
    assert start_of(model(strategy=DAILY, start="2026-04-02"), recorded, day(1)) == day(2)
    assert start_of(model(strategy=DAILY), recorded, day(1)) == day(3)
    assert start_of(model(strategy=DAILY), Coverage(), day(5), day(4)) == day(4)
    assert start_of(model(strategy=DAILY), Coverage()) == day(7)
    assert start_of(model(strategy=DAILY, cron="@weekly"), Coverage()) == datetime(2026, 3, 30, tzinfo=UTC)


def test_missing_ignores_a_unit_that_is_built_in_part() -> None:
    coverage = built(model(strategy=DAILY), days(1, 2), Interval(day(4), day(4, hour=9)))
    assert missing(coverage, days(1, 5), grid=GRID) == (days(3, 5),)


def test_missing_takes_the_ragged_end_of_what_is_due_as_a_unit() -> None:
    coverage = built(model(strategy=DAILY), Interval(day(1), day(3, hour=9)))
    assert missing(coverage, Interval(day(1), day(3, hour=9)), grid=GRID) == ()
    assert missing(coverage, Interval(day(1), day(3, hour=10)), grid=GRID) == (Interval(day(3), day(3, hour=10)),)


@given(st.sets(st.integers(1, 20)), st.integers(2, 21))
def test_missing_is_due_minus_built(numbers: set[int], last: int) -> None:
    coverage = built(model(strategy=DAILY), *merge(tuple(days(number) for number in numbers)))
    gaps = missing(coverage, days(1, last), grid=GRID)
    wanted = tuple(days(number) for number in range(1, last + 1) if number not in numbers)
    assert gaps == merge(wanted)


@given(st.sets(st.integers(1, 12), min_size=1), st.integers(1, 14), st.integers(0, 4))
def test_lookback_redoes_the_units_before_each_new_one(numbers: set[int], last: int, units: int) -> None:
    coverage = built(model(strategy=DAILY), *merge(tuple(days(number) for number in numbers)))
    gaps = missing(coverage, days(1, last), grid=GRID)
    again = with_lookback(coverage, gaps, due=days(1, last), grid=GRID, units=units)
    holes = {number for number in range(1, last + 1) if number not in numbers}
    newer = {number for number in holes if number > max(numbers)}
    redone = {number for new in newer for number in range(max(1, new - units), new + 1)}
    assert again == merge(tuple(days(number) for number in holes | redone))


def test_after_the_end_the_tail_is_redone_as_far_as_the_lookback_reaches() -> None:
    subject = model(strategy=DAILY, end="2026-04-05")

    def tail(built_on: int, now: int) -> tuple[Interval, ...]:
        coverage = Coverage(built=day(built_on, hour=1).isoformat())
        return tail_after_end(subject, coverage, grid=GRID, execution_time=day(now, hour=1), units=2)

    assert tail(5, 6) == ()
    assert tail(6, 6) == ()
    assert tail(6, 7) == (days(4, 5),)
    assert tail(7, 8) == (days(5),)
    assert tail(8, 9) == ()
    assert tail(6, 20) == (days(4, 5),)
    assert tail_after_end(model(strategy=DAILY), Coverage(), grid=GRID, execution_time=NOW, units=2) == ()


def chosen(end: datetime | None = None, /, **flags: object) -> Interval | None:
    selection = Selection().replace(**flags)
    assert selects_slices(selection)
    return selected_range(selection, grid=GRID, start=day(1), end=end, execution_time=NOW)


def test_selections_name_their_slices() -> None:
    assert chosen(partition="2026-04-03") == days(3)
    assert chosen(from_key="2026-04-03", to_key="2026-04-05") == days(3, 5)
    assert chosen(from_key="2026-04") == Interval(day(1), NOW)
    assert chosen(to_key="2026-04-02") == days(1, 2)
    assert chosen(is_latest=True) == Interval(day(8), NOW)
    assert chosen(lookback=2) == days(6, 7)
    assert chosen(lookback=2, partition="2026-04-05") == days(3, 5)
    assert chosen(lookback=10**9) == days(1, 7)


def test_after_the_end_the_last_slices_are_those_before_it() -> None:
    assert chosen(day(6), lookback=2) == days(4, 5)
    assert chosen(day(6), is_latest=True) == days(5)
    assert chosen(day(6), is_latest=True, lookback=1) == days(4, 5)
    assert chosen(day(6), from_key="2026-04-04") == days(4, 5)
    assert chosen(day(6), partition="2026-04-06") is None
    assert chosen(day(6), lookback=10**9) == days(1, 5)
    assert chosen(day(1), is_latest=True) is None
    # A unit that the end cuts is never finished.
    assert chosen(day(5, hour=12), lookback=1) == days(4)
    assert chosen(day(5, hour=12), is_latest=True) == Interval(day(5), day(5, hour=12))
    # An end that is still to come changes nothing.
    assert chosen(day(20), lookback=2) == days(6, 7)
    assert chosen(day(20), is_latest=True) == Interval(day(8), NOW)


def test_a_selection_outside_the_models_time_names_nothing() -> None:
    assert chosen(partition="2026-03-31") is None
    assert chosen(partition="2026-04-09") is None


@pytest.mark.parametrize("flags", [{"partition": "2026-4-3"}, {"partition": "2026-04"}, {"from_key": "april"}])
def test_a_wrong_key_is_refused_with_an_example(flags: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        chosen(**flags)
    assert "2026-04-07" in (caught.value.hint or "")


def test_a_range_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(UsageError):
        chosen(from_key="2026-04-05", to_key="2026-04-03")


def test_dates_are_local_and_times_are_utc() -> None:
    assert read_instant("2026-04-03", "Europe/Stockholm") == day(2, hour=22)
    assert read_instant("20260403", "UTC") == day(3)
    assert read_instant("2026-04-03T02:00:00", "Europe/Stockholm") == day(3, hour=2)
    assert read_instant("2026-04-03T02:00:00+02:00", "UTC") == day(3)


def test_next_release() -> None:
    assert next_release(model(strategy=DAILY), GRID, NOW) == day(9)
    assert next_release(model(cron="@hourly"), None, NOW) == day(8, hour=7)
    assert next_release(model(), None, NOW) is None


def test_months_of_a_zone() -> None:
    strategy = TimeInterval(time_column=ColumnName("day"), granularity="month")
    subject = model(strategy=strategy, timezone="Europe/Stockholm", start="2026-01-01")
    grid = Grid("month", "Europe/Stockholm")
    start = effective_start(subject, Coverage(), grid=grid, parents=(), execution_time=NOW)
    found = due_range(subject, start, grid=grid, execution_time=NOW, selection=Selection())
    assert found == Interval(datetime(2025, 12, 31, 23, tzinfo=UTC), datetime(2026, 3, 31, 22, tzinfo=UTC))
