"""A user's own query over the project: which names it may use, and what it becomes."""

import re
from datetime import UTC, datetime

import pytest
from tests.compiler.projects import ephemeral, graph_of, model, source

from lamina.compiler.graph import Graph
from lamina.errors import UsageError
from lamina.planner.question import Question, question_of, unknown_table
from lamina.values.names import TableName

NOW = datetime(2026, 1, 2, 6, tzinfo=UTC)


@pytest.fixture(scope="module")
def graph() -> Graph:
    return graph_of(
        source("raw.orders", "id bigint, amount int"),
        source("raw.people", "id bigint"),
        model("staging.orders", "SELECT id, amount FROM raw.orders"),
        model("mart.sums", "SELECT sum(amount) AS total FROM staging.orders"),
        model("mart.twice", "SELECT 1 AS one"),
        model("staging.twice", "SELECT 1 AS one"),
        ephemeral("mart.paid", "SELECT id FROM staging.orders WHERE amount > 0"),
    )


def asked(graph: Graph, sql: str) -> Question:
    return question_of(graph, sql, catalog="lake", tables_of={}, execution_time=NOW)


@pytest.mark.parametrize(
    ("sql", "becomes"),
    [
        ("SELECT * FROM staging.orders", "SELECT * FROM `lake`.`staging`.`orders` AS `orders`"),
        ("SELECT * FROM sums s", "SELECT * FROM `lake`.`mart`.`sums` s"),
        ("SELECT orders.id FROM Orders", "SELECT orders.id FROM `lake`.`staging`.`orders` AS `Orders`"),
        ("SELECT * FROM lake.mart.sums", "SELECT * FROM `lake`.`mart`.`sums` AS `sums`"),
        ("SELECT * FROM people", "SELECT * FROM lamina_source_0 AS `people`"),
        ("SELECT * FROM mart.sums.snapshots", "SELECT * FROM `lake`.`mart`.`sums`.`snapshots` AS `snapshots`"),
        ("WITH orders AS (SELECT 1 AS a) SELECT a FROM orders", "WITH orders AS (SELECT 1 AS a) SELECT a FROM orders"),
        ("SELECT DATE(@as_of)", "SELECT DATE(DATE '2026-01-02')"),
    ],
)
def test_names_of_the_project_become_tables(graph: Graph, sql: str, becomes: str) -> None:
    assert asked(graph, sql).rendering.sql == becomes


def test_an_ephemeral_model_is_put_before_the_query(graph: Graph) -> None:
    question = asked(graph, "SELECT count(*) FROM paid")
    assert question.rendering.sql.startswith("WITH `mart__paid` AS (\nSELECT id FROM `lake`.`staging`.`orders`")
    assert [item.name for item in question.models] == ["staging.orders"]


def test_a_source_in_the_catalog_is_read_by_its_table_and_another_by_a_view(graph: Graph) -> None:
    tables = {TableName("raw.people"): TableName("shop.people")}
    sql = "SELECT * FROM raw.orders o, raw.people p"
    question = question_of(graph, sql, catalog="lake", tables_of=tables, execution_time=NOW)
    assert question.rendering.sql == "SELECT * FROM lamina_source_0 o, `lake`.`shop`.`people` p"
    assert question.views == {"lamina_source_0": "raw.orders"}


def test_what_must_be_there_is_named(graph: Graph) -> None:
    question = asked(graph, "SELECT * FROM raw.orders, raw.people, sums, gone.away, mart.sums.history")
    assert [item.name for item in question.models] == ["mart.sums"]
    assert question.views == {"lamina_source_0": "raw.orders", "lamina_source_1": "raw.people"}
    assert question.others == ("gone.away", "mart.sums.history")


@pytest.mark.parametrize(
    "sql", ["SHOW TABLES IN mart", "DESCRIBE mart.sums", "SELECT * FROM mart.sums VERSION AS OF 1"]
)
def test_what_only_the_catalog_understands_is_left_as_it_is(graph: Graph, sql: str) -> None:
    assert asked(graph, sql).rendering.sql == sql


@pytest.mark.parametrize(
    ("sql", "message", "hint"),
    [
        ("SELECT * FROM ordrs", "there is no model, source or table `ordrs`", "did you mean `orders`?"),
        ("SELECT * FROM zzzzzzz", "there is no model, source or table `zzzzzzz`", "`lamina list`"),
        ("SELECT * FROM twice", "`twice` could be more than one table", "`mart.twice`, `staging.twice`"),
        ("SELECT (", "the query cannot be parsed", "write one Spark SQL query"),
    ],
)
def test_a_name_that_means_nothing_gets_an_offer(graph: Graph, sql: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)) as caught:
        asked(graph, sql)
    assert hint in (caught.value.hint or "")


def test_an_unknown_table_offers_the_nearest_full_name(graph: Graph) -> None:
    assert unknown_table(graph, TableName("staging.ordrs")).hint == "did you mean `staging.orders`?"
