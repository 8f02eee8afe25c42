"""Where each output column comes from, and by which kind of edge."""

import pytest
from tests.compiler.projects import ephemeral, graph_of, model, source

ORDERS = source("raw.orders", "id bigint, amount decimal(10,2), day date, tags array<string>, who struct<name:string>")
PEOPLE = source("raw.people", "id bigint, name string")


def edges(query: str) -> dict[str, set[tuple[str, str]]]:
    """Return the edges of a query: output column to origins with their kinds."""
    graph = graph_of(ORDERS, PEOPLE, model("main.q", query))
    assert [item for item in graph.diagnostics if item.severity == "error"] == []
    found: dict[str, set[tuple[str, str]]] = {}
    for edge in graph.models[0].lineage:
        found.setdefault(edge.column, set()).add((f"{edge.input}.{edge.input_column}"[4:], edge.kind))
    return found


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT id FROM raw.orders", {"id": {("orders.id", "direct")}}),
        ("SELECT id AS k FROM raw.orders", {"k": {("orders.id", "direct")}}),
        ("SELECT CAST(id AS string) AS k FROM raw.orders", {"k": {("orders.id", "cast")}}),
        ("SELECT upper(CAST(id AS string)) AS k FROM raw.orders", {"k": {("orders.id", "expression")}}),
        ("SELECT sum(amount * 2) AS k FROM raw.orders", {"k": {("orders.amount", "aggregation")}}),
        ("SELECT count(*) AS k FROM raw.orders", {}),
        (
            "SELECT CASE WHEN day > '2026-01-01' THEN amount END AS k FROM raw.orders",
            {"k": {("orders.day", "expression"), ("orders.amount", "expression")}},
        ),
        (
            "SELECT rank() OVER (PARTITION BY day ORDER BY amount) AS k FROM raw.orders",
            {"k": {("orders.day", "expression"), ("orders.amount", "expression")}},
        ),
        (
            "SELECT sum(amount) OVER w AS k FROM raw.orders WINDOW w AS (PARTITION BY day)",
            {"k": {("orders.amount", "aggregation"), ("orders.day", "expression")}},
        ),
        (
            "SELECT p.* FROM raw.orders o JOIN raw.people p ON o.id = p.id",
            {"id": {("people.id", "direct")}, "name": {("people.name", "direct")}},
        ),
        ("SELECT * EXCEPT (name) FROM raw.people", {"id": {("people.id", "direct")}}),
        (
            "WITH c AS (SELECT id AS k, sum(amount) AS t FROM raw.orders GROUP BY id) SELECT CAST(t AS double) "
            "AS t FROM c",
            {"t": {("orders.amount", "aggregation")}},
        ),
        ("SELECT k FROM (SELECT id AS k FROM raw.orders) s", {"k": {("orders.id", "direct")}}),
        (
            "SELECT id AS k FROM raw.orders UNION ALL SELECT CAST(name AS bigint) FROM raw.people",
            {"k": {("orders.id", "direct"), ("people.name", "cast")}},
        ),
        ("SELECT id AS k FROM raw.orders EXCEPT SELECT id FROM raw.people", {"k": {("orders.id", "direct")}}),
        ("SELECT tag FROM raw.orders LATERAL VIEW explode(tags) t AS tag", {"tag": {("orders.tags", "expression")}}),
        ("SELECT explode(tags) AS tag FROM raw.orders", {"tag": {("orders.tags", "expression")}}),
        ("SELECT who.name AS n FROM raw.orders", {"n": {("orders.who", "expression")}}),
        ("SELECT (SELECT max(name) FROM raw.people) AS n FROM raw.orders", {"n": {("people.name", "aggregation")}}),
        (
            "SELECT (SELECT max(p.name) FROM raw.people p WHERE p.id = o.id) AS n FROM raw.orders o",
            {"n": {("people.name", "aggregation"), ("people.id", "expression"), ("orders.id", "expression")}},
        ),
        (
            "SELECT EXISTS (SELECT 1 FROM raw.people p WHERE p.id = o.id) AS k FROM raw.orders o",
            {"k": {("people.id", "expression"), ("orders.id", "expression")}},
        ),
        (
            "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY amount) AS k FROM raw.orders",
            {"k": {("orders.amount", "aggregation")}},
        ),
        (
            "SELECT percentile(amount, 0.5, id) AS k FROM raw.orders",
            {"k": {("orders.amount", "aggregation"), ("orders.id", "aggregation")}},
        ),
        (
            "SELECT date_trunc(who.name, day) AS k FROM raw.orders",
            {"k": {("orders.day", "expression"), ("orders.who", "expression")}},
        ),
        (
            "SELECT id AS a, a + 1 AS b FROM raw.orders",
            {"a": {("orders.id", "direct")}, "b": {("orders.id", "expression")}},
        ),
        (
            "SELECT transform(tags, t -> concat(t, CAST(id AS string))) AS k FROM raw.orders",
            {"k": {("orders.tags", "expression"), ("orders.id", "expression")}},
        ),
        (
            "SELECT id, amount, name FROM raw.orders FULL JOIN raw.people USING (id)",
            {
                "id": {("orders.id", "expression"), ("people.id", "expression")},
                "amount": {("orders.amount", "direct")},
                "name": {("people.name", "direct")},
            },
        ),
    ],
)
def test_edges_of_each_construct(query: str, expected: dict[str, set[tuple[str, str]]]) -> None:
    assert edges(query) == expected


def test_lineage_names_the_ephemeral_model_itself() -> None:
    graph = graph_of(ORDERS, ephemeral("main.e", "SELECT id AS k FROM raw.orders"), model("main.q", "SELECT k FROM e"))
    edge = graph.models[1].lineage[0]
    assert (edge.input, edge.input_column, edge.kind) == ("main.e", "k", "direct")
