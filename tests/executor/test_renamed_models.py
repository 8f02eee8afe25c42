"""A model gets another name: its table, what is recorded of it and its readers go on, and nothing is built again."""

from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.simulation.engine import drop_engine, look, run_engine
from tests.simulation.faults import Process, SimulatedCrash, once_at
from tests.simulation.project import Design, Project
from tests.simulation.world import World, forget_state, open_world

from lamina.errors import LaminaError
from lamina.state.port import StateView
from lamina.values.names import TableName
from lamina.values.plan import Rename
from lamina.values.result import DropResult, RenamedTable, RunResult

A, B, NOW = "m.a", "m.b", "m.now"


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with a model and its reader, both built, and rows in quarantine."""
    designs = (Design(A, "rows", ("raw.events",), edition=0, is_sorted=True), Design(B, "daily", (A,)))
    world = open_world(tmp_path / "lamina.db", Project(designs))
    world.commit("raw.events", world.new_rows("raw.events", day=1, count=9, seed=3), is_append=True)
    run_engine(world, Process())
    return world


def ran(world: World) -> RunResult:
    result = run_engine(world, Process())
    assert isinstance(result, RunResult), result
    return result


def built(result: RunResult) -> list[str]:
    return [item.model for item in result.materializations if item.status == "completed"]


def recorded(world: World) -> StateView:
    with closing(world.open_store()) as store:
        return store.view(world.environment)


def names(view: StateView) -> set[str]:
    inputs = {cursor.input for record in view.models.values() for cursor in record.coverage.cursors}
    read = {name for record in view.models.values() for logic in record.coverage.logics for name in logic.reads}
    return {*view.models, *view.touches, *view.promoted, *inputs, *read}


def test_table_and_records_move_and_nothing_is_built(world: World) -> None:
    before = world.lake.table(TableName(A))
    world.call(A, NOW)
    result = ran(world)
    assert (result.status, built(result)) == ("success", [])
    assert result.renamed[0] == RenamedTable(model=NOW, before=A, after=NOW)
    after = world.lake.table(TableName(NOW))
    assert before is not None
    assert before.head.relation.rows
    assert after is not None
    assert before.current == after.current
    assert after.mark is not None
    assert after.mark.model == NOW
    assert world.lake.table(TableName(A)) is None
    assert A not in names(recorded(world))
    assert ran(world).status == "nothing_to_do"


def test_new_rows_go_through_the_renamed_model_to_its_reader(world: World) -> None:
    world.call(A, NOW)
    rows = (*world.rows("raw.events"), *world.new_rows("raw.events", day=1, count=6, seed=2))
    world.commit("raw.events", rows, is_append=True)
    assert sorted(built(ran(world))) == [B, NOW]
    assert {verdict.status for verdict, _ in look(world).values()} == {"equal"}


def test_a_quarantine_moves_with_the_model(world: World) -> None:
    assert TableName(f"{A}__quarantine") in world.pointers()
    world.call(A, NOW)
    ran(world)
    assert {TableName(NOW), TableName(f"{NOW}__quarantine")} <= world.pointers().keys()
    assert TableName(f"{A}__quarantine") not in world.pointers()


def test_a_table_with_an_alias_keeps_its_name(world: World) -> None:
    world.project = world.project.renamed(A, "m.fixed")
    ran(world)
    world.call(A, NOW)
    result = ran(world)
    assert (built(result), result.renamed) == ([], ())
    assert TableName("m.fixed") in world.pointers()
    assert A not in names(recorded(world))


def test_the_plan_says_what_it_was_called(world: World) -> None:
    world.call(A, NOW)
    process = Process()
    run_engine(world, process)
    (plan,) = process.plans
    found = next(action for action in plan.actions if isinstance(action, Rename))
    assert (found.model, found.renamed_from, found.reason) == (NOW, A, "renamed from `m.a`; nothing is rebuilt")


@pytest.mark.parametrize("point", ["plan.after", "mark_again.after", "rename.after", "fold.after"])
def test_i1_a_crash_around_a_rename_builds_nothing_again(world: World, point: str) -> None:
    world.call(A, NOW)
    process = Process()
    with suppress(SimulatedCrash):
        run_engine(world, process, hook=once_at(point, 1, process.die))
    world.wall = world.wall.replace(year=world.wall.year + 1)
    assert built(ran(world)) == []
    assert A not in names(recorded(world))
    assert world.lake.table(TableName(NOW)) is not None


def test_i3_a_lost_state_finds_the_table_by_its_former_name(world: World) -> None:
    world.call(A, NOW)
    forget_state(world.path)
    assert built(ran(world)) == []
    assert TableName(NOW) in world.pointers()


def test_a_renamed_model_that_has_a_table_of_its_own_is_refused(world: World) -> None:
    world.project = Project((*world.project.designs, Design(NOW, "daily", ("raw.events",))))
    ran(world)
    world.project = Project((Design(NOW, "rows", ("raw.events",), edition=0, is_sorted=True, renamed_from=A),))
    world.lake.renamed[A] = NOW
    refused = run_engine(world, Process())
    assert isinstance(refused, LaminaError)
    assert refused.code == "L646"
    assert isinstance(drop_engine(world, NOW), DropResult)
    world.wall = world.wall.replace(year=world.wall.year + 1)
    assert ran(world).renamed[0] == RenamedTable(model=NOW, before=A, after=NOW)
    before = world.lake.table(TableName(NOW))
    world.lose_file(None)  # the note of the drop is about an earlier table of that name
    assert built(ran(world)) == []
    assert world.lake.table(TableName(NOW)) == before


def test_a_model_is_not_dropped_under_its_new_name_before_it_has_it(world: World) -> None:
    world.call(A, NOW)
    found = drop_engine(world, NOW)
    assert isinstance(found, LaminaError)
    assert found.code == "L647"


def test_a_former_name_that_never_had_a_table_is_noted(world: World) -> None:
    world.project = Project((*world.project.designs, Design("m.c", "daily", ("raw.events",), renamed_from="m.never")))
    process = Process()
    run_engine(world, process)
    (action,) = (item for item in process.plans[0].actions if item.model == "m.c")
    assert action.reason == "first build; no table of `m.never` is known, so none is renamed"
    assert ran(world).status == "nothing_to_do"
