"""Calls with too few or too many arguments: how they are reported, and where nothing is said."""

from pathlib import Path

import pytest
from tests.compiler.projects import compile_project, graph_of, load_project, model

from lamina.compiler.types.functions.facts import ARGUMENT_COUNTS, KNOWN
from lamina.values.diagnostic import Diagnostic


def findings(sql: str) -> list[Diagnostic]:
    """Return what is found in one query."""
    return [item for item in graph_of(model("main.query", sql)).diagnostics if item.code == "L221"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("nvl(a)", "`nvl` takes 2 arguments, and the call has 1"),
        ("isnull(a, 0)", "`isnull` takes 1 argument, and the call has 2"),
        ("count()", "`count` takes at least 1 argument, and the call has none"),
        ("now(1)", "`now` takes no arguments, and the call has 1"),
        ("To_Date(a, b, c)", "`To_Date` takes 1 or 2 arguments, and the call has 3"),
        ("make_timestamp_ntz(a, b, c)", "`make_timestamp_ntz` takes 2 or 6 arguments, and the call has 3"),
        ("named_struct('a')", "`named_struct` takes pairs of arguments, and the call has 1"),
    ],
)
def test_the_message_says_how_many_a_function_takes(call: str, message: str) -> None:
    (found,) = findings(f"SELECT {call} AS x FROM t")
    assert found.message == message
    assert (found.line, found.column) == (1, 8)


def test_a_habit_of_other_databases_is_answered() -> None:
    assert [item.hint for item in findings("SELECT isnull(a, 0) AS x FROM t")] == ["to replace nulls, use `coalesce`"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT split_part(a, ',') AS x FROM t",
        "SELECT split_part(a, '(') AS x FROM t",
        "SELECT nvl(split(a, ',')) AS x FROM t",
        "SELECT b -- ), (\n, nvl(a) AS x FROM t",
    ],
)
def test_commas_and_brackets_in_texts_and_comments_separate_no_arguments(sql: str) -> None:
    assert len(findings(sql)) == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT tools.nvl(a) AS x FROM t",
        "SELECT `nvl`.a FROM nvl",
        "SELECT nvl(a, ')' -- (\n) AS x FROM t",
        "SELECT a /*( nvl(a) */ FROM t",
    ],
)
def test_what_is_no_call_of_a_function_of_spark_is_not_counted(sql: str) -> None:
    assert findings(sql) == []


def test_the_table_holds_functions_of_spark_only() -> None:
    assert ARGUMENT_COUNTS.keys() <= KNOWN


def test_nothing_is_said_where_the_project_may_bring_functions(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    (tmp_path / "lamina.toml").write_text('[project]\nname = "shop"\n')
    (tmp_path / "models" / "orders.sql").write_text("SELECT nvl('a') AS a")
    assert "L221" in {item.code for item in compile_project(load_project(str(tmp_path), {})).diagnostics}
    (tmp_path / "lamina.toml").write_text('[project]\nname = "shop"\n[spark]\nremote = "sc://localhost"\n')
    assert "L221" not in {item.code for item in compile_project(load_project(str(tmp_path), {})).diagnostics}
