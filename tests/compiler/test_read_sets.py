"""Read sets: every column that can influence a result, and no guess where something is unknown."""

import pytest
from tests.compiler.projects import ephemeral, graph_of, model, source

ORDERS = source("raw.orders", "id bigint, amount decimal(10,2), day date, status string, tags array<string>")
PEOPLE = source("raw.people", "id bigint, name string, born date")
UNKNOWN = source("raw.unknown", "")


def read_sets(*parts: str, **ephemerals: str) -> dict[str, set[str] | None]:
    """Return the read set of each input of the last query, None for every column."""
    models = [ephemeral(f"main.{name}", text) for name, text in ephemerals.items()]
    graph = graph_of(ORDERS, PEOPLE, UNKNOWN, *models, model("main.q", parts[-1]))
    inputs = next(item for item in graph.models if item.name == "main.q").inputs
    return {use.name[4:]: None if use.read_set is None else set(use.read_set) for use in inputs}


@pytest.mark.parametrize(
    ("query", "orders"),
    [
        ("SELECT id FROM raw.orders", {"id"}),
        ("SELECT count(*) AS n FROM raw.orders", set()),
        ("SELECT count(*) AS n FROM (SELECT * FROM raw.orders) s", set()),
        ("SELECT 1 AS one FROM raw.orders WHERE status = 'x'", {"status"}),
        ("SELECT id FROM raw.orders ORDER BY day LIMIT 3", {"id", "day"}),
        ("SELECT sum(amount) AS t FROM raw.orders GROUP BY day HAVING max(status) > 'a'", {"amount", "day", "status"}),
        ("SELECT sum(amount) AS t FROM raw.orders GROUP BY ALL", {"amount"}),
        ("SELECT day AS d, sum(amount) AS t FROM raw.orders GROUP BY 1", {"amount", "day"}),
        (
            "SELECT id FROM raw.orders QUALIFY row_number() OVER (PARTITION BY day ORDER BY amount) = 1",
            {"id", "day", "amount"},
        ),
        ("SELECT a FROM (SELECT id AS a, amount AS b FROM raw.orders) s", {"id"}),
        ("WITH c AS (SELECT * FROM raw.orders) SELECT id FROM c WHERE amount > 1", {"id", "amount"}),
        ("SELECT id FROM (SELECT DISTINCT id, status FROM raw.orders) s", {"id", "status"}),
        ("SELECT id FROM (SELECT id, status FROM raw.orders UNION ALL SELECT id, status FROM raw.orders) s", {"id"}),
        (
            "SELECT id FROM (SELECT id, status FROM raw.orders UNION SELECT id, status FROM raw.orders) s",
            {"id", "status"},
        ),
        ("SELECT 1 AS one FROM raw.orders LATERAL VIEW explode(tags) t AS tag", {"tags"}),
        (
            "SELECT id FROM raw.orders WHERE amount > (SELECT avg(amount) FROM raw.orders WHERE status = 'x')",
            {"id", "amount", "status"},
        ),
        ("SELECT count(status) AS n FROM raw.orders", {"status"}),
        ("SELECT * FROM raw.orders", None),
        ("SELECT DISTINCT * FROM raw.orders", None),
        ("SELECT struct(*) AS s FROM raw.orders", None),
        ("SELECT * FROM raw.orders PIVOT (sum(amount) FOR status IN ('a', 'b'))", None),
    ],
)
def test_what_is_read_of_one_table(query: str, orders: set[str] | None) -> None:
    assert read_sets(query) == {"orders": orders}


@pytest.mark.parametrize(
    ("query", "orders", "people"),
    [
        ("SELECT o.id FROM raw.orders o JOIN raw.people p ON o.id = p.id", {"id"}, {"id"}),
        ("SELECT amount FROM raw.orders LEFT JOIN raw.people USING (id)", {"id", "amount"}, {"id"}),
        ("SELECT amount FROM raw.orders NATURAL JOIN raw.people", {"id", "amount"}, {"id"}),
        (
            "SELECT amount FROM raw.orders o WHERE EXISTS (SELECT 1 FROM raw.people p WHERE p.id = o.id)",
            {"id", "amount"},
            {"id"},
        ),
        (
            "SELECT amount FROM raw.orders WHERE id IN (SELECT id FROM raw.people WHERE born > day)",
            {"id", "amount", "day"},
            {"id", "born"},
        ),
        ("SELECT amount FROM raw.orders o LEFT ANTI JOIN raw.people p ON o.id = p.id", {"id", "amount"}, {"id"}),
        ("SELECT id FROM raw.orders EXCEPT SELECT id FROM raw.people", {"id"}, {"id"}),
        ("SELECT p.* FROM raw.orders o JOIN raw.people p ON o.id = p.id", {"id"}, None),
        (
            "SELECT o.amount, x.n FROM raw.orders o, LATERAL (SELECT max(name) AS n FROM raw.people p WHERE "
            "p.id = o.id) x",
            {"id", "amount"},
            {"id", "name"},
        ),
    ],
)
def test_what_is_read_of_two_tables(query: str, orders: set[str] | None, people: set[str] | None) -> None:
    assert read_sets(query) == {"orders": orders, "people": people}


def test_an_unknown_schema_is_read_by_name_where_that_is_certain() -> None:
    assert read_sets("SELECT a, u.b FROM raw.unknown u WHERE c = 1") == {"unknown": {"a", "b", "c"}}


def test_an_unqualified_name_beside_an_unknown_schema_may_come_from_it() -> None:
    found = read_sets("SELECT name, mystery FROM raw.unknown u JOIN raw.people p ON u.id = p.id")
    assert found == {"unknown": {"id", "mystery"}, "people": {"id", "name"}}
    found = read_sets("SELECT mystery FROM raw.unknown u JOIN (SELECT * FROM raw.unknown) p ON u.id = p.id")
    assert found == {"unknown": None}


def test_ephemeral_models_are_seen_through() -> None:
    found = read_sets(
        "SELECT total FROM e", e="SELECT day, sum(amount) AS total, max(status) AS s FROM raw.orders GROUP BY day"
    )
    assert found == {"orders": {"day", "amount"}}


def test_a_chain_of_ephemeral_models_is_seen_through() -> None:
    found = read_sets(
        "SELECT a FROM f",
        e="SELECT id AS a, amount FROM raw.orders WHERE day > '2026-01-01'",
        f="SELECT a, amount FROM e",
    )
    assert found == {"orders": {"id", "day"}}
