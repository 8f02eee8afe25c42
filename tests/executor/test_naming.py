"""A table gets the name that its model says: what stays, what a crash leaves, and what is refused."""

from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.simulation.actions import Run
from tests.simulation.engine import drop_engine, look, run_engine
from tests.simulation.faults import Process, SimulatedCrash, once_at
from tests.simulation.project import Design, Project
from tests.simulation.world import World, forget_state, open_world

from lamina.errors import LaminaError
from lamina.state.port import StateView
from lamina.values.names import ModelName, TableName
from lamina.values.result import DropResult, RenamedTable, RunResult

A, B = "m.a", "m.b"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with a model and its reader, both built."""
    designs = (Design(A, "daily", ("raw.events",)), Design(B, "daily", (A,)))
    world = open_world(tmp_path / "lamina.db", Project(designs))
    world.commit("raw.events", world.new_rows("raw.events", day=1, count=2, seed=1), is_append=True)
    run_engine(world, Process())
    return world


def ran(world: World, action: Run | None = None) -> RunResult:
    result = run_engine(world, Process(), action=action or Run())
    assert isinstance(result, RunResult), result
    return result


def built(result: RunResult) -> list[str]:
    return [item.model for item in result.materializations if item.status == "completed"]


def recorded(world: World) -> StateView:
    with closing(world.open_store()) as store:
        return store.view(world.environment)


def rename(world: World, name: str, table: str) -> None:
    world.project = world.project.renamed(name, table)


def test_only_the_name_changes(world: World) -> None:
    before, state = world.pointers()[TableName(A)], recorded(world)
    rename(world, A, "m.new")
    result = ran(world)
    assert (result.status, built(result)) == ("success", [])
    assert result.renamed == (RenamedTable(model=A, before=A, after="m.new"),)
    assert world.pointers()[TableName("m.new")] == before
    assert A not in world.pointers()
    after = recorded(world)
    assert (after.models, after.touches) == (state.models, state.touches)
    assert ran(world).status == "nothing_to_do"


def test_new_rows_reach_the_reader_under_the_new_name(world: World) -> None:
    rename(world, A, "m.new")
    world.commit(
        "raw.events", (*world.rows("raw.events"), *world.new_rows("raw.events", day=1, count=1, seed=2)), is_append=True
    )
    result = ran(world)
    assert built(result) == [A, B]
    assert {verdict.status for verdict, _ in look(world).values()} == {"equal"}


def test_a_selected_run_renames_what_it_reads(world: World) -> None:
    rename(world, A, "m.new")
    result = ran(world, Run(models=(1,)))
    assert [item.model for item in result.renamed] == [A]
    assert result.status == "success"


def test_until_a_run_the_table_is_not_compared(world: World) -> None:
    rename(world, A, "m.new")
    verdict, standing = look(world)[ModelName(A)]
    assert (verdict.status, verdict.reason) == (
        "unverifiable",
        "its table is still called `m.a`; the next run renames it",
    )
    assert standing.status == "current"


@pytest.mark.parametrize("failpoint", ["plan.after", "rename.after", "finish.before"])
def test_a_run_that_dies_leaves_the_table_under_one_name(world: World, failpoint: str) -> None:
    rename(world, A, "m.new")
    process = Process()
    with suppress(SimulatedCrash):
        run_engine(world, process, hook=once_at(failpoint, 1, process.die))
    assert len({A, "m.new"} & set(world.pointers())) == 1
    world.wall = world.wall.replace(year=world.wall.year + 1)
    assert built(ran(world)) == []
    assert {A, "m.new"} & set(world.pointers()) == {"m.new"}


def test_i3_a_lost_state_finds_the_table_under_either_name(world: World) -> None:
    rename(world, A, "m.new")
    forget_state(world.path)
    assert built(ran(world)) == []
    forget_state(world.path)
    assert built(ran(world)) == []
    assert "m.new" in world.pointers()


def test_drop_takes_the_models_own_table_under_its_old_name(world: World) -> None:
    rename(world, A, B)  # the two swap their names
    dropped = drop_engine(world, A)
    assert isinstance(dropped, DropResult)
    assert dropped.table == A
    assert set(world.placed()) == {B}


def test_a_table_that_has_the_name_is_neither_dropped_nor_built_over(world: World) -> None:
    strange = TableName("m.strange")
    world.lake.commit(strange, world.lake.archive[int(recorded(world).models[ModelName(A)].position or 0)], "append")
    pointer = world.pointers()[strange]
    rename(world, A, strange)
    for how in ("metadata", None):
        world.lake.lost = {pointer: "metadata"} if how else {}
        result = ran(world, Run(flag="accept_loss"))
        assert {item.model: item.status for item in result.materializations} == {A: "failed", B: "blocked"}
        assert world.pointers()[strange] == pointer
    dropped = drop_engine(world, A)
    assert isinstance(dropped, DropResult | LaminaError)
    assert world.pointers()[strange] == pointer
