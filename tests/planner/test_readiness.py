"""Whether the inputs of slices are there."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.planner.making import DAILY, day, days, model, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.readiness import Readiness, Upstream, readiness
from lamina.values.grid import Grid, day_start
from lamina.values.interval import MAX, MIN, WHOLE, Interval, merge
from lamina.values.names import ModelName, TableName

PARENT = TableName("sales.daily")
CHILD = model("sales.week", inputs=(use("sales.daily", by="day", window_days=2),), strategy=DAILY)


def parent(
    *built: Interval, failed: tuple[Interval, ...] = (), waiting: tuple[Interval, ...] = (), unit: str = "day"
) -> Upstream:
    return Upstream(
        name=ModelName(PARENT),
        grid=Grid("month") if unit == "month" else Grid("day"),
        start=day(1),
        end=None,
        due=days(1, 9),
        built=built,
        failed=failed,
        waiting=waiting,
        failing=(ModelName("raw.broken"),) if failed else (),
    )


def state(child: CompiledModel, wanted: Interval, standing: Upstream) -> Readiness:
    return readiness(child, (wanted,), upstream={PARENT: standing}, execution_time=day(10))


def test_a_slice_waits_for_what_its_window_reads() -> None:
    found = state(CHILD, days(1, 9), parent(days(1, 4), days(6, 9)))
    assert found.waiting == (days(5, 7),)
    assert found.ready == (days(1, 4), days(8, 9))
    assert found.waits_for == (ModelName(PARENT),)


def test_what_lies_before_the_parents_start_is_not_needed() -> None:
    assert state(CHILD, days(1), parent(days(1))).ready == (days(1),)


def test_a_failed_range_blocks_who_reads_it_though_an_older_version_is_there() -> None:
    found = state(CHILD, days(1, 9), parent(days(1, 9), failed=(days(3),)))
    assert found.blocked == (days(3, 5),)
    assert found.blocked_by == ("raw.broken",)
    assert found.ready == (days(1, 2), days(6, 9))


def test_a_parent_that_cannot_be_written_blocks_every_reader_before_anything_of_it_is_due() -> None:
    exact = model("sales.week", inputs=(use("sales.daily", by="day"),), strategy=DAILY)
    found = state(exact, days(1, 9), parent(failed=(Interval(MIN, MAX),)).replace(due=None))
    assert found.blocked == (days(1, 9),)


def test_a_coarser_parent_must_have_the_whole_unit() -> None:
    found = state(CHILD, days(3), parent(days(1, 20), unit="month"))
    assert found.waiting == (days(3),)


def test_an_unfinished_slice_needs_the_parent_up_to_its_end_only() -> None:
    ragged = Interval(day(9), day(9, hour=6))
    assert state(CHILD, ragged, parent(Interval(day(1), day(9, hour=6)))).ready == (ragged,)
    assert state(CHILD, ragged, parent(Interval(day(1), day(9, hour=5)))).waiting == (ragged,)


def test_loose_readiness_is_order_only_and_still_blocked_by_failures() -> None:
    loose = model("sales.week", inputs=CHILD.inputs, strategy=DAILY, readiness="cron")
    assert state(loose, days(1, 9), parent(days(1))).ready == (days(1, 9),)
    assert state(loose, days(1, 9), parent(days(1), failed=(days(9),))).blocked == (days(9),)


def test_a_whole_table_needs_every_due_slice_but_not_waiting_ones() -> None:
    whole = model("sales.top", inputs=(use("sales.daily"),))
    assert state(whole, WHOLE, parent(days(1, 9))).ready == (WHOLE,)
    assert state(whole, WHOLE, parent(days(1, 8))).waiting == (WHOLE,)
    assert state(whole, WHOLE, parent(days(1, 8), waiting=(days(9),))).ready == (WHOLE,)
    assert state(whole, WHOLE, parent(days(1, 9), failed=(days(2),))).blocked == (WHOLE,)
    assert state(whole, WHOLE, parent(waiting=(days(1, 9),))).waiting == (WHOLE,)


def test_a_model_that_reads_its_own_past_stops_at_the_first_unready_slice() -> None:
    itself = model("sales.week", inputs=(*CHILD.inputs, use("sales.week", by="day", window_days=1)), strategy=DAILY)
    found = state(itself, days(1, 9), parent(days(1, 4), days(6, 9)))
    assert found.ready == (days(1, 4),)
    assert found.waiting == (days(5, 9),)


@pytest.mark.parametrize("last", [date(2026, 3, 29), date(2026, 10, 25)])
@pytest.mark.parametrize("minutes", [-30, 0, 30])
def test_a_source_of_dates_is_there_up_to_midnight_of_the_zone(last: date, minutes: int) -> None:
    zone = "Europe/Stockholm"
    start, begin, over = (day_start(zone, last + timedelta(days=number)) for number in (-5, 0, 1))
    dates = use("raw.orders", by="day", ahead_days=1, of_dates=True)
    child = model("sales.later", inputs=(dates,), strategy=DAILY, timezone=zone)
    now = over + timedelta(minutes=minutes)
    found = readiness(child, (Interval(start, over),), upstream={}, execution_time=now)
    # The day before the last one reads the last one, which is over at midnight, however long it was.
    first = begin if minutes >= 0 else day_start(zone, last - timedelta(days=1))
    assert found.waiting == (Interval(first, over),)


AHEAD = model("sales.later", inputs=(use("sales.daily", by="day", ahead_days=2),), strategy=DAILY)
LATER = model("sales.later", inputs=(use("raw.orders", by="day", ahead_days=2),), strategy=DAILY)


def test_a_slice_that_reads_ahead_waits_until_its_input_is_there() -> None:
    found = state(AHEAD, days(1, 9), parent(days(1, 9)).replace(next_due=day(11)))
    assert found.ready == (days(1, 7),)
    assert found.waiting == (days(8, 9),)
    assert found.waits_for == (PARENT,)
    assert found.ahead_seconds == 2 * 86400
    assert found.until == day(11)
    later = state(AHEAD, days(9), parent(days(1, 9)).replace(next_due=day(11)))
    assert later.until == day(12)


def test_what_lies_after_the_parents_end_is_not_needed() -> None:
    assert state(AHEAD, days(1, 9), parent(days(1, 9)).replace(end=day(10))).ready == (days(1, 9),)


def test_a_source_is_there_up_to_now_and_not_further() -> None:
    found = readiness(LATER, (days(1, 9),), upstream={}, execution_time=day(10, hour=6))
    assert found.ready == (days(1, 7),)
    assert found.waiting == (days(8, 9),)
    assert (found.waits_for, found.until) == (("raw.orders",), day(11))
    assert readiness(LATER, (days(8),), upstream={}, execution_time=day(11)).ready == (days(8),)


def test_an_unfinished_slice_that_reads_ahead_waits() -> None:
    ragged = Interval(day(9), day(9, hour=6))
    assert readiness(LATER, (ragged,), upstream={}, execution_time=day(9, hour=6)).waiting == (ragged,)
    assert state(AHEAD, ragged, parent(days(1, 9))).waiting == (ragged,)


def test_loose_readiness_does_not_wait_for_later_rows() -> None:
    loose = model("sales.later", inputs=LATER.inputs, strategy=DAILY, readiness="cron")
    assert readiness(loose, (days(1, 9),), upstream={}, execution_time=day(10)).ready == (days(1, 9),)


@pytest.mark.parametrize("last", [date(2026, 3, 29), date(2026, 10, 25)])
def test_dates_ahead_are_days_of_the_zone_when_clocks_change(last: date) -> None:
    zone = Grid("day", "Europe/Stockholm")
    start, begin, over = (day_start(zone.zone, last + timedelta(days=number)) for number in (-5, 0, 1))
    dates = use("sales.daily", by="day", ahead_days=1, of_dates=True)
    child = model("sales.later", inputs=(dates,), strategy=DAILY, timezone=zone.zone)
    built = Upstream(
        name=ModelName(PARENT),
        grid=zone,
        start=start,
        end=None,
        due=Interval(start, over),
        built=(Interval(start, over),),
    )
    found = readiness(child, (Interval(start, over),), upstream={PARENT: built}, execution_time=over)
    assert found.waiting == (Interval(begin, over),)


@given(st.sets(st.integers(1, 9)), st.sets(st.integers(1, 9)), st.integers(0, 3), st.integers(0, 3))
def test_readiness_against_every_single_slice(built: set[int], failed: set[int], window: int, ahead: int) -> None:
    reads = use("sales.daily", by="day", window_days=window, ahead_days=ahead)
    child = model("sales.week", inputs=(reads,), strategy=DAILY)
    spans = {name: merge(tuple(days(number) for number in found)) for name, found in (("b", built), ("f", failed))}
    found = state(child, days(1, 9), parent(*spans["b"], failed=spans["f"]))
    for number in range(1, 10):
        needed = set(range(max(1, number - window), number + ahead + 1))
        expected = "blocked" if needed & failed else "ready" if needed <= built else "waiting"
        sets = {"blocked": found.blocked, "ready": found.ready, "waiting": found.waiting}
        inside = [name for name, item in sets.items() if any(span.start <= day(number) < span.end for span in item)]
        assert inside == [expected]
