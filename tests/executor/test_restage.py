"""A table that moves while a batch is built: no change of rows is followed, any other ends the batch."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from tests.simulation.algebra import Relation
from tests.simulation.engine import run_engine
from tests.simulation.faults import Process, once_at
from tests.simulation.project import Design, Project
from tests.simulation.world import World, open_world

from lamina.values.names import TableName
from lamina.values.result import Materialization, RunResult

TOTAL = TableName("mart.total")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world whose one model is built, and stale again."""
    world = open_world(tmp_path / "lamina.db", Project((Design(TOTAL, "totals", ("raw.events",)),)))
    world.commit("raw.events", world.new_rows("raw.events", day=1, count=3, seed=1), is_append=True)
    run_engine(world, Process())
    world.wall += timedelta(seconds=120)
    more = world.new_rows("raw.events", day=2, count=3, seed=2)
    world.commit("raw.events", (*world.rows("raw.events"), *more), is_append=True)
    return world


def run_while(world: World, act: Callable[[], None]) -> Materialization:
    """Run, and let someone act when the batch is about to be published."""
    result = run_engine(world, Process(), hook=once_at("prepare.after", 1, act))
    assert isinstance(result, RunResult), result
    (done,) = result.materializations
    return done


@pytest.mark.parametrize("way", ["compaction", "property"])
def test_a_move_without_a_change_of_rows_is_followed(world: World, way: str) -> None:
    act = {"compaction": world.lake.compact, "property": world.lake.set_property}[way]
    done = run_while(world, lambda: act(TOTAL))
    assert done.status == "completed"
    table = world.lake.table(TOTAL)
    assert table is not None
    total = sum(int(str(row[table.head.relation.place("n")])) for row in table.head.relation.rows)
    assert total == sum(1 for row in world.rows("raw.events") if int(str(row[-1])) > 0)


def test_a_write_by_someone_else_is_left_to_the_next_run(world: World) -> None:
    table = world.lake.table(TOTAL)
    assert table is not None
    theirs = Relation(table.head.relation.columns, (("z", 1, 1),))
    done = run_while(world, lambda: world.lake.commit(TOTAL, theirs, "overwrite"))
    assert (done.status, done.failure_kind) == ("failed", "conflict")
    now = world.lake.table(TOTAL)
    assert now is not None
    assert now.head.relation == theirs


def test_a_table_that_is_dropped_meanwhile_is_a_conflict(world: World) -> None:
    done = run_while(world, lambda: world.lake.drop(TOTAL))
    assert (done.status, done.failure_kind) == ("failed", "conflict")
