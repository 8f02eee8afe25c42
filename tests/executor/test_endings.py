"""How runs end: an unforeseen error is recorded, the first failure ends a run that was asked to end there."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from threading import Event

import pytest
from tests.simulation.engine import ENVIRONMENT, run_engine
from tests.simulation.faults import Process, once_at
from tests.simulation.project import POISON, Design, Project
from tests.simulation.world import World, open_world

from lamina.errors import LaminaError
from lamina.executor.execute import Limits
from lamina.state.port import RunRecord
from lamina.values.codec import from_json
from lamina.values.interval import Interval
from lamina.values.result import RunResult

FAIL_FAST = Limits(threads=1, retries=0, is_fail_fast=True)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with two interval models of one day at a time, the first of which refuses poison."""
    designs = (
        Design("mart.a", "daily", ("raw.events",), batch_size=1, is_checked=True),
        Design("mart.b", "daily", ("raw.events",), batch_size=1),
    )
    world = open_world(tmp_path / "lamina.db", Project(designs))
    for day in range(3):
        world.commit("raw.events", world.new_rows("raw.events", day=day, count=2, seed=day), is_append=True)
    return world


def poison(world: World, *, day: int) -> None:
    (row,) = world.new_rows("raw.events", day=day, count=1, seed=9)
    world.commit("raw.events", (*world.rows("raw.events"), (*row[:-1], POISON)), is_append=True)


def last_run(world: World) -> RunRecord:
    with closing(world.open_store()) as store:
        return store.runs(ENVIRONMENT, limit=1)[0]


def statuses(result: RunResult | LaminaError) -> dict[str, str]:
    assert isinstance(result, RunResult), result
    return {item.model: item.status for item in result.materializations}


def built(result: RunResult | LaminaError, model: str) -> tuple[Interval, ...]:
    assert isinstance(result, RunResult), result
    return next(item.intervals for item in result.materializations if item.model == model)


@pytest.mark.parametrize("place", ["recover.after", "finish.before"])
def test_an_unforeseen_error_outside_steps_closes_the_run_and_frees_the_lease(world: World, place: str) -> None:
    def break_down() -> None:
        raise ZeroDivisionError("by chance")

    with pytest.raises(ZeroDivisionError):
        run_engine(world, Process(), hook=once_at(place, 1, break_down))
    run = last_run(world)
    assert (run.status, run.finished_at) == ("failure", world.wall)
    assert run.result is not None
    (reported,) = from_json(run.result, RunResult).diagnostics
    assert (reported.code, reported.message) == ("L698", "ZeroDivisionError: by chance")
    with closing(world.open_store()) as store:
        assert store.current_lease(ENVIRONMENT) is None


def test_a_keyboard_interrupt_closes_the_run_as_interrupted(world: World) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_engine(world, Process(), hook=once_at("recover.after", 1, interrupt))
    assert last_run(world).status == "interrupted"


def test_a_second_interrupt_leaves_the_step_and_still_answers_for_the_run(world: World) -> None:
    stop = Event()

    def interrupt_twice() -> None:
        stop.set()
        raise KeyboardInterrupt

    result = run_engine(world, Process(), hook=once_at("stage.after", 4, interrupt_twice), stop=stop)
    assert isinstance(result, RunResult)
    assert (result.status, result.exit_code, result.tables_built) == ("interrupted", 130, 1)
    assert statuses(result) == {"mart.a": "completed", "mart.b": "not_started"}
    assert last_run(world).status == "interrupted"
    again = run_engine(world, Process())
    assert statuses(again) == {"mart.a": "skipped", "mart.b": "completed"}


def test_the_first_failure_ends_the_batches_of_its_model_and_the_run(world: World) -> None:
    poison(world, day=1)
    result = run_engine(world, Process(), limits=FAIL_FAST)
    assert statuses(result) == {"mart.a": "failed", "mart.b": "not_started"}
    (first,) = built(result, "mart.a")
    assert (first.end - first.start).days == 1
    assert isinstance(result, RunResult)
    assert (result.status, result.exit_code) == ("partial", 2)


def test_without_fail_fast_the_other_batches_go_on(world: World) -> None:
    poison(world, day=1)
    result = run_engine(world, Process())
    assert statuses(result) == {"mart.a": "failed", "mart.b": "completed"}
    assert len(built(result, "mart.a")) == 2


def test_what_is_kept_back_since_an_earlier_run_does_not_end_a_run(world: World) -> None:
    poison(world, day=1)
    run_engine(world, Process(), limits=FAIL_FAST)
    world.wall += timedelta(seconds=120)
    result = run_engine(world, Process(), limits=FAIL_FAST)
    assert statuses(result) == {"mart.a": "failed", "mart.b": "completed"}
