"""Failures over passes: what is remembered of them, what is tried again at once, and what a later pass says."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from tests.simulation.engine import ENVIRONMENT, look, run_engine
from tests.simulation.faults import Process
from tests.simulation.memory_warehouse import MemoryWarehouse
from tests.simulation.project import Design, Project
from tests.simulation.source_actions import Break, Repair
from tests.simulation.world import World, open_world

from lamina.values.facts import Failure
from lamina.values.names import ModelName
from lamina.values.result import Materialization, RunResult

DAILY = ModelName("mart.daily")
MINUTES = timedelta(minutes=1)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with one model that nothing was built of yet."""
    world = open_world(tmp_path / "lamina.db", Project((Design(DAILY, "daily", ("raw.files",), batch_size=9),)))
    world.put_file(world.new_rows("raw.files", day=1, count=2, seed=1))
    return world


def run(world: World) -> Materialization:
    result = run_engine(world, Process())
    assert isinstance(result, RunResult)
    world.wall += timedelta(seconds=120)
    return result.materializations[0]


def failures(world: World) -> tuple[Failure, ...]:
    with closing(world.open_store()) as store:
        return store.view(ENVIRONMENT).failures


def test_want_of_memory_rests_for_minutes_and_is_tried_again(world: World) -> None:
    Break("raw.files", "memory").happen(world)
    first = run(world)
    assert (first.status, first.failure_kind) == ("failed", "resources")
    assert first.failing is not None
    assert first.failing.next_try == world.now + 5 * MINUTES

    Repair("raw.files").happen(world)
    world.now += 4 * MINUTES
    resting = run(world)
    assert (resting.status, resting.error, resting.failing) == ("failed", None, first.failing)
    assert ", next try at 2026-01-04T02:05Z, or when code, settings or data change" in resting.reason

    world.now += MINUTES
    assert run(world).status == "completed"
    assert failures(world) == ()


def test_status_says_how_often_it_failed_and_when_it_is_tried_again(world: World) -> None:
    Break("raw.files", "memory").happen(world)
    run(world)
    world.now += 5 * MINUTES
    run(world)
    _, status = look(world)[DAILY]
    assert status.status == "failed"
    assert status.reason.startswith("failed 2 times since 2027-02-05T00:00Z, next try at 2026-01-04T02:15Z")
    assert status.failing is not None
    assert status.failing.attempts == 2


def test_what_is_tried_again_says_how_often_it_failed(world: World) -> None:
    Break("raw.files", "memory").happen(world)
    run(world)
    world.now += 5 * MINUTES
    _, status = look(world)[DAILY]
    assert (status.status, status.reason) == ("not_built", "first build; failed at 2027-02-05T00:00Z")
    assert status.failing is not None
    assert status.failing.attempts == 1


def test_other_rows_are_tried_at_once(world: World) -> None:
    Break("raw.files", "memory").happen(world)
    run(world)
    Repair("raw.files").happen(world)
    world.put_file(world.new_rows("raw.files", day=2, count=2, seed=2))
    assert run(world).status == "completed"


def test_what_may_be_well_in_the_next_run_leaves_nothing_behind(world: World) -> None:
    Break("raw.files", "rows").happen(world)
    found = run(world)
    assert (found.status, found.failure_kind, found.failing) == ("failed", "not_found", None)
    assert failures(world) == ()
    Repair("raw.files").happen(world)
    assert run(world).status == "completed"


def test_a_fault_of_lamina_is_not_repeated_in_every_pass(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    tries = []

    def crash(*_: object) -> None:
        tries.append(1)
        raise RuntimeError("out of ideas")

    with monkeypatch.context() as broken:
        broken.setattr(MemoryWarehouse, "stage", crash)
        first = run(world)
        assert first.error is not None
        assert first.error.code == "L698"
        again = run(world)
    assert (len(tries), again.status) == (1, "failed")
    assert "RuntimeError: out of ideas" in again.reason
    assert [(item.kind, item.attempts) for item in failures(world)] == [("internal", 1)]
    world.now += 5 * MINUTES
    assert run(world).status == "completed"
