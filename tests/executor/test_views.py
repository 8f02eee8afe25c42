"""A view of the catalog: defined once for each version, never over a table, replaced in one moment by one."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from tests.simulation.algebra import Expression, Read
from tests.simulation.engine import drop_engine, run_engine
from tests.simulation.faults import Process, SimulatedCrash, once_at
from tests.simulation.models import simulated_graph, simulated_model
from tests.simulation.project import SOURCES, Design, Project
from tests.simulation.world import World, open_world

from lamina.compiler.graph import Graph
from lamina.errors import LaminaError
from lamina.project.strategy import FullRefresh, Strategy, View
from lamina.values.facts import CatalogView
from lamina.values.names import CommitId, Fingerprint, ModelName, TableName
from lamina.values.result import DropResult, RunResult
from lamina.warehouse.catalog.port import stage_of

A, V = TableName("mart.a"), TableName("mart.v")


class Viewed(Project, frozen=True):
    """A project with a model beside the others, which is a view or a table; `edition` is what an edit changes."""

    strategy: Strategy | None = View()
    edition: int = 0

    def compile(self, *, compiler: int = 0) -> tuple[Graph, dict[Fingerprint, Expression]]:
        """Return the graph of the designs with the view in it."""
        graph, queries = super().compile(compiler=compiler)
        if self.strategy is None:
            return graph, queries
        query = Read(str(A), ("key", "amount") if self.edition == 0 else ("key",))
        model = simulated_model(str(V), query, strategy=self.strategy, start=None)
        models = (*graph.models, model)
        return simulated_graph(models, SOURCES), {**queries, model.fingerprint: query}


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with a table and a view of it, neither of them built."""
    world = open_world(tmp_path / "lamina.db", Viewed((Design(A, "daily", ("raw.events",)),)))
    world.commit("raw.events", world.new_rows("raw.events", day=1, count=2, seed=1), is_append=True)
    return world


def run(world: World) -> RunResult:
    result = run_engine(world, Process())
    assert isinstance(result, RunResult)
    return result


def statuses(result: RunResult) -> dict[str, str]:
    return {item.model: item.status for item in result.materializations}


def defined(world: World) -> CatalogView | None:
    return world.lake.views().get(V)


def test_a_view_is_defined_after_what_it_reads_and_then_left_alone(world: World) -> None:
    assert statuses(run(world)) == {A: "completed", V: "completed"}
    first = defined(world)
    assert first is not None
    assert (first.project, first.model) == ("simulation", V)
    assert world.lake.stages() == ()
    assert statuses(run(world)) == {A: "skipped", V: "skipped"}
    assert defined(world) == first


def test_new_rows_are_no_reason_to_define_a_view_again(world: World) -> None:
    run(world)
    first = defined(world)
    world.commit("raw.events", world.new_rows("raw.events", day=2, count=2, seed=2), is_append=True)
    world.now += timedelta(days=2)
    assert statuses(run(world)) == {A: "completed", V: "skipped"}
    assert defined(world) == first


def test_a_changed_query_replaces_the_view(world: World) -> None:
    run(world)
    first = defined(world)
    world.project = world.project.replace(edition=1)
    result = run(world)
    assert statuses(result) == {A: "skipped", V: "completed"}
    second = defined(world)
    assert first is not None
    assert second is not None
    assert (second.pointer, second.definition) != (first.pointer, first.definition)
    assert statuses(run(world))[V] == "skipped"


def test_a_view_waits_for_a_table_that_is_not_built(world: World) -> None:
    world.lake.broken["raw.events"] = "listing"
    result = run(world)
    (line,) = (item for item in result.materializations if item.model == V)
    assert (line.status, line.reason) == ("waiting", "`mart.a` is not built yet")
    assert defined(world) is None


def test_a_table_is_never_replaced_by_a_view(world: World) -> None:
    world.project = world.project.replace(strategy=FullRefresh())
    assert statuses(run(world))[V] == "completed"
    pointer = world.lake.pointer(V)
    world.project = world.project.replace(strategy=View())
    (line,) = (item for item in run(world).materializations if item.model == V)
    assert line.status == "failed"
    assert "`lamina drop mart.v`" in line.reason
    assert world.lake.pointer(V) == pointer
    dropped = drop_engine(world, str(V))
    assert isinstance(dropped, DropResult)
    assert statuses(run(world))[V] == "completed"
    assert defined(world) is not None


def test_a_table_takes_the_place_of_our_view_with_its_first_rows(world: World) -> None:
    run(world)
    world.project = world.project.replace(strategy=FullRefresh())
    assert statuses(run(world))[V] == "completed"
    assert defined(world) is None
    assert world.lake.table(V) is not None
    assert statuses(run(world))[V] == "skipped"


@pytest.mark.parametrize("strategy", [View(), FullRefresh()])
def test_a_view_of_another_owner_is_left_alone(world: World, strategy: Strategy) -> None:
    pointer = world.lake.define(CommitId("x"), CatalogView(pointer="", project="other", environment="prod", model="b"))
    with world.lake.catalog.writing() as transaction:
        world.lake.catalog.register(transaction, V, pointer=pointer)
        world.lake.catalog.drop(transaction, stage_of(CommitId("x")))
    world.project = world.project.replace(strategy=strategy)
    (line,) = (item for item in run(world).materializations if item.model == V)
    assert line.status == "failed"
    assert "`alias`" in line.reason
    found = defined(world)
    assert found is not None
    assert found.pointer == pointer
    assert isinstance(drop_engine(world, str(V)), LaminaError)


@pytest.mark.parametrize("point", ["intent.after", "stage.after"])
def test_a_view_that_was_not_put_in_its_place_is_defined_by_the_next_run(world: World, point: str) -> None:
    run(world)
    first = defined(world)
    world.project = world.project.replace(edition=1)
    process = Process()
    with pytest.raises(SimulatedCrash):
        run_engine(world, process, hook=once_at(point, 1, process.die))
    assert defined(world) == first
    world.wall += timedelta(days=1)  # the lease of the dead run has expired
    assert statuses(run(world))[V] == "completed"
    assert defined(world) != first
    assert world.lake.stages() == ()


def test_the_view_of_a_model_that_was_removed_stays_until_it_is_dropped(world: World) -> None:
    run(world)
    world.project = world.project.replace(strategy=None)
    run(world)
    assert defined(world) is not None
    dropped = drop_engine(world, "v")
    assert isinstance(dropped, DropResult)
    assert "nothing is lost" in dropped.loss
    assert defined(world) is None


def test_a_dropped_view_comes_back_by_a_run(world: World) -> None:
    run(world)
    dropped = drop_engine(world, str(V))
    assert isinstance(dropped, DropResult)
    assert "defines the view again" in dropped.loss
    assert defined(world) is None
    run(world)
    assert defined(world) is not None
    with closing(world.open_store()) as store:
        assert set(store.view(world.environment).models) == {ModelName(A)}
