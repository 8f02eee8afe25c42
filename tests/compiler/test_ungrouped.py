"""Columns that are neither grouped nor aggregated: how they are reported, and what is not guessed."""

import pytest
from tests.compiler.projects import graph_of, model, source

from lamina.values.diagnostic import Diagnostic


def findings(sql: str) -> list[Diagnostic]:
    """Return what is found in one query."""
    return [item for item in graph_of(model("main.query", sql)).diagnostics if item.code == "L216"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT our_aggregate(b), a FROM t GROUP BY a",
        "SELECT tools.our_aggregate(b), a FROM t GROUP BY a",
        "SELECT a, b FROM t GROUP BY our_key(a)",
    ],
)
def test_what_a_function_of_the_user_does_is_not_guessed(sql: str) -> None:
    assert findings(sql) == []


def test_a_column_of_an_outer_query_is_constant_in_a_subquery() -> None:
    sql = "SELECT k FROM u WHERE EXISTS (SELECT count(*), k FROM t WHERE t.a = u.a)"
    assert findings(sql) == []


def test_each_column_is_named_once_at_its_first_place() -> None:
    (found,) = findings("SELECT a,\n  b,\n  upper(b), sum(c) FROM t GROUP BY a")
    assert found.message == "column `b` is neither in GROUP BY nor inside an aggregate"
    assert (found.line, found.column) == (2, 3)
    assert found.hint == "add `b` to GROUP BY, or aggregate it: `max(b)`, `any_value(b)`"


def test_a_parameter_is_constant() -> None:
    graph = graph_of(
        source("raw.orders", "id bigint, amount double"),
        model("sales.totals", "SELECT id, @run_id AS run, sum(amount) AS amount FROM raw.orders GROUP BY id"),
    )
    assert [item for item in graph.diagnostics if item.severity == "error"] == []
