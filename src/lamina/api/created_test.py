"""The verb that writes a unit test from current rows: a few of each input, and what the model gives for them."""

import os
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from lamina.api.opened import Opened
from lamina.api.unit_tests import broken_models, working
from lamina.compiler.graph import CompiledModel
from lamina.compiler.unit_tests.case import TrialRows, UnitCase
from lamina.compiler.unit_tests.inputs import needed_inputs
from lamina.compiler.unit_tests.resolve import resolve_tests
from lamina.compiler.unit_tests.text import unit_test_text, writable_columns
from lamina.errors import LaminaError, ProjectInvalid, UsageError
from lamina.executor.unit_tests import parameters_of, run_case
from lamina.planner.axis import grid_of
from lamina.planner.select import find_model, unknown_model
from lamina.project.unit_test import FOLDER
from lamina.project.unit_test_file import read_unit_test_file, read_unit_tests
from lamina.values.batch import Pin
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ModelName, TableName
from lamina.values.partition_key import example_key, parse_coarse_key
from lamina.values.tested import CreatedTest, UnitTestReport, report_of
from lamina.warehouse.spark.warehouse import SparkWarehouse

ROWS = 5  # of each input
_SETTABLE = ("as_of", "execution_time")


class UnitTestExists(LaminaError):
    """A unit test of this name is there already.

    Why: writing it again would lose what was changed in it by hand.
    Fix: rename or remove the old one.
    """

    code = "L650"

    def __init__(self, name: str, place: str) -> None:
        super().__init__(f"there is already a unit test `{name}`: `{place}`", hint="rename or remove it")


class RowsVary(LaminaError):
    """A model gave other rows for the same rows when it was run again.

    Why: a test of it would pass or fail by chance.
    Fix: write the test by hand, and list only columns that are always the same under `expect`.
    """

    code = "L651"

    def __init__(self, model: str) -> None:
        hint = "write the test by hand, with the columns that are always the same"
        super().__init__(f"`{model}` gives other rows each time it is run, so nothing was written", hint=hint)


def create_unit_test(project: Opened, name: str, *, partition: str | None) -> UnitTestReport:
    """Write a test that passes now; nothing is written where there is one of its name."""
    model = find_model(project.graph, name)
    if model is None:
        raise unknown_model(project.graph, name)
    broken = broken_models(project)
    if broken.reason(model.name) is not None:
        raise ProjectInvalid(tuple(item for item in project.graph.diagnostics if item.severity == "error"))
    span = _span(model, partition)
    title = _title(model.name, partition)
    file = f"{FOLDER}{model.name}.toml"
    _refuse_existing(project, title)
    now = datetime.now(UTC).replace(microsecond=0)
    fixed = {"execution_time": now.isoformat().replace("+00:00", "Z"), "as_of": now.date().isoformat()}
    parameters = {key: fixed[key] for key in _SETTABLE if key in model.reads_parameters or model.kind == "python"}
    with working(project, broken) as warehouse:
        given = _sampled(project, warehouse, model, span)

        def text_of(expect: TrialRows) -> str:
            return unit_test_text(
                title, model.name, partition=partition, parameters=parameters, given=given, expect=expect
            )

        draft = _case(project, file, text_of(TrialRows(columns=(), rows=())))
        trials = warehouse.trials()
        expect = writable_columns(trials.rows(draft, parameters_of(draft, now=now)))
        result = run_case(trials, _case(project, file, text_of(expect)), now=now)
    if result.status != "passed":
        raise RowsVary(model.name)
    line = _append(Path(project.root) / file, text_of(expect))
    created = CreatedTest(
        name=title,
        file=file,
        rows_given={table: len(rows.rows) for table, rows in given.items()},
        rows_expected=len(expect.rows),
    )
    return report_of((result.replace(line=line),), duration_ms=result.duration_ms).replace(created=created)


def _span(model: CompiledModel, partition: str | None) -> Interval:
    if model.kind == "seed":
        raise UsageError(f"`{model.name}` is a seed: it has no query to test", hint="test a model that reads it")
    grid = grid_of(model)
    if grid is None:
        if partition is not None:
            raise UsageError(f"`{model.name}` has no partitions", hint="leave `--partition` out")
        return WHOLE
    if partition is None:
        raise UsageError(
            f"a unit test of `{model.name}` needs a partition", hint=f"add `--partition {example_key(grid)}`"
        )
    span = parse_coarse_key(grid, partition)
    if span is None:
        raise UsageError(f"`{partition}` is not a partition key", hint=f"write it like `{example_key(grid)}`")
    return span


def _title(model: str, partition: str | None) -> str:
    """Return the name of a created test.

    >>> _title("sales.daily_revenue", "2026-04-07T13")
    'daily_revenue_2026_04_07T13'
    """
    parts = (model.partition(".")[2], *([re.sub(r"\W", "_", partition)] if partition is not None else []))
    return "_".join(parts)


def _refuse_existing(project: Opened, title: str) -> None:
    for test in read_unit_tests(project.scan.files).tests:
        if test.name == title:
            raise UnitTestExists(title, str(test.place()))


def _sampled(
    project: Opened, warehouse: SparkWarehouse, model: CompiledModel, span: Interval
) -> Mapping[TableName, TrialRows]:
    """Return a few rows of each input, of those that the slice reads; what is not there yet is reported first."""
    tables = needed_inputs(project.graph, model, given=())
    pins = [_pin(project, warehouse, table) for table in tables]
    trials = warehouse.trials()
    return {pin.input: writable_columns(trials.sample(pin, model, span, most=ROWS)) for pin in pins}


def _pin(project: Opened, warehouse: SparkWarehouse, table: TableName) -> Pin:
    source = next((item for item in project.graph.sources if TableName(item.name) == table), None)
    if source is not None:
        head = warehouse.source_heads((source,))[table]
        hint = "there must be rows to make a test from"
    else:
        target = project.graph.model(ModelName(table)).target
        head = warehouse.heads((target,))[target]
        hint = f"`lamina run -s {table}` builds it"
    if head.position is None:
        raise LaminaError(f"`{table}` has no rows yet", hint=hint)
    return Pin(input=table, position=head.position)


def _case(project: Opened, file: str, text: str) -> UnitCase:
    """Return the case that a text will be when it is read."""
    read = read_unit_test_file(file, text)
    resolved = resolve_tests(project.graph, read.tests)
    if found := (*read.diagnostics, *resolved.found):
        raise ProjectInvalid(tuple(item.replace(line=None, column=None) for item in found))
    return resolved.cases[0]


def _append(path: Path, text: str) -> int:
    """Put a test behind those that a file has; return its line."""
    path.parent.mkdir(exist_ok=True)
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    if before:
        before = f"{before.rstrip()}\n\n"
    part = path.with_name(f"{path.name}.part")
    part.write_text(before + text, encoding="utf-8")
    os.replace(part, path)
    return before.count("\n") + 1
