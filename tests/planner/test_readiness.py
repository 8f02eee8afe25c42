"""Whether the inputs of slices are there."""

from hypothesis import given
from hypothesis import strategies as st
from tests.planner.making import DAILY, day, days, model, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.readiness import Readiness, Upstream, readiness
from lamina.values.grid import Grid
from lamina.values.interval import WHOLE, Interval, merge
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
    return readiness(child, (wanted,), upstream={PARENT: standing})


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


@given(st.sets(st.integers(1, 9)), st.sets(st.integers(1, 9)), st.integers(0, 3))
def test_readiness_against_every_single_slice(built: set[int], failed: set[int], window: int) -> None:
    child = model("sales.week", inputs=(use("sales.daily", by="day", window_days=window),), strategy=DAILY)
    spans = {name: merge(tuple(days(number) for number in found)) for name, found in (("b", built), ("f", failed))}
    found = state(child, days(1, 9), parent(*spans["b"], failed=spans["f"]))
    for number in range(1, 10):
        needed = set(range(max(1, number - window), number + 1))
        expected = "blocked" if needed & failed else "ready" if needed <= built else "waiting"
        sets = {"blocked": found.blocked, "ready": found.ready, "waiting": found.waiting}
        inside = [name for name, item in sets.items() if any(span.start <= day(number) < span.end for span in item)]
        assert inside == [expected]
