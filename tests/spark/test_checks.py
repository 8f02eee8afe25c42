"""Checks over staged rows: one pass, severities and scopes, and what cannot run has failed."""

from datetime import UTC, datetime

import pytest
from tests.compiler.conditions import ACCEPTED, REFUSED
from tests.spark.lake import Lake, day

from lamina.compiler.graph import CompiledModel
from lamina.project.model import CheckSettings
from lamina.project.strategy import DeleteInsert, Incremental, Merge, Strategy, TimeInterval
from lamina.values.batch import CheckResult, Staged
from lamina.values.interval import Interval
from lamina.values.names import ColumnName
from lamina.values.plan import Mode

pytestmark = pytest.mark.spark

NOON = datetime(2026, 1, 3, 12, tzinfo=UTC)
ID, STATUS = ColumnName("id"), ColumnName("status")
ROWS = """SELECT * FROM VALUES (1, 'open', 5), (1, 'shut', -1), (NULL, 'odd', NULL), (NULL, NULL, 2)
    AS t(id, status, amount)"""


def checked(
    lake: Lake,
    staged: Staged,
    model: CompiledModel,
    *,
    outdated: tuple[Interval, ...] = (),
    unproven: tuple[CheckSettings, ...] = (),
) -> tuple[CheckResult, ...]:
    """Run the checks of a staged batch at noon of the third day."""
    return lake.warehouse.check(staged, model, outdated=outdated, unproven=unproven, execution_time=NOON)


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

    results = checked(lake, lake.stage(model), model)

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

    broken, counted = checked(lake, lake.stage(model), model)

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

    results = checked(lake, lake.stage(model, "replace_slices", slices=(day(2),)), model, outdated=(), unproven=())

    assert [(item.name, item.observed) for item in results] == [("batch", 2), ("table", 4)]


def test_spark_runs_the_conditions_that_compiling_accepts_and_no_other(lake: Lake) -> None:
    row = "SELECT 1L AS id, 'true' AS name, 1.5D AS amount, DATE '2026-01-01' AS day, named_struct('size', 1) AS detail"
    checks = tuple(
        CheckSettings(type="expression", expression=text, name=f"? {text}") for text in (*ACCEPTED, *REFUSED)
    )
    model = lake.add_model("c.t", row, checks=checks)

    results = checked(lake, lake.stage(model), model)

    assert {item.name for item in results if "cannot run" in str(item.observed)} == {f"? {text}" for text in REFUSED}


ONE_ID = (CheckSettings(type="unique", column=ID, scope="table"),)


def _unique(
    lake: Lake,
    model: CompiledModel,
    staged: Staged,
    *,
    outdated: tuple[Interval, ...] = (),
    unproven: tuple[CheckSettings, ...] = (),
) -> tuple[object, ...]:
    (result,) = checked(lake, staged, model, outdated=outdated, unproven=unproven)
    return result.observed, result.examples


def test_key_of_appended_rows_is_looked_up_among_the_others(lake: Lake) -> None:
    lake.build(lake.add_model("c.t", "SELECT * FROM VALUES (1, 'a'), (2, NULL), (NULL, 'x') AS t(id, name)"))
    sound = lake.add_model("c.t", "SELECT * FROM VALUES (3, 'b'), (NULL, 'y') AS t(id, name)", checks=ONE_ID)
    assert _unique(lake, sound, lake.stage(sound, "append")) == (0, ())

    double = lake.add_model("c.t", "SELECT * FROM VALUES (2, 'b'), (4, 'c'), (4, 'd') AS t(id, name)", checks=ONE_ID)
    assert _unique(lake, double, lake.stage(double, "append")) == (2, ("id = 2", "id = 4"))

    own = tuple(check.replace(scope="batch") for check in ONE_ID)
    alone = lake.add_model("c.t", "SELECT 2 AS id, 'b' AS name", checks=own)
    assert _unique(lake, alone, lake.stage(alone, "append")) == (0, ())


def test_key_of_a_slice_is_looked_up_in_slices_that_stay(lake: Lake) -> None:
    text = "SELECT explode(array(1, 2)) AS id, @start_ts AS ts"
    strategy = TimeInterval(time_column=ColumnName("ts"))
    model = lake.add_model("c.t", text, columns="id int, ts timestamp", strategy=strategy, checks=ONE_ID)
    lake.build(model, "replace_slices", slices=(day(1),))

    again = lake.stage(model, "replace_slices", slices=(day(1),))
    assert _unique(lake, model, again) == (0, ()), "the rows it replaces do not count"
    other = lake.stage(model, "replace_slices", slices=(day(2),))
    assert _unique(lake, model, other) == (2, ("id = 1", "id = 2"))
    assert _unique(lake, model, other, outdated=(day(1),)) == (0, ()), "rows that will be replaced do not count"


def test_unproven_key_is_counted_over_all_rows_that_stay(lake: Lake) -> None:
    text = "SELECT explode(array(1, 1)) AS id, @start_ts AS ts"
    strategy = TimeInterval(time_column=ColumnName("ts"))
    model = lake.add_model("c.t", text, columns="id int, ts timestamp", strategy=strategy, checks=ONE_ID)
    lake.build(model, "replace_slices", slices=(day(1),))
    other = lake.add_model("c.t", text.replace("1, 1", "2"), strategy=strategy, checks=ONE_ID)

    staged = lake.stage(other, "replace_slices", slices=(day(2),))
    assert _unique(lake, other, staged) == (0, ())
    assert _unique(lake, other, staged, unproven=ONE_ID) == (1, ("id = 1",))
    assert _unique(lake, other, staged, unproven=ONE_ID, outdated=(day(1),)) == (0, ())


def test_unproven_key_is_counted_over_rows_that_a_batch_leaves_alone(lake: Lake) -> None:
    merge, replaced = Merge(unique_key=(ColumnName("k"),)), DeleteInsert(partition_by=(ColumnName("k"),))
    modes: tuple[tuple[Mode, Strategy], ...] = (
        ("append", Incremental()),
        ("merge", merge),
        ("delete_insert", replaced),
    )
    lake.build(lake.add_model("c.t", "SELECT * FROM VALUES ('a', 1), ('b', 1) AS t(k, id)"))
    for mode, strategy in modes:
        model = lake.add_model("c.t", "SELECT 'c' AS k, 2 AS id", strategy=strategy, checks=ONE_ID)
        staged = lake.stage(model, mode)
        assert _unique(lake, model, staged) == (0, ())
        assert _unique(lake, model, staged, unproven=ONE_ID) == (1, ("id = 1",))


@pytest.mark.parametrize("names", ["id", "`the id`"])
def test_keys_of_merged_and_replaced_rows_are_looked_up_in_other_files(lake: Lake, names: str) -> None:
    column = ColumnName(names.strip("`"))
    checks = (CheckSettings(type="unique", column=column, scope="table"),)
    first = f"SELECT * FROM VALUES ('a', 1), ('b', 2) AS t(k, {names})"
    merge = Merge(unique_key=(ColumnName("k"),))
    lake.build(lake.add_model("c.t", first, strategy=merge))
    sound = lake.add_model("c.t", f"SELECT 'b' AS k, 3 AS {names}", strategy=merge, checks=checks)
    assert _unique(lake, sound, lake.stage(sound, "merge")) == (0, ())
    double = lake.add_model("c.t", f"SELECT 'c' AS k, 1 AS {names}", strategy=merge, checks=checks)
    assert _unique(lake, double, lake.stage(double, "merge")) == (1, (f"{column} = 1",))

    replaced = DeleteInsert(partition_by=(ColumnName("k"),))
    again = lake.add_model("c.t", f"SELECT 'c' AS k, 2 AS {names}", strategy=replaced, checks=checks)
    assert _unique(lake, again, lake.stage(again, "delete_insert")) == (1, (f"{column} = 2",))
    instead = lake.add_model("c.t", f"SELECT 'b' AS k, 2 AS {names}", strategy=replaced, checks=checks)
    assert _unique(lake, instead, lake.stage(instead, "delete_insert")) == (0, ())


def test_keys_of_many_types_are_looked_up_by_their_bounds(lake: Lake) -> None:
    row = """SELECT {n} AS id, {n} * 1.5D AS ratio, CAST({n} AS DECIMAL(9, 2)) AS price,
        date_add(DATE '2026-01-01', {n}) AS day, 'it''s {n}' AS name,
        TIMESTAMP '2026-01-01 00:00:00.000001' + INTERVAL 1 HOUR * {n} AS at"""
    names = ("id", "ratio", "price", "day", "at", "name")
    checks = tuple(CheckSettings(type="unique", column=ColumnName(name), scope="table") for name in names)
    both = CheckSettings(type="unique", columns=tuple(ColumnName(name) for name in names), scope="table")
    lake.build(lake.add_model("c.t", row.format(n=3)))
    for number, met in ((3, 1), (4, 0)):
        model = lake.add_model("c.t", row.format(n=number), checks=(*checks, both))
        results = checked(lake, lake.stage(model, "append"), model)
        assert [item.observed for item in results] == [met] * 7


def test_failing_rows_are_shown_by_what_they_hold(lake: Lake) -> None:
    checks = (
        CheckSettings(type="not_null", column=ID),
        CheckSettings(type="accepted_values", column=STATUS, values=("open",)),
        CheckSettings(type="expression", expression="amount > 0"),
    )
    model = lake.add_model("c.t", ROWS, checks=checks)

    results = checked(lake, lake.stage(model), model)

    assert [item.examples for item in results] == [
        ("id = NULL, status = NULL, amount = 2", "id = NULL, status = odd, amount = NULL"),
        ("status = odd, id = NULL, amount = NULL", "status = shut, id = 1, amount = -1"),
        ("amount = NULL, id = NULL, status = odd", "amount = -1, id = 1, status = shut"),
    ]
