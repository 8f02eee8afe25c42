"""Verification over rows in memory: every range is compared with the versions it was built from."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Literal

import pytest
from tests.simulation.engine import ENVIRONMENT, run_engine
from tests.simulation.faults import Process
from tests.simulation.memory_warehouse import MemoryWarehouse
from tests.simulation.project import POISON, Design, Project
from tests.simulation.world import PROJECT, World, open_world

from lamina.executor.observe import look, sources_of
from lamina.executor.runtime import Runtime
from lamina.executor.verify import unproven, verify_model
from lamina.values.coverage import Coverage
from lamina.values.names import ModelName, TableName
from lamina.values.result import ModelVerdict, Verdict, VerdictCounts, VerifyResult, counted_verdicts, verified
from lamina.warehouse.port import Comparison

DESIGNS = (
    Design("mart.daily", "daily", ("raw.events",), batch_size=1, is_checked=True),
    Design("mart.total", "totals", ("raw.events",), is_checked=True),
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    """A world whose models are built, and stale since: a poisoned row made their next build fail."""
    world = open_world(tmp_path / "lamina.db", Project(DESIGNS))
    for day in range(3):
        world.commit("raw.events", world.new_rows("raw.events", day=day, count=2, seed=day), is_append=True)
    run_engine(world, Process())
    (row,) = world.new_rows("raw.events", day=1, count=1, seed=9)
    world.commit("raw.events", (*world.rows("raw.events"), (*row[:-1], POISON)), is_append=True)
    world.wall += timedelta(seconds=120)
    run_engine(world, Process())
    return world


def verify(world: World, name: str, *, sample: int | None = None) -> ModelVerdict:
    graph, _ = world.compile()
    with closing(world.open_store()) as store:
        runtime = Runtime(
            store=store,
            warehouse=MemoryWarehouse(world.lake, graph, world.queries),
            clock=lambda: world.wall,
            new_id=lambda: "c",
            emit=lambda event: None,
            environment=ENVIRONMENT,
            project=PROJECT,
            compiling=world.compiling(),
        )
        seen = look(runtime, graph, sources=sources_of(graph, graph.models), execution_time=world.now)
        return verify_model(runtime, graph.model(ModelName(name)), seen, sample=sample)


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
    assert found.status == "equal"
    assert found.reason == "1 range not compared: stale; the next run builds what is due"
    assert verify(world, "mart.total").status == "unverifiable"


def test_a_difference_in_a_stale_range_is_found(world: World) -> None:
    table = world.lake.table(TableName("mart.daily"))
    assert table is not None
    world.write_foreign(TableName("mart.daily"), table.head.relation.rows[:-1])
    found = verify(world, "mart.daily")
    assert (found.status, found.missing, found.extra) == ("different", 1, 0)


@pytest.mark.parametrize(
    ("passed", "said"), [("raw.events", "changes in `raw.events`"), ("mart.total", "another writer")]
)
def test_rows_that_differ_beside_what_was_let_pass_are_counted_and_shown(world: World, passed: str, said: str) -> None:
    model = world.compile()[0].model(ModelName("mart.total"))
    coverage = Coverage(not_followed=(TableName(passed),))
    found = Comparison(rows_expected=3, rows_actual=2, missing=2, extra=1, examples=("missing: a",))

    shown = unproven(model, coverage, found)

    assert (shown.missing, shown.extra, shown.examples) == (2, 1, ("missing: a",))
    assert said in str(shown.unverifiable)
    assert "2 missing rows and 1 extra row, but it is not proven" in str(shown.unverifiable)
    assert unproven(model, Coverage(), found) == found


@pytest.mark.parametrize("what", ["metadata", "rows"])
def test_a_table_with_lost_files_fails_and_the_others_are_compared(
    world: World, what: Literal["metadata", "rows"]
) -> None:
    pointer = world.lake.pointer(TableName("mart.total"))
    assert pointer is not None
    world.lake.lost[pointer] = what
    found = verify(world, "mart.total")
    assert found.status == "failed"
    assert "`lamina run -s mart.total --full-refresh`; `lamina drop mart.total` removes it" in found.reason
    assert verify(world, "mart.daily").status == "equal"


def test_the_exit_code_of_verify_says_that_a_table_is_lost() -> None:
    statuses: tuple[Verdict, ...] = ("equal", "failed", "unverifiable")
    equal, failed, other = (ModelVerdict(model=status, status=status) for status in statuses)
    assert _result(equal, other).exit_code == 0
    assert _result(equal, failed).exit_code == 2
    assert _result(other, failed).exit_code == 1
    assert _result(failed).status == "failed"


def _result(*models: ModelVerdict) -> VerifyResult:
    return VerifyResult(status=verified(models), models=models)


def test_i11_nothing_that_could_be_compared_is_a_failure_only_where_it_is_asked_to_be() -> None:
    models = (ModelVerdict(model="m", status="unverifiable"),)
    counts = counted_verdicts(models)
    assert counts == VerdictCounts(unverifiable=1)
    found = VerifyResult(status=verified(models), models=models, counts=counts)
    assert (found.exit_code, found.replace(is_strict=True).exit_code) == (0, 1)


def test_a_sample_says_how_much_it_compared(world: World) -> None:
    found, whole = verify(world, "mart.daily", sample=1), verify(world, "mart.total", sample=1)
    assert (found.status, found.reason) == ("equal", "a sample: 3 of 3 slices")
    assert (whole.status, whole.reason) == ("equal", "")
