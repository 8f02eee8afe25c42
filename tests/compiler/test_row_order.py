"""Rules about order and joins, whatever the strategy: followed through CTEs and ephemeral models to the tables."""

from typing import Any

import pytest
from tests.compiler.projects import ephemeral, graph_of, model, source

from lamina.project.model import CheckSettings
from lamina.values.names import ColumnName

ORDERS = source("raw.orders", "id bigint, customer bigint, day date, code string")
PEOPLE = source("raw.people", "id string, name string, born timestamp")
KEYED = model(
    "main.keyed",
    "SELECT id, customer, day, code FROM raw.orders",
    checks=(
        CheckSettings(type="unique", column=ColumnName("id"), scope="table"),
        CheckSettings(type="not_null", column=ColumnName("id")),
    ),
)
SEEN_THROUGH = ephemeral("main.renamed", "SELECT id AS number, id + 1 AS next, customer FROM keyed")
NUMBER = "row_number() OVER (PARTITION BY customer ORDER BY {order})"


def found(text: str) -> list[tuple[str, str]]:
    """Return code and place in its text of what the rules say about one query."""
    graph = graph_of(ORDERS, PEOPLE, KEYED, SEEN_THROUGH, model("main.asked", text))
    return [(item.code, f"{item.place.line}:{item.place.column}") for item in graph.diagnostics if item.place]


@pytest.mark.parametrize(
    "text",
    [
        f"SELECT {NUMBER.format(order='day, id')} AS n FROM keyed",
        f"SELECT {NUMBER.format(order='k.id')} AS n FROM keyed AS k",
        f"WITH a AS (SELECT *, 1 AS one FROM keyed) SELECT {NUMBER.format(order='a.id')} AS n FROM a",
        f"SELECT {NUMBER.format(order='x')} AS n FROM (SELECT id AS x, customer FROM keyed)",
        f"SELECT {NUMBER.format(order='number')} AS n FROM renamed",
        "SELECT id FROM keyed ORDER BY id LIMIT 3",
        "SELECT id FROM (SELECT id, day FROM keyed ORDER BY id LIMIT 3)",
        "SELECT day, count(*) AS n FROM raw.orders o, raw.people p GROUP BY day ORDER BY n, day LIMIT 3",
        "SELECT date(born) AS d, count(*) AS n FROM raw.people GROUP BY date(born) ORDER BY date(born) LIMIT 3",
        "SELECT rank() OVER (ORDER BY day) AS n FROM raw.orders",
    ],
)
def test_an_order_over_a_declared_key_has_no_ties(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f"SELECT {NUMBER.format(order='id')} AS n FROM raw.orders", "1:8"),
        (f"SELECT {NUMBER.format(order='x')} AS n FROM (SELECT id + 1 AS x, customer FROM keyed)", "1:8"),
        (f"SELECT {NUMBER.format(order='next')} AS n FROM renamed", "1:8"),
        (f"SELECT 1 AS one,\n {NUMBER.format(order='id')} AS n FROM keyed CROSS JOIN (SELECT 1 AS x)", "2:2"),
        ("SELECT id FROM keyed ORDER BY day LIMIT 3", "1:41"),
        ("SELECT id FROM keyed LIMIT 3", "1:28"),
        ("SELECT id FROM keyed UNION ALL SELECT id FROM raw.orders ORDER BY id LIMIT 3", "1:76"),
        ("SELECT day, count(*) AS n FROM keyed GROUP BY ROLLUP (day) ORDER BY day LIMIT 3", "1:79"),
    ],
)
def test_any_other_order_may_tie(text: str, place: str) -> None:
    assert found(text) == [("L431", place)]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("SELECT k.id FROM keyed k JOIN raw.people p ON p.id = k.id", ["1:47"]),
        ("SELECT k.id FROM keyed k JOIN raw.people p USING (id)", ["1:51"]),
        ("SELECT k.id FROM keyed k, raw.people p WHERE k.code = p.name AND (k.id) <=> p.id", ["1:67"]),
        ("SELECT k.id FROM keyed k WHERE EXISTS (SELECT 1 FROM raw.people p WHERE p.id = k.id)", ["1:73"]),
        ("WITH a AS (SELECT id AS x FROM keyed) SELECT a.x FROM a JOIN raw.people p ON a.x = p.id", ["1:78"]),
        ("SELECT k.id FROM keyed k JOIN raw.people p ON p.id = CAST(k.id AS string)", []),
        ("SELECT k.id FROM keyed k JOIN raw.people p ON CAST(k.day AS timestamp) = p.born", []),
        ("SELECT k.id FROM keyed k JOIN raw.people p ON p.id > k.code", []),
    ],
)
def test_a_join_over_columns_of_two_kinds_is_found(text: str, places: list[str]) -> None:
    assert found(text) == [("L231", place) for place in places]


def test_an_aggregate_that_takes_rows_as_they_come_is_found_wherever_it_is() -> None:
    text = "SELECT id\nFROM keyed\nWHERE id IN (SELECT first(id) FROM raw.orders)"
    assert found(text) == [("L430", "3:21")]
    assert found("SELECT first_value(id) OVER (ORDER BY id) AS f FROM keyed") == []


@pytest.mark.parametrize(
    "change",
    [
        {"scope": "batch"},
        {"severity": "warn"},
        {"where": "day IS NOT NULL"},
        {"max_failed_rows": 1},
        {"type": "not_null"},
    ],
)
def test_only_a_check_of_the_whole_table_makes_a_key(change: dict[str, Any]) -> None:
    unique, filled = KEYED.settings.checks
    weaker = model("main.keyed", KEYED.text, checks=(unique.replace(**change), filled))
    nullable = model("main.keyed", KEYED.text, checks=(unique,))
    asked = model("main.asked", f"SELECT {NUMBER.format(order='id')} AS n FROM keyed")
    for parent, codes in ((KEYED, []), (weaker, ["L431"]), (nullable, ["L431"])):
        assert [item.code for item in graph_of(ORDERS, parent, asked).diagnostics] == codes
