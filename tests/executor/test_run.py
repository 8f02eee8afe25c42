"""Whole runs of the real engine over rows in memory: what a run must never do to a table, run after run."""

from datetime import timedelta
from pathlib import Path

import pytest
from tests.simulation.algebra import Relation
from tests.simulation.engine import run_engine
from tests.simulation.faults import Process
from tests.simulation.project import Design, Project
from tests.simulation.world import World, open_world

from lamina.values.names import TableName
from lamina.values.result import RunResult

TAKEN = TableName("mart.taken")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with one model over a source of a few rows."""
    world = open_world(tmp_path / "lamina.db", Project((Design(TAKEN, "totals", ("raw.events",)),)))
    world.commit("raw.events", world.new_rows("raw.events", day=1, count=3, seed=1), is_append=True)
    return world


def run_once(world: World) -> RunResult:
    result = run_engine(world, Process())
    world.wall += timedelta(seconds=120)
    assert isinstance(result, RunResult), result
    return result


def test_an_unmarked_table_is_refused_by_every_run(world: World) -> None:
    world.lake.commit(TAKEN, Relation(("id",), ((42,),)), "append")
    for _ in range(3):
        result = run_once(world)
        assert (result.status, result.exit_code) == ("failure", 1)
        table = world.lake.table(TAKEN)
        assert table is not None
        assert table.head.relation.rows == ((42,),)


def test_i4_a_second_run_with_nothing_new_changes_no_table(world: World) -> None:
    assert run_once(world).tables_built == 1
    before = world.lake.table(TAKEN)
    assert run_once(world).status == "nothing_to_do"
    assert world.lake.table(TAKEN) == before


def test_i10_a_failing_model_blocks_only_what_reads_it(world: World) -> None:
    reader, other = Design("mart.reader", "totals", (TAKEN,)), Design("mart.other", "totals", ("raw.events",))
    world.project = Project((*world.project.designs, reader, other))
    world.lake.commit(TAKEN, Relation(("id",), ((42,),)), "append")
    result = run_once(world)
    statuses = {item.model: item.status for item in result.materializations}
    assert statuses == {TAKEN: "failed", "mart.reader": "blocked", "mart.other": "completed"}
    assert (result.status, result.exit_code) == ("partial", 2)
