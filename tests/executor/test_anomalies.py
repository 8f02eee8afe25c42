"""Batches that are unlike the ones before: reported or refused, and never lost."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from tests.simulation.actions import Run
from tests.simulation.engine import ENVIRONMENT, run_engine
from tests.simulation.faults import Process
from tests.simulation.invariants import check_consumed, check_current
from tests.simulation.project import Design, Project
from tests.simulation.world import World, open_world

from lamina.executor.anomalies import AnomalyStopped
from lamina.values.anomaly import Anomaly
from lamina.values.batch import BatchSize
from lamina.values.diagnostic import Place
from lamina.values.names import ModelName, TableName
from lamina.values.result import RunResult

TOTALS = ModelName("mart.totals")
READER = ModelName("mart.reader")


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world with a table of days and one that reads it; ten rows of each day are built."""
    designs = (Design(TOTALS, "rows", ("raw.events",), is_guarded=True), Design(READER, "totals", (TOTALS,)))
    world = open_world(tmp_path / "lamina.db", Project(designs))
    for day in range(3):
        arrive(world, day, 10)
    assert run(world).status == "success"
    return world


def arrive(world: World, day: int, count: int) -> None:
    # The query leaves out rows of small amounts.
    made = tuple((*row[:-1], 5) for row in world.new_rows("raw.events", day=day, count=count, seed=day))
    world.commit("raw.events", (*world.rows("raw.events"), *made), is_append=True)


def run(world: World) -> RunResult:
    result = run_engine(world, Process())
    world.wall += timedelta(seconds=120)
    assert isinstance(result, RunResult), result
    return result


def rows_of(world: World, name: ModelName) -> int:
    table = world.lake.table(TableName(name))
    assert table is not None
    return len(table.head.relation.rows)


def next_day(world: World, count: int) -> None:
    arrive(world, 3, count)
    world.now += timedelta(days=1)


def test_a_day_like_others_is_published_without_a_word(world: World) -> None:
    next_day(world, 8)
    result = run(world)
    assert (result.status, result.anomalies, rows_of(world, TOTALS)) == ("success", (), 38)


def test_an_anomaly_that_is_to_be_reported_is_published(world: World) -> None:
    world.project = world.project.unguarded()
    next_day(world, 2)
    result = run(world)
    assert [(item.model, item.observed, item.baseline, item.stopped) for item in result.anomalies] == [
        (TOTALS, 2, 10, False)
    ]
    assert (result.status, rows_of(world, TOTALS)) == ("success", 32)


def test_a_stopped_anomaly_publishes_nothing_and_blocks_its_readers(world: World) -> None:
    next_day(world, 2)
    before = world.pointers()
    result = run(world)
    statuses = {item.model: (item.status, item.failure_kind) for item in result.materializations}
    assert statuses == {TOTALS: ("failed", "data_rejected"), READER: ("blocked", None)}
    assert (result.status, result.exit_code, world.pointers()) == ("failure", 1, before)
    assert [item.stopped for item in result.anomalies] == [True]
    failed = next(item for item in result.materializations if item.model == TOTALS)
    assert failed.error is not None
    assert (failed.error.code, failed.error.message) == (
        "L611",
        "`mart.totals`: 1 anomaly: 2 rows instead of about 10 in earlier batches (80% fewer; the threshold is 50%)",
    )


def test_a_stopped_anomaly_is_not_tried_again_as_long_as_nothing_changed(world: World) -> None:
    next_day(world, 2)
    run(world)
    again = run(world)
    assert (again.status, again.anomalies) == ("failure", ())


def test_what_was_stopped_is_built_when_the_threshold_is_lifted(world: World) -> None:
    next_day(world, 2)
    run(world)
    world.project = world.project.unguarded()
    result = run(world)
    assert ({item.status for item in result.materializations}, rows_of(world, TOTALS)) == ({"completed"}, 32)
    check_consumed(world)
    check_current(world)


def test_what_was_stopped_is_built_when_the_rows_are_right(world: World) -> None:
    next_day(world, 2)
    run(world)
    arrive(world, 3, 7)
    result = run(world)
    assert (result.status, result.anomalies, rows_of(world, TOTALS)) == ("success", (), 39)
    check_current(world)


def test_an_equal_result_counts_with_the_rows_that_its_query_gave(world: World) -> None:
    assert isinstance(result := run_engine(world, Process(), action=Run(flag="force")), RunResult)
    assert result.materializations[1].reason.endswith("the same rows as before, nothing written")
    with closing(world.open_store()) as store:
        sizes = [record.size for record in store.batches(ENVIRONMENT, TOTALS, limit=2)]
    assert sizes == [BatchSize("replace_slices", is_partial=False, rows=rows) for rows in (10, 20)]


def test_a_stopped_anomaly_is_at_the_place_of_its_settings() -> None:
    found = Anomaly(TOTALS, "table_rows", 5, 500, 99.0, 50, stopped=True)
    error = AnomalyStopped((found, found), Place(file="models/mart/totals.toml", line=7))
    said = error.diagnostic()
    assert (said.file, said.line) == ("models/mart/totals.toml", 7)
    assert said.message.startswith("`mart.totals`: 2 anomalies: 5 rows in the table instead of 500 that it has")
