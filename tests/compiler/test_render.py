"""The SQL that runs: the user's text with names and values put in."""

import pytest
from tests.compiler.projects import corpus_graph, ephemeral, graph_of, model, source

from lamina.compiler.link.parameters import ParameterValue, literal_sql
from lamina.compiler.render import CannotRender, render
from lamina.project.model import ModelFile
from lamina.values.names import ModelName, TableName
from lamina.values.schema import DataType

ORDERS = source("raw.orders", "id bigint, amount decimal(10,2), day date")
VALUES = {
    "start_date": ParameterValue(type=DataType("date"), value="2026-01-01"),
    "end_date": ParameterValue(type=DataType("date"), value="2026-01-02"),
    "run_id": ParameterValue(type=DataType("string"), value="it's\\me"),
}


def rendered(query: str, *others: ModelFile) -> str:
    """Render `main.q`, with every table under a name of its own."""
    graph = graph_of(ORDERS, *others, model("main.q", query))
    names = [TableName(table.name) for table in graph.sources] + [TableName(item.name) for item in graph.models]
    relations = {name: "pin_" + name.partition(".")[2] for name in names}
    return render(graph, graph.model(ModelName("main.q")), relations=relations, parameters=VALUES).sql


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT id FROM raw.orders", "SELECT id FROM pin_orders AS `orders`"),
        ("SELECT o.id FROM raw.orders AS o", "SELECT o.id FROM pin_orders AS o"),
        ("SELECT o.id FROM raw.orders o;\n-- end", "SELECT o.id FROM pin_orders o"),
        ("SELECT raw.orders.id FROM raw.orders", "SELECT orders.id FROM pin_orders AS `orders`"),
        ("SELECT raw.orders.* FROM raw.orders", "SELECT orders.* FROM pin_orders AS `orders`"),
        (
            "SELECT id -- raw.orders\nFROM /* raw.orders */ raw.orders",
            "SELECT id -- raw.orders\nFROM /* raw.orders */ pin_orders AS `orders`",
        ),
        ("SELECT 'raw.orders' AS s FROM `raw`.`orders`", "SELECT 'raw.orders' AS s FROM pin_orders AS `orders`"),
        ("SELECT x::int AS i FROM (SELECT '1' AS x) s", "SELECT x::int AS i FROM (SELECT '1' AS x) s"),
        ("SELECT 'åäö' AS s, id FROM raw.orders", "SELECT 'åäö' AS s, id FROM pin_orders AS `orders`"),
        ("SELECT id\r\nFROM raw.orders\r\nWHERE id > 1", "SELECT id\r\nFROM pin_orders AS `orders`\r\nWHERE id > 1"),
        (
            "SELECT id FROM raw.orders TABLESAMPLE (10 PERCENT) WHERE id > 1",
            "SELECT id FROM pin_orders TABLESAMPLE (10 PERCENT) AS `orders` WHERE id > 1",
        ),
        (
            "WITH orders AS (SELECT id FROM raw.orders) SELECT id FROM orders",
            "WITH orders AS (SELECT id FROM pin_orders AS `orders`) SELECT id FROM orders",
        ),
        (
            "SELECT id FROM raw.orders WHERE day >= @start_date AND '@end_date' <> @run_id -- @run_id",
            "SELECT id FROM pin_orders AS `orders` WHERE day >= DATE '2026-01-01' AND '@end_date' <> 'it\\'s\\\\me'",
        ),
    ],
)
def test_only_names_and_parameters_change(query: str, text: str) -> None:
    assert rendered(query) == text


def test_an_ephemeral_model_becomes_a_cte() -> None:
    text = rendered("SELECT k FROM e", ephemeral("main.e", "SELECT id AS k FROM raw.orders -- keys"))
    assert text == "WITH `main__e` AS (\nSELECT id AS k FROM pin_orders AS `orders`\n)\nSELECT k FROM `main__e` AS `e`"


def test_a_chain_is_put_in_order_and_each_model_once() -> None:
    first = ephemeral("main.a", "SELECT id FROM raw.orders")
    second = ephemeral("main.b", "SELECT id FROM a")
    text = rendered("SELECT b.id FROM b JOIN a ON a.id = b.id", second, first)
    assert text.index("`main__a` AS (") < text.index("`main__b` AS (")
    assert text.count("`main__a` AS (") == 1


def test_the_ctes_of_the_query_follow_and_never_clash() -> None:
    text = rendered(
        "WITH main__e AS (SELECT id FROM e) SELECT id FROM main__e", ephemeral("main.e", "SELECT id FROM raw.orders")
    )
    assert text.startswith("WITH `main__e_2` AS (")
    assert "main__e AS (SELECT id FROM `main__e_2` AS `e`) SELECT id FROM main__e" in text


def test_a_missing_value_is_an_error_that_names_it() -> None:
    with pytest.raises(CannotRender, match="@as_of"):
        rendered("SELECT @as_of AS day")


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("bigint", "-5", "CAST('-5' AS BIGINT)"),
        ("decimal(10,2)", "0.50", "CAST('0.50' AS DECIMAL(10,2))"),
        ("boolean", "TRUE", "true"),
        ("timestamp", "2026-01-01 00:00:00", "TIMESTAMP '2026-01-01 00:00:00'"),
        ("string", "a'b", "'a\\'b'"),
    ],
)
def test_values_are_typed_literals(kind: str, value: str, text: str) -> None:
    assert literal_sql(ParameterValue(type=DataType(kind), value=value)) == text


@pytest.mark.parametrize(
    ("character", "place"),
    [
        ("one / 0", "models/main/q.sql:3:8"),
        ("pin_orders AS `orders`\n  W", "models/main/e.sql:2:8"),
        ("DATE '2026", "models/main/q.sql:5:13"),
        ("abs(id)", "models/main/e.sql:1:8"),
    ],
)
def test_every_character_knows_where_it_was_written(character: str, place: str) -> None:
    graph = graph_of(
        ORDERS,
        ephemeral("main.e", "SELECT abs(id) AS id, day\n  FROM raw.orders\n  WHERE id > 0"),
        model(
            "main.q",
            "\n-- some orders\nSELECT one / 0 AS x\n  FROM (SELECT 1 AS one, day FROM e)\nWHERE day = @start_date",
        ),
    )
    relations = {TableName("raw.orders"): "pin_orders"}
    rendering = render(graph, graph.model(ModelName("main.q")), relations=relations, parameters=VALUES)
    assert str(rendering.place(rendering.sql.index(character))) == place


def test_generated_text_has_no_place() -> None:
    graph = graph_of(ORDERS, ephemeral("main.e", "SELECT id FROM raw.orders"), model("main.q", "SELECT id FROM e"))
    relations = {TableName("raw.orders"): "pin_orders"}
    rendering = render(graph, graph.model(ModelName("main.q")), relations=relations, parameters=VALUES)
    assert rendering.place(0) is None
    assert rendering.place(10_000) is None


@pytest.mark.parametrize("folder", ["tpch", "constructs"])
def test_what_is_left_alone_stays_where_it_says(folder: str) -> None:
    graph = corpus_graph(folder)
    relations = {TableName(table.name): f"pin_{number}" for number, table in enumerate(graph.sources)}
    for item in graph.models:
        rendering = render(graph, item, relations=relations, parameters=VALUES)
        left = [stretch for stretch in rendering.stretches if stretch.is_same and stretch.model is not None]
        assert left
        for stretch in left:
            text = stretch.model.text if stretch.model is not None else ""
            assert text[stretch.at : stretch.at + len(stretch.text)] == stretch.text
