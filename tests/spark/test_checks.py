"""Checks over staged rows: one pass, severities and scopes, and what cannot run has failed."""

import pytest
from tests.compiler.conditions import ACCEPTED, REFUSED
from tests.spark.lake import Lake, day

from lamina.project.model import CheckSettings
from lamina.project.strategy import TimeInterval
from lamina.values.names import ColumnName

pytestmark = pytest.mark.spark

ID, STATUS = ColumnName("id"), ColumnName("status")
ROWS = """SELECT * FROM VALUES (1, 'open', 5), (1, 'shut', -1), (NULL, 'odd', NULL), (NULL, NULL, 2)
    AS t(id, status, amount)"""


def test_each_check_counts_its_own_rows(lake: Lake) -> None:
    checks = (
        CheckSettings(type="not_null", column=ID),
        CheckSettings(type="not_null", column=ID, where="status = 'open'"),
        CheckSettings(type="unique", column=ID),
        CheckSettings(type="accepted_values", column=STATUS, values=("open", "shut"), severity="warn"),
        CheckSettings(type="expression", expression="amount > 0", max_failed_rows=2),
        CheckSettings(type="row_count", min=5),
        CheckSettings(type="row_count", max=4, name="not_many"),
    )
    model = lake.add_model("c.t", ROWS, checks=checks)

    results = lake.warehouse.check(lake.stage(model), model)

    assert [(item.name, item.passed, item.observed) for item in results] == [
        ("not_null_id", False, 2),
        ("not_null_id", True, 0),
        ("unique_id", False, 1),
        ("accepted_values_status", False, 1),
        ("amount > 0", True, 2),
        ("row_count", False, 4),
        ("not_many", True, 4),
    ]
    assert results[3].severity == "warn"


def test_check_that_cannot_run_has_failed_and_others_still_count(lake: Lake) -> None:
    checks = (
        CheckSettings(type="expression", expression="no_such_column > 0", name="broken"),
        CheckSettings(type="not_null", column=STATUS),
    )
    model = lake.add_model("c.t", ROWS, checks=checks)

    broken, counted = lake.warehouse.check(lake.stage(model), model)

    assert not broken.passed
    assert "cannot run" in str(broken.observed)
    assert counted.rows_failed == 1


def test_scope_is_the_batch_or_the_table(lake: Lake) -> None:
    checks = (
        CheckSettings(type="row_count", name="batch"),
        CheckSettings(type="row_count", name="table", scope="table"),
    )
    model = lake.add_model(
        "c.t",
        "SELECT explode(array(@start_ts, @start_ts)) AS ts",
        columns="ts timestamp",
        strategy=TimeInterval(time_column=ColumnName("ts")),
        checks=checks,
    )
    lake.build(model, "replace_slices", slices=(day(1),))

    results = lake.warehouse.check(lake.stage(model, "replace_slices", slices=(day(2),)), model)

    assert [(item.name, item.observed) for item in results] == [("batch", 2), ("table", 4)]


def test_spark_runs_the_conditions_that_compiling_accepts_and_no_other(lake: Lake) -> None:
    row = "SELECT 1L AS id, 'true' AS name, 1.5D AS amount, DATE '2026-01-01' AS day, named_struct('size', 1) AS detail"
    checks = tuple(
        CheckSettings(type="expression", expression=text, name=f"? {text}") for text in (*ACCEPTED, *REFUSED)
    )
    model = lake.add_model("c.t", row, checks=checks)

    results = lake.warehouse.check(lake.stage(model), model)

    assert {item.name for item in results if "cannot run" in str(item.observed)} == {f"? {text}" for text in REFUSED}
