"""What a failure does to the readers of what failed, in the run it happens in and in those that follow."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.simulation.engine import run_engine
from tests.simulation.faults import Process
from tests.simulation.oracle import BEGIN
from tests.simulation.project import POISON, Design, Project
from tests.simulation.world import World, open_world

from lamina.values.interval import Interval
from lamina.values.result import Materialization, RunResult

DESIGNS = (
    Design("mart.daily", "daily", ("raw.events",), batch_size=1, is_checked=True),
    Design("mart.slices", "rows", ("mart.daily",), batch_size=1),
    Design("mart.whole", "totals", ("mart.daily",)),
    Design("mart.below", "totals", ("mart.whole",)),
    Design("mart.beside", "totals", ("raw.events",)),
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world in which everything is built, and then a poisoned row comes to a day."""
    world = open_world(tmp_path / "lamina.db", Project(DESIGNS))
    for day in range(3):
        world.commit("raw.events", world.new_rows("raw.events", day=day, count=2, seed=day), is_append=True)
    run_once(world)
    (row,) = world.new_rows("raw.events", day=1, count=1, seed=9)
    world.commit("raw.events", (*world.rows("raw.events"), (*row[:-1], POISON)), is_append=True)
    return world


def run_once(world: World) -> RunResult:
    result = run_engine(world, Process())
    world.wall += timedelta(seconds=120)
    assert isinstance(result, RunResult), result
    return result


def reported(result: RunResult) -> dict[str, Materialization]:
    return {item.model: item for item in result.materializations}


def test_readers_stay_blocked_as_long_as_what_they_read_has_failed(world: World) -> None:
    first, second = run_once(world), run_once(world)
    assert (first.exit_code, second.exit_code) == (2, 1)
    for result in (first, second):
        found = reported(result)
        assert found["mart.daily"].status == "failed"
        for name in ("mart.slices", "mart.whole", "mart.below"):
            assert (found[name].status, found[name].blocked_by) == ("blocked", ("mart.daily",)), found[name]
        assert result.tables_blocked == 3
    assert reported(first)["mart.beside"].status == "completed"
    assert reported(second)["mart.beside"].status == "skipped"


def test_slices_that_read_other_days_are_built_meanwhile(world: World) -> None:
    run_once(world)
    world.now += timedelta(days=1)
    found = reported(run_once(world))
    day = Interval(BEGIN + timedelta(days=3), BEGIN + timedelta(days=4))
    assert (found["mart.slices"].status, found["mart.slices"].intervals) == ("completed", (day,))
    assert found["mart.slices"].blocked_by == ("mart.daily",)
    assert found["mart.whole"].status == "blocked"


def test_fixed_rows_free_the_readers(world: World) -> None:
    run_once(world)
    sound = tuple(row for row in world.rows("raw.events") if row[-1] != POISON)
    world.commit("raw.events", sound, is_append=False)
    result = run_once(world)
    assert result.exit_code == 0
    assert {item.status for item in result.materializations} <= {"completed", "skipped"}


def test_a_check_that_is_taken_back_frees_the_model_and_its_readers(world: World) -> None:
    run_once(world)
    world.project = Project((DESIGNS[0].replace(is_checked=False), *DESIGNS[1:]))
    result = run_once(world)
    assert result.exit_code == 0
    assert reported(result)["mart.daily"].status == "completed"
    assert {item.status for item in result.materializations} <= {"completed", "skipped"}
