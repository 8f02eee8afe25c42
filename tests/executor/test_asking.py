"""What was requested and failed is requested again, and stays requested until it is built."""

from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from tests.simulation.actions import Flag, Run
from tests.simulation.engine import ENVIRONMENT, run_engine
from tests.simulation.faults import Process, SimulatedCrash, once_at
from tests.simulation.oracle import BEGIN
from tests.simulation.project import POISON, Design, Project
from tests.simulation.world import World, open_world

from lamina.state.port import StateView
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ModelName
from lamina.values.result import Materialization, RunResult

DAILY, WHOLE_TABLE = ModelName("mart.daily"), ModelName("mart.whole")
DAY = Interval(BEGIN + timedelta(days=1), BEGIN + timedelta(days=2))
LAX = (
    Design(DAILY, "daily", ("raw.events",), batch_size=1),
    Design(WHOLE_TABLE, "joined", ("raw.events", "raw.names")),
)
STRICT = tuple(design.replace(is_checked=True) for design in LAX)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world in which everything is built, and then a forced build meets a check it cannot pass."""
    world = open_world(tmp_path / "lamina.db", Project(LAX))
    for day in range(3):
        world.commit("raw.events", world.new_rows("raw.events", day=day, count=2, seed=day), is_append=True)
    (row,) = world.new_rows("raw.events", day=1, count=1, seed=9)
    world.commit("raw.events", (*world.rows("raw.events"), (*row[:-1], POISON)), is_append=True)
    world.commit("raw.names", ((row[2], 1),), is_append=True)
    run(world)
    world.project = Project(STRICT)
    found = run(world, flag="force")
    assert {found[DAILY].status, found[WHOLE_TABLE].status} == {"failed"}
    return world


def run(world: World, *, dies_at: str | None = None, flag: Flag | None = None) -> dict[str, Materialization]:
    process = Process()
    hook = None if dies_at is None else once_at(dies_at, 1, process.die)
    result = None
    with suppress(SimulatedCrash):
        result = run_engine(world, process, action=Run(flag=flag), hook=hook)
    assert process.is_dead == (dies_at is not None)
    world.wall += timedelta(seconds=120)
    return {item.model: item for item in result.materializations} if isinstance(result, RunResult) else {}


def view(world: World) -> StateView:
    with closing(world.open_store()) as store:
        return store.view(ENVIRONMENT)


@pytest.mark.parametrize("point", ["request.after", "recover.after", "intent.after", "stage.after", "prepare.after"])
def test_i1_a_retry_that_dies_before_it_publishes_is_done_by_the_next_run(world: World, point: str) -> None:
    world.project = Project(LAX)
    run(world, flag="retry", dies_at=point)
    assert view(world).requests == {DAILY: (DAY,), WHOLE_TABLE: (WHOLE,)}

    found = run(world)

    assert (found[DAILY].status, found[DAILY].intervals) == ("completed", (DAY,))
    assert found[DAILY].reason.startswith("requested: 2026-01-02")
    assert (found[WHOLE_TABLE].status, found[WHOLE_TABLE].reason.split(";")[0]) == ("completed", "requested")


def test_what_was_built_is_not_requested_any_more(world: World) -> None:
    world.project = Project(LAX)
    run(world, flag="retry")
    assert view(world).requests == {}
    assert {item.status for item in run(world).values()} == {"skipped"}


def test_a_retry_that_fails_again_is_reported_by_every_run_and_tried_by_none(world: World) -> None:
    run(world, flag="retry")
    before = view(world)
    assert before.requests == {DAILY: (DAY,), WHOLE_TABLE: (WHOLE,)}

    found = run(world)

    for name in (DAILY, WHOLE_TABLE):
        assert found[name].status == "failed"
        assert f"or when code, settings or data change, or with `lamina retry {name}`" in found[name].reason
    assert view(world) == before


def test_attempts_add_up_over_passes_and_the_rest_doubles(world: World) -> None:
    failing = [run(world, flag="retry")[DAILY].failing]
    for _ in range(2):
        world.now = next(item.next_try for item in failing[-1:] if item is not None and item.next_try is not None)
        failing.append(run(world)[DAILY].failing)
        assert failing[-1] == run(world)[DAILY].failing, "it is not tried before its time"
    failing.append(run(world, flag="retry")[DAILY].failing)
    assert [item.attempts for item in failing if item is not None] == [2, 3, 4, 5]
    assert len({item.first_failed_at for item in failing if item is not None}) == 1
    rests = [item.next_try - world.now for item in failing[-2:] if item is not None and item.next_try is not None]
    assert rests == [timedelta(hours=8), timedelta(hours=16)]


def test_attempts_start_again_once_it_was_built(world: World) -> None:
    run(world, flag="retry")
    world.project = Project(LAX)
    run(world)
    world.project = Project(STRICT)
    failing = run(world, flag="force")[DAILY].failing
    assert failing is not None
    assert failing.attempts == 1


def test_a_retry_that_failed_again_is_done_once_its_cause_is_fixed(world: World) -> None:
    run(world, flag="retry")
    world.project = Project(LAX)
    assert {item.status for item in run(world).values()} == {"completed"}
    assert (view(world).requests, view(world).failures) == ({}, ())
