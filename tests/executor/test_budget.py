"""Budgets of runs: what is beyond one is held for later runs, refused where no run could do it, and never lost."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any, Literal

import pytest
from tests.simulation import project as designs
from tests.simulation.actions import Run
from tests.simulation.engine import look, run_engine
from tests.simulation.faults import Process
from tests.simulation.invariants import check_current
from tests.simulation.project import Design, Project
from tests.simulation.world import World, open_world

from lamina.executor import step
from lamina.project.limits import BudgetSettings
from lamina.values.names import ModelName
from lamina.values.result import Materialization, RunResult

ROWS = ModelName("mart.rows")
READER = ModelName("mart.reader")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with two rows of each of five days, of which nothing is built."""
    rows = Design(ROWS, "rows", ("raw.events",), batch_size=1, is_budgeted=True)
    world = open_world(tmp_path / "lamina.db", Project((rows, Design(READER, "totals", (ROWS,)))))
    for day in range(5):
        made = tuple((*row[:-1], 5) for row in world.new_rows("raw.events", day=day, count=2, seed=day))
        world.commit("raw.events", (*world.rows("raw.events"), *made), is_append=True)
    world.now += timedelta(days=2)
    return world


@pytest.fixture
def budget(monkeypatch: pytest.MonkeyPatch) -> Any:
    def allow(**limits: object) -> None:
        monkeypatch.setattr(designs, "BUDGET", BudgetSettings(on_breach="stop").replace(**limits))

    return allow


def run(world: World, action: Run | None = None) -> RunResult:
    result = run_engine(world, Process(), action=action or Run())
    world.wall += timedelta(seconds=120)
    assert isinstance(result, RunResult), result
    return result


def built(result: RunResult) -> Materialization:
    return next(item for item in result.materializations if item.model == ROWS)


def days_of(result: RunResult) -> list[str]:
    return [f"{span.start:%d}-{span.end:%d}" for span in built(result).intervals]


def seen(result: RunResult) -> list[tuple[str, int, int, bool]]:
    return [(item.limit, item.allowed, item.observed, item.stopped) for item in result.budget_breaches]


def test_slices_beyond_a_budget_are_built_by_later_runs(world: World, budget: Any) -> None:
    budget(max_slices=2)
    first = run(world)
    assert (first.status, first.exit_code, days_of(first)) == ("success", 0, ["01-03"])
    assert seen(first) == [("max_slices", 2, 5, True)]
    assert [(item.start, item.end) for item in first.pending if item.model == ROWS] == [
        ("2026-01-03T00:00:00Z", "2026-01-06T00:00:00Z")
    ]
    assert "left to the next run: `max_slices` allows 2 in one run" in first.pending[-1].reason
    assert [days_of(run(world)) for _ in range(3)] == [["03-05"], ["05-06"], []]
    check_current(world)


def test_status_says_what_the_next_run_leaves(world: World, budget: Any) -> None:
    budget(max_slices=2)
    _, status = look(world)[ROWS]
    assert [f"{span.start:%d}-{span.end:%d}" for span in status.stale] == ["01-03"]


def test_slices_that_were_asked_for_stay_requested_beyond_a_budget(world: World, budget: Any) -> None:
    budget(max_slices=9)
    run(world)
    budget(max_slices=2)
    assert days_of(run(world, Run(flag="force"))) == ["01-03"]
    assert [days_of(run(world)) for _ in range(3)] == [["03-05"], ["05-06"], []]


def test_a_rebuild_beyond_a_budget_is_held_and_its_readers_keep_what_is_there(world: World, budget: Any) -> None:
    budget(max_slices=9)
    run(world)
    budget(max_slices=2)
    world.project = world.project.edited(ROWS, 1)
    before = world.pointers()
    held = run(world)
    assert {item.model: item.status for item in held.materializations} == {ROWS: "held", READER: "skipped"}
    assert (held.exit_code, world.pointers()) == (0, before)
    world.project = world.project.unguarded()
    run(world)
    check_current(world)


def test_a_batch_that_would_pass_the_rows_of_a_run_waits_for_the_next(world: World, budget: Any) -> None:
    budget(max_rows_written=5)
    first = run(world)
    assert (days_of(first), built(first).rows_written) == (["01-03"], 4)
    assert seen(first) == [("max_rows_written", 5, 6, True)]
    assert [days_of(run(world)) for _ in range(3)] == [["03-05"], ["05-06"], []]
    check_current(world)


def test_no_batch_is_begun_when_the_rows_of_a_run_are_written(world: World, budget: Any) -> None:
    budget(max_rows_written=4)
    assert seen(run(world)) == [("max_rows_written", 4, 4, True)]


def test_a_batch_that_no_run_could_publish_fails(world: World, budget: Any) -> None:
    budget(max_rows_written=1)
    result = run(world)
    failed = built(result)
    assert (failed.status, failed.failure_kind) == ("failed", "data_rejected")
    assert failed.error is not None
    assert (failed.error.code, failed.error.message) == (
        "L612",
        "`mart.rows`: one batch has 2 rows, and `max_rows_written` allows 1 in one run",
    )
    assert {item.model: item.status for item in result.materializations}[READER] == "blocked"
    budget(max_rows_written=100)
    assert days_of(run(world)) == ["01-06"]
    check_current(world)


def test_no_batch_is_begun_after_the_longest_duration(
    world: World, budget: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget(max_duration="1m")

    def clock() -> Iterator[float]:
        now = 0.0
        while True:
            yield now
            now += 10

    ticks = clock()
    monkeypatch.setattr(step, "monotonic", lambda: next(ticks))
    first = run(world)
    assert days_of(first) != ["01-06"]
    assert [item.limit for item in first.budget_breaches] == ["max_duration"]
    assert "left to the next run: `max_duration` allows 1 min 00 s in one run" in first.pending[-1].reason
    monkeypatch.setattr(step, "monotonic", lambda: 0.0)
    run(world)
    check_current(world)


def test_a_budget_that_only_warns_lets_everything_be_built(world: World, budget: Any) -> None:
    budget(max_slices=2, max_rows_written=3, on_breach="warn")
    result = run(world)
    assert days_of(result) == ["01-06"]
    assert seen(result) == [("max_slices", 2, 5, False), ("max_rows_written", 3, 10, False)]


def test_a_table_that_reads_itself_is_built_in_order_up_to_its_budget(world: World, budget: Any) -> None:
    world.project = Project((Design(ROWS, "running", ("raw.events",), is_budgeted=True),))
    budget(max_slices=2)
    assert [days_of(run(world)) for _ in range(4)] == [["01-03"], ["03-05"], ["05-06"], []]
    check_current(world)


def test_rows_of_a_table_that_reads_itself_are_counted_over_its_slices(world: World, budget: Any) -> None:
    world.project = Project((Design(ROWS, "running", ("raw.events",), is_budgeted=True),))
    budget(max_rows_written=5)
    first = run(world)
    assert days_of(first)[0].startswith("01-")
    assert first.pending[-1].end == "2026-01-06T00:00:00Z"
    for _ in range(9):
        run(world)
    check_current(world)


def test_a_lookback_alone_does_not_use_a_run_up(world: World, budget: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Design(ROWS, "rows", ("raw.events",), batch_size=1, is_budgeted=True, lookback=2)
    world.project = Project((rows,))
    budget(max_duration="1m")
    run(world)
    world.now += timedelta(days=2)
    times = count(step=100)
    monkeypatch.setattr(step, "monotonic", lambda: next(times))
    assert [days_of(run(world)) for _ in range(3)] == [["04-07"], ["05-08"], []]


def test_rows_of_a_lookback_leave_a_new_slice_without_rows_to_the_same_run(world: World, budget: Any) -> None:
    world.project = Project((Design(ROWS, "rows", ("raw.events",), batch_size=1, is_budgeted=True, lookback=2),))
    budget(max_rows_written=100)
    run(world)
    budget(max_rows_written=4)
    world.now += timedelta(days=1)
    assert [days_of(run(world)) for _ in range(2)] == [["04-07"], []]


def test_a_new_slice_that_has_no_room_beside_a_lookback_fails(world: World, budget: Any) -> None:
    world.project = Project((Design(ROWS, "rows", ("raw.events",), batch_size=1, is_budgeted=True, lookback=2),))
    budget(max_rows_written=100)
    run(world)
    budget(max_rows_written=5)
    made = tuple((*row[:-1], 5) for row in world.new_rows("raw.events", day=5, count=2, seed=5))
    world.commit("raw.events", (*world.rows("raw.events"), *made), is_append=True)
    world.now += timedelta(days=1)
    failed = built(run(world))
    assert failed.error is not None
    assert (failed.status, failed.error.code, failed.error.message) == (
        "failed",
        "L612",
        "`mart.rows`: one batch has 2 rows after 4 that a lookback wrote again, and `max_rows_written` allows 5 in one "
        "run",
    )
    budget(max_rows_written=6)
    assert days_of(run(world)) == ["04-07"]
    check_current(world)


@pytest.mark.parametrize("flag", [None, "full_refresh"])
def test_a_rebuild_of_slice_after_slice_goes_on_in_later_runs(
    world: World, budget: Any, flag: Literal["full_refresh"] | None
) -> None:
    world.project = Project((Design(ROWS, "running", ("raw.events",), batch_size=1, is_budgeted=True),))
    budget(max_slices=9)
    run(world)
    budget(max_slices=2)
    if flag is None:
        world.project = world.project.edited(ROWS, 1)
    assert days_of(run(world, Run(flag=flag))) == ["01-03"]
    assert [days_of(run(world)) for _ in range(3)] == [["03-05"], ["05-06"], []]
    check_current(world)
