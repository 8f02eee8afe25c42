"""Each type of check over staged rows: what passes, what fails, what nulls do, and what is shown."""

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.spark.lake import Lake, day

from lamina.compiler.graph import CompiledModel
from lamina.project.model import CheckSettings
from lamina.project.patterns import pattern_problem
from lamina.project.strategy import TimeInterval
from lamina.values.batch import CheckResult
from lamina.values.names import ColumnName, TableName
from lamina.warehouse.spark.check_reads import CheckReads

pytestmark = pytest.mark.spark

NOON = datetime(2026, 1, 3, 12, tzinfo=UTC)
ROWS = """SELECT * FROM VALUES
    (1, 'SE', 1.5D, DATE '2026-01-01', TIMESTAMP '2026-01-03 11:00:00'),
    (2, 'no', -2.0D, DATE '2026-01-03', TIMESTAMP '2026-01-03 12:00:01'),
    (9, NULL, NULL, DATE '2026-01-04', NULL),
    (NULL, 'DE', DOUBLE('NaN'), NULL, TIMESTAMP '2026-01-01 00:00:00')
    AS t(id, code, amount, day, at)"""


def check(kind: str, column: str | None = None, **fields: object) -> CheckSettings:
    """Return a check."""
    named = None if column is None else ColumnName(column)
    return CheckSettings(type=kind, column=named, **fields)  # type: ignore[arg-type]


def checked(lake: Lake, *checks: CheckSettings, text: str = ROWS, **fields: object) -> tuple[CheckResult, ...]:
    """Stage rows and run checks over them."""
    model = refer(lake.add_model("c.t", text, checks=checks, **fields))  # type: ignore[arg-type]
    return lake.warehouse.check(lake.stage(model), model, outdated=(), unproven=(), execution_time=NOON)


def refer(model: CompiledModel) -> CompiledModel:
    """Return a model whose checks look values up in tables by their full names."""
    named = {str(item.to): item.to for item in model.settings.checks if item.to is not None}
    return model.replace(looked_up=named)


def test_ranges_have_both_ends_and_no_opinion_on_null(lake: Lake) -> None:
    results = checked(
        lake,
        check("in_range", "id", min=1, max=9),
        check("in_range", "id", min=2),
        check("in_range", "amount", min=-2, max=1.5),
        check("in_range", "day", max="2026-01-03"),
        check("in_range", "at", min="2026-01-03 11:00:00", where="id < 9"),
        check("in_range", "id", max=1, max_failed_rows=2),
    )
    assert [item.rows_failed for item in results] == [0, 1, 1, 1, 0, 2]
    assert [item.passed for item in results] == [True, False, False, False, True, True]
    assert results[1].examples == ("id = 1, code = SE, amount = 1.5, day = 2026-01-01",)
    assert results[2].examples == ("amount = NaN, id = NULL, code = DE, day = NULL",), "NaN is above every number"


def test_patterns_are_searched_for_and_null_matches(lake: Lake) -> None:
    results = checked(
        lake, check("regex_match", "code", pattern="^[A-Z]{2}$"), check("regex_match", "code", pattern="E|no")
    )
    assert [item.rows_failed for item in results] == [1, 0]
    assert results[0].examples[0].startswith("code = no")


def test_backslashes_and_quotes_of_a_pattern_reach_spark(lake: Lake) -> None:
    text = r"SELECT * FROM VALUES ('1.5'), ('15'), ('it\'s') AS t(name)"
    results = checked(
        lake, check("regex_match", "name", pattern=r"^\d\.\d$"), check("regex_match", "name", pattern="'|5$"), text=text
    )
    assert [item.rows_failed for item in results] == [2, 0]


REFUSED = ("a(", "[a", "a)", "*a", "(+)", "a|?", "a**", "[z-a]", "a\\")
ACCEPTED = (r"\p{L}++", r"(?<year>\d{4})-\k<year>", r"(?i)se", r"[\d-x]", r"\Q(\E", r"^*", r"\x{41}", "[a-z&&[^b]]")


def test_java_refuses_the_patterns_that_reading_refuses(lake: Lake) -> None:
    results = checked(lake, *(check("regex_match", "code", pattern=text) for text in (*REFUSED, *ACCEPTED)))
    assert [item.could_run for item in results] == [False] * len(REFUSED) + [True] * len(ACCEPTED)
    assert all(pattern_problem(text) for text in REFUSED)
    assert not any(pattern_problem(text) for text in ACCEPTED)


def test_values_are_looked_up_in_another_table_its_own_or_a_source(lake: Lake) -> None:
    lake.write_csv("raw/names/1.csv", "id,name\n1,a\n1,b\n,c\n")
    lake.add_source("raw.names", columns="id bigint, name string", format="csv")
    lake.build(lake.add_model("c.known", "SELECT * FROM VALUES (1), (2), (2), (NULL) AS t(key)"))
    results = checked(
        lake,
        check("relationships", "id", to=TableName("c.known"), field=ColumnName("key")),
        check("relationships", "id", to=TableName("c.known"), field=ColumnName("key"), where="id < 9"),
        check("relationships", "id", to=TableName("raw.names"), field=ColumnName("id"), name="source"),
        check("relationships", "id", to=TableName("c.t"), field=ColumnName("id"), name="own"),
        check("row_count", max=4),
        check("unique", "id"),
    )
    assert [item.observed for item in results] == [1, 0, 2, 0, 4, 0], "no row is counted twice"
    assert results[0].examples == ("id = 9, code = NULL, amount = NULL, day = 2026-01-04",)


def test_a_table_that_is_not_built_fails_only_its_own_check(lake: Lake) -> None:
    lake.add_model("c.known", "SELECT 1 AS key")
    missing, counted = checked(
        lake,
        check("relationships", "id", to=TableName("c.known"), field=ColumnName("key")),
        check("not_null", "id"),
    )
    assert (missing.passed, missing.observed) == (False, "cannot run: there are no rows of `c.known` yet")
    assert counted.rows_failed == 1


def test_an_input_is_looked_up_as_the_batch_has_read_it(lake: Lake) -> None:
    known = lake.add_model("c.z", "SELECT 1 AS key")
    lake.build(known)
    one = check("relationships", "key", to=TableName("c.z"), field=ColumnName("key"))
    model = refer(lake.add_model("c.t", "SELECT key FROM c.z", inputs=("c.z",), checks=(one,)))
    staged = lake.stage(model)
    lake.build(lake.add_model("c.z", "SELECT 2 AS key"))
    (result,) = lake.warehouse.check(staged, model, outdated=(), unproven=(), execution_time=NOON)
    assert result.passed
    lake.publish(staged)
    (now,) = lake.warehouse.check_table(model, execution_time=NOON)
    assert (now.passed, now.examples) == (False, ("key = 1",)), "a published table is compared with the tables of now"


def test_times_are_compared_with_the_execution_time_and_days_in_the_zone_of_the_model(lake: Lake) -> None:
    checks = (check("not_in_future", "at"), check("not_in_future", "day"))
    at, days = checked(lake, *checks)
    assert (at.rows_failed, days.rows_failed) == (1, 1)
    assert days.examples[0].startswith("day = 2026-01-04")
    assert checked(lake, *checks, timezone="Pacific/Kiritimati")[1].passed, "there it is the fourth already"
    assert checked(lake, *checks, timezone="Pacific/Niue")[1].rows_failed == 1


def test_aggregates_are_numbers_within_limits(lake: Lake) -> None:
    results = checked(
        lake,
        check("aggregate", expression="sum(id)", min=12, max=12),
        check("aggregate", expression="count(DISTINCT code) / count(*)", min=0.76),
        check("aggregate", expression="sum(CAST(id AS DECIMAL(9, 1)) / 10)", max=1.2),
        check("aggregate", expression="sum(id) + min(id)", max=5, where="id < 3"),
        check("aggregate", expression="sum(id)", min=1, where="id > 99", name="of no rows"),
        check("aggregate", expression="max(amount)", max=99, name="not a number"),
        check("aggregate", expression="max(code)", max=99, name="text"),
    )
    assert [item.passed for item in results] == [True, False, True, True, True, False, False]
    assert [item.observed for item in results[:5]] == [12, 0.75, 1.2, 4, None]
    assert results[1].expected == "0.76 or more"
    assert not results[6].could_run


def test_the_newest_row_must_be_young_enough(lake: Lake) -> None:
    fresh, old, days, none = checked(
        lake,
        check("freshness", "at", error_after="1h", where="id = 1", name="just"),
        check("freshness", "at", error_after="59m", where="id = 1"),
        check("freshness", "day", error_after="1s", where="id < 9", name="day"),
        check("freshness", "at", error_after="9 days", where="id = 9", name="none"),
    )
    assert (fresh.passed, old.passed, days.passed, none.passed) == (True, False, False, False)
    assert (old.observed, old.expected) == ("2026-01-03T11:00:00Z", "2026-01-03T11:01:00Z or later")
    assert days.observed == "2026-01-03T00:00:00Z", "a day is as old as its beginning"
    assert none.observed is None


def test_a_query_returns_the_rows_that_fail(lake: Lake) -> None:
    lake.build(lake.add_model("c.known", "SELECT 1 AS key"))
    text = "SELECT v.id FROM (VALUES (1), (2)) AS v(id) LEFT JOIN c.known ON key = id"
    results = checked(
        lake,
        check("custom_sql", sql="SELECT id, 'x' AS why FROM t WHERE id NOT IN (SELECT key FROM known)"),
        check("custom_sql", sql="WITH t AS (SELECT * FROM c.t) SELECT * FROM t WHERE id > 2", name="sound"),
        check("custom_sql", sql="SELECT nothing FROM t", name="broken"),
        text=text,
        inputs=("c.known",),
    )
    assert [(item.passed, item.rows_failed) for item in results] == [(False, 1), (True, 0), (False, None)]
    assert results[0].examples == ("id = 2, why = x",)


def test_a_query_sees_the_rows_of_the_batch_or_of_the_table(lake: Lake) -> None:
    query = "SELECT * FROM c.t"
    checks = (check("custom_sql", sql=query), check("custom_sql", sql=query, scope="table", name="table"))
    model = lake.add_model(
        "c.t",
        "SELECT @start_ts AS ts",
        columns="ts timestamp",
        strategy=TimeInterval(time_column=ColumnName("ts")),
        checks=checks,
    )
    lake.build(model, "replace_slices", slices=(day(1),))
    staged = lake.stage(model, "replace_slices", slices=(day(2),))
    results = lake.warehouse.check(staged, model, outdated=(), unproven=(), execution_time=NOON)
    assert [item.rows_failed for item in results] == [1, 2]


def test_all_row_level_checks_of_a_batch_are_one_pass(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    passes: list[int] = []
    count = CheckReads.count

    def counted(reads: CheckReads, frame: Any, items: list[str]) -> list[Any]:
        passes.append(len(items))
        return count(reads, frame, items)

    monkeypatch.setattr(CheckReads, "count", counted)
    lake.build(lake.add_model("c.known", "SELECT explode(sequence(1, 9)) AS key"))
    results = checked(
        lake,
        check("not_null", "day", where="id < 9"),
        check("in_range", "id", min=1),
        check("regex_match", "code", pattern="."),
        check("relationships", "id", to=TableName("c.known"), field=ColumnName("key")),
        check("not_in_future", "at", where="id = 1"),
        check("expression", expression="id IS NULL OR id > 0"),
        check("aggregate", expression="count(*)", max=4),
    )
    assert all(item.passed for item in results)
    assert passes == [7]
