"""Verification over rows in memory: every range is compared with the versions it was built from."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from tests.simulation.engine import ENVIRONMENT, run_engine
from tests.simulation.faults import Process
from tests.simulation.memory_warehouse import MemoryWarehouse
from tests.simulation.project import POISON, Design, Project
from tests.simulation.world import World, open_world

from lamina.executor.observe import look, sources_of
from lamina.executor.runtime import Runtime
from lamina.executor.verify import verify_model
from lamina.values.names import ModelName, TableName
from lamina.values.result import ModelVerdict

DESIGNS = (
    Design("mart.daily", "daily", ("raw.events",), batch_size=1, is_checked=True),
    Design("mart.total", "totals", ("raw.events",), is_checked=True),
)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """A world whose models are built, and stale since: a poisoned row made their next build fail."""
    world = open_world(tmp_path / "lamina.db", Project(DESIGNS))
    for day in range(3):
        world.commit("raw.events", world.new_rows("raw.events", day=day, count=2, seed=day), is_append=True)
    run_engine(world, Process())
    (row,) = world.new_rows("raw.events", day=1, count=1, seed=9)
    world.commit("raw.events", (*world.rows("raw.events"), (*row[:-1], POISON)), is_append=True)
    world.wall += timedelta(seconds=120)
    run_engine(world, Process())
    yield world
    world.lake.connection.close()


def verify(world: World, name: str) -> ModelVerdict:
    graph, _ = world.compile()
    with closing(world.open_store()) as store:
        runtime = Runtime(
            store=store,
            warehouse=MemoryWarehouse(world.lake, graph, world.queries),
            clock=lambda: world.wall,
            new_id=lambda: "c",
            emit=lambda event: None,
            environment=ENVIRONMENT,
            project="simulation",
        )
        seen = look(runtime, graph, sources=sources_of(graph, graph.models), execution_time=world.now)
        return verify_model(runtime, graph.model(ModelName(name)), seen)


@pytest.mark.parametrize("name", ["mart.daily", "mart.total"])
def test_a_stale_range_is_compared_with_what_it_was_built_from(world: World, name: str) -> None:
    found = verify(world, name)
    assert (found.status, found.reason) == ("equal", "")
    table = world.lake.table(TableName(name))
    assert table is not None
    assert found.rows_actual == found.rows_expected == len(table.head.relation.rows)


def test_versions_that_are_gone_leave_the_stale_ranges_out(world: World) -> None:
    world.lake.expire(TableName("raw.events"), keep=1)
    found = verify(world, "mart.daily")
    assert (found.status, found.reason) == ("equal", "1 range not compared: stale, the next run builds them")
    assert verify(world, "mart.total").status == "unverifiable"


def test_a_difference_in_a_stale_range_is_found(world: World) -> None:
    table = world.lake.table(TableName("mart.daily"))
    assert table is not None
    world.write_foreign(TableName("mart.daily"), table.head.relation.rows[:-1])
    found = verify(world, "mart.daily")
    assert (found.status, found.missing, found.extra) == ("different", 1, 0)
