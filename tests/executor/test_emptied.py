"""A source whose listing came back empty: its readers wait, nothing else does, until files come or it is accepted."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.simulation.actions import Flag, Restore, Run
from tests.simulation.engine import run_engine
from tests.simulation.faults import Process
from tests.simulation.project import FILES, Design, Project
from tests.simulation.source_actions import Vanish
from tests.simulation.world import World, open_world

from lamina.executor.emptied import SourceEmptied
from lamina.values.names import TableName
from lamina.values.result import RunResult

DESIGNS = (
    Design("mart.daily", "daily", ("raw.files",)),
    Design("mart.whole", "joined", ("raw.files", "raw.names")),
    Design("mart.below", "daily", ("mart.daily",)),
    Design("mart.other", "daily", ("raw.events",)),
)
READERS = {"mart.daily": "failed", "mart.whole": "failed", "mart.below": "blocked"}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world in which everything is built, and a run after which there is a copy of the state."""
    world = open_world(tmp_path / "lamina.db", Project(DESIGNS))
    arrive(world, day=1)
    world.commit("raw.names", (("a", 1), ("b", 1), ("c", 1)), is_append=True)
    world.commit("raw.events", world.new_rows("raw.events", day=1, count=2, seed=7), is_append=True)
    run(world)
    return world


def arrive(world: World, *, day: int) -> None:
    world.put_file(world.new_rows("raw.files", day=day, count=2, seed=day))


def run(world: World, *, flag: Flag | None = None, models: tuple[int, ...] | None = None) -> RunResult:
    world.remember_file()
    result = run_engine(world, Process(), action=Run(flag=flag, models=models))
    assert isinstance(result, RunResult)
    world.wall += timedelta(seconds=120)
    return result


def statuses(result: RunResult) -> dict[str, str]:
    return {item.model: item.status for item in result.materializations}


def rows(world: World, name: str) -> int:
    metadata = world.lake.table(TableName(name))
    assert metadata is not None
    return len(metadata.head.relation.rows)


def test_i10_an_empty_listing_blocks_its_readers_and_no_others(world: World) -> None:
    before = rows(world, "mart.daily")
    Vanish().happen(world)
    world.commit("raw.events", world.new_rows("raw.events", day=2, count=2, seed=8), is_append=True)
    result = run(world)
    assert statuses(result) == {**READERS, "mart.other": "completed"}
    assert (result.status, result.exit_code) == ("partial", 2)
    (found,) = result.diagnostics
    assert (found.code, found.name) == (SourceEmptied.code, "SourceEmptied")
    assert "--accept-empty" in (found.hint or "")
    assert rows(world, "mart.daily") == before > 0


def test_files_that_come_back_need_no_consent(world: World) -> None:
    files = dict(world.files())
    Vanish().happen(world)
    run(world)
    world.lake.folders[FILES.location] = files
    assert set(statuses(run(world)).values()) == {"skipped"}


def test_an_accepted_empty_listing_empties_its_readers_once(world: World) -> None:
    Vanish().happen(world)
    result = run(world, flag="accept_empty")
    assert {name for name, status in statuses(result).items() if status == "completed"} == set(READERS)
    assert [rows(world, name) for name in READERS] == [0, 0, 0]
    assert set(statuses(run(world)).values()) == {"skipped"}


def test_what_one_run_accepted_other_readers_build_later(world: World) -> None:
    Vanish().happen(world)
    assert statuses(run(world, flag="accept_empty", models=(0,))) == {"mart.daily": "completed"}
    found = statuses(run(world))
    assert (found["mart.whole"], found["mart.below"]) == ("completed", "completed")


def test_a_source_that_empties_again_is_asked_about_again(world: World) -> None:
    Vanish().happen(world)
    run(world, flag="accept_empty")
    arrive(world, day=2)
    assert statuses(run(world))["mart.daily"] == "completed"
    Vanish().happen(world)
    assert statuses(run(world))["mart.daily"] == "failed"


def test_i10_an_older_state_that_knows_the_source_as_empty_is_not_believed(world: World) -> None:
    Vanish().happen(world)
    run(world, flag="accept_empty")
    arrive(world, day=2)
    run(world)
    Restore(0).happen(world)  # as it was when the empty source had been accepted
    Vanish().happen(world)
    assert statuses(run(world))["mart.daily"] == "failed"
    assert rows(world, "mart.daily") > 0


def test_a_source_that_never_held_files_is_empty(tmp_path: Path) -> None:
    world = open_world(tmp_path / "lamina.db", Project(DESIGNS[:1]))
    assert statuses(run(world)) == {"mart.daily": "completed"}


def test_a_version_of_a_table_without_rows_is_data(world: World) -> None:
    world.commit("raw.events", (), is_append=False)
    assert statuses(run(world))["mart.other"] == "completed"
    assert rows(world, "mart.other") == 0
