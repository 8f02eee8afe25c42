"""Dropping a table: only one of ours, only if it is not read or `--force` is given, and with what is recorded of it."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.simulation.engine import ENVIRONMENT, drop_engine, run_engine
from tests.simulation.faults import Process
from tests.simulation.lake import bag
from tests.simulation.project import Design, Project
from tests.simulation.world import World, open_world

from lamina.errors import LaminaError, UsageError
from lamina.executor.drop import DropRefused
from lamina.values.names import ModelName, TableName
from lamina.values.result import DropResult, RunResult

A, B = TableName("mart.a"), TableName("mart.b")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with a model and its reader, both built."""
    designs = (Design(A, "daily", ("raw.events",)), Design(B, "daily", (A,)))
    world = open_world(tmp_path / "lamina.db", Project(designs))
    world.commit("raw.events", world.new_rows("raw.events", day=1, count=2, seed=1), is_append=True)
    run_engine(world, Process())
    return world


def drop(
    world: World, name: str, *, is_forced: bool = False, is_agreed: bool = True, project: str = "simulation"
) -> DropResult:
    result = drop_engine(world, name, is_forced=is_forced, is_agreed=is_agreed, project=project)
    if isinstance(result, LaminaError):
        raise result
    return result


def recorded(world: World) -> set[str]:
    with closing(world.open_store()) as store:
        return set(store.view(ENVIRONMENT).models)


def test_a_table_goes_with_its_record_and_comes_back_by_a_run(world: World) -> None:
    before = world.lake.table(B)
    dropped = drop(world, "b")
    assert (dropped.model, dropped.readers) == (B, ())
    assert "the next run builds it again" in dropped.loss
    assert world.lake.pointer(B) is None
    assert recorded(world) == {A}
    result = run_engine(world, Process())
    assert isinstance(result, RunResult)
    assert [item.model for item in result.materializations if item.status == "completed"] == [B]
    after = world.lake.table(B)
    assert before is not None
    assert after is not None
    assert bag(after.head.relation) == bag(before.head.relation)


def test_a_table_that_is_read_is_dropped_only_by_force(world: World) -> None:
    with pytest.raises(DropRefused, match=r"`mart.b` reads `mart.a`"):
        drop(world, "mart.a")
    assert world.lake.pointer(A) is not None
    assert drop(world, "mart.a", is_forced=True).readers == (B,)
    run_engine(world, Process())
    assert world.lake.pointer(A) is not None


def test_nothing_is_dropped_without_confirmation(world: World) -> None:
    with pytest.raises(DropRefused, match=r"`mart.b` is kept"):
        drop(world, "mart.b", is_agreed=False)
    assert recorded(world) == {A, B}


def test_a_table_of_another_project_is_never_dropped(world: World) -> None:
    with pytest.raises(DropRefused, match=r"belongs to model `mart.b` of project `simulation`"):
        drop(world, "mart.b", project="other")
    assert world.lake.pointer(B) is not None


def test_an_unmarked_table_is_never_dropped(world: World) -> None:
    rows = world.lake.table(B)
    assert rows is not None
    world.lake.drop(B)
    world.lake.commit(B, rows.head.relation, "append")
    with pytest.raises(DropRefused, match="was not written by lamina"):
        drop(world, "mart.b")
    assert world.lake.pointer(B) is not None


def test_a_table_whose_files_are_lost_is_dropped_by_its_record(world: World) -> None:
    pointer = world.lake.pointer(B)
    assert pointer is not None
    world.lake.lost[pointer] = "metadata"
    assert drop(world, "mart.b").model == B
    assert world.lake.pointer(B) is None


def test_a_table_of_a_model_that_left_the_project_is_dropped_by_its_record(world: World) -> None:
    world.project = Project(world.project.designs[:1])
    assert "no model of the project" in drop(world, "mart.b").loss
    assert recorded(world) == {ModelName(A)}


def test_what_is_not_there_is_not_dropped(world: World) -> None:
    with pytest.raises(UsageError, match=r"no model `mart.z`"):
        drop(world, "mart.z")
    drop(world, "mart.b")
    with pytest.raises(LaminaError, match=r"`mart.b` is not built"):
        drop(world, "mart.b")


@pytest.mark.parametrize("back", [None, 0])
def test_a_dropped_table_does_not_come_back_with_a_lost_file_or_an_older_copy(world: World, back: int | None) -> None:
    world.remember_file()
    drop(world, "mart.b")
    world.lose_file(back)
    assert set(world.pointers()) & {A, B} == {A}
    run_engine(world, Process())
    assert recorded(world) == {A, B}
    world.lose_file(None)
    assert world.pointers()[B]
