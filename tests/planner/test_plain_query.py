"""Which queries are plain enough to be answered without Spark, and what they ask for."""

from datetime import date
from typing import Any

import pytest

from lamina.planner.plain_query import plain_query
from lamina.values.names import ColumnName
from lamina.values.rows_asked import Comparison, RowsAsked
from lamina.values.schema import Column, DataType

TYPES = "id bigint, n int, name string, day date, at timestamp, price decimal(10,2), rate double, ok boolean"
COLUMNS = tuple(
    Column(name=ColumnName(name), type=DataType(kind)) for name, kind in (item.split(" ") for item in TYPES.split(", "))
)


def compared(column: str, operator: str, value: Any = None) -> Comparison:
    return Comparison(column=ColumnName(column), operator=operator, value=value)


def columns(*names: str) -> tuple[tuple[ColumnName, str], ...]:
    return tuple((ColumnName(name.partition(" ")[0]), name.rpartition(" ")[2]) for name in names)


@pytest.mark.parametrize(
    ("sql", "asked"),
    [
        ("SELECT * FROM t", RowsAsked()),
        ("select * from s.t limit 5", RowsAsked(most=5)),
        ("SELECT id, name AS label FROM t", RowsAsked(columns=columns("id", "name label"))),
        ("SELECT count(*) FROM t", RowsAsked(count_as="count(1)")),
        ("SELECT count(*) AS n FROM t WHERE id = 1", RowsAsked(count_as="n", where=(compared("id", "equal", 1),))),
        ("SELECT * FROM t WHERE n > -3 AND (name <> 'a')", None),
        ("SELECT * FROM t WHERE day >= DATE '2026-04-01'", None),
        ("SELECT * FROM t WHERE day < '2026-04-01' AND name IS NOT NULL AND rate IS NULL", None),
    ],
)
def test_a_plain_query_says_what_it_asks_for(sql: str, asked: RowsAsked | None) -> None:
    wheres = {
        "SELECT * FROM t WHERE n > -3 AND (name <> 'a')": (
            compared("n", "greater", -3),
            compared("name", "not_equal", "a"),
        ),
        "SELECT * FROM t WHERE day >= DATE '2026-04-01'": (compared("day", "greater_equal", date(2026, 4, 1)),),
        "SELECT * FROM t WHERE day < '2026-04-01' AND name IS NOT NULL AND rate IS NULL": (
            compared("day", "less", date(2026, 4, 1)),
            compared("name", "is_valid"),
            compared("rate", "is_null"),
        ),
    }
    assert plain_query(sql, COLUMNS) == (asked or RowsAsked(where=wheres[sql]))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT DISTINCT id FROM t",
        "SELECT id + 1 FROM t",
        "SELECT ID FROM t",
        "SELECT t.id FROM t",
        "SELECT nothing FROM t",
        "SELECT *, id FROM t",
        "SELECT * EXCEPT (id) FROM t",
        "SELECT count(id) FROM t",
        "SELECT count(DISTINCT id) FROM t",
        "SELECT count(*), id FROM t",
        "SELECT count(*) OVER () FROM t",
        "SELECT count(*) FILTER (WHERE id = 1) FROM t",
        "SELECT /*+ COALESCE(1) */ id FROM t",
        "SELECT * FROM t x",
        "SELECT * FROM t TABLESAMPLE (5 ROWS)",
        "SELECT * FROM t VERSION AS OF 1",
        "SELECT * FROM t, t",
        "SELECT * FROM t JOIN t u ON true",
        "SELECT * FROM (SELECT * FROM t)",
        "WITH t AS (SELECT 1) SELECT * FROM t",
        "SELECT * FROM t UNION ALL SELECT * FROM t",
        "SELECT * FROM t ORDER BY id",
        "SELECT id FROM t GROUP BY id",
        "SELECT * FROM t LIMIT 1 + 1",
        "SELECT * FROM t LIMIT ALL",
        "SELECT * FROM t LIMIT 5 OFFSET 2",
        "SELECT * FROM t WHERE id = 1 OR id = 2",
        "SELECT * FROM t WHERE NOT id = 1",
        "SELECT * FROM t WHERE id = 1.5",
        "SELECT * FROM t WHERE id = '1'",
        "SELECT * FROM t WHERE id <=> 1",
        "SELECT * FROM t WHERE n = 3000000000",
        "SELECT * FROM t WHERE id = 9223372036854775808",
        "SELECT * FROM t WHERE id = n",
        "SELECT * FROM t WHERE 1 = id",
        "SELECT * FROM t WHERE id = NULL",
        "SELECT * FROM t WHERE name = 1",
        "SELECT * FROM t WHERE name LIKE 'a%'",
        "SELECT * FROM t WHERE lower(name) = 'a'",
        "SELECT * FROM t WHERE day = '2026-4-1'",
        "SELECT * FROM t WHERE day = '2026-02-30'",
        "SELECT * FROM t WHERE at >= '2026-04-01'",
        "SELECT * FROM t WHERE price = 1",
        "SELECT * FROM t WHERE rate > 1",
        "SELECT * FROM t WHERE ok",
        "SELECT * FROM t WHERE id = @limit",
        "SELECT * FROM t WHERE id IN (1, 2)",
        "SELECT",
        "SELECT 1; SELECT 2",
        "SELECT 1",
        "SHOW TABLES",
        "TABLE t",
    ],
)
def test_everything_else_is_left_to_spark(sql: str) -> None:
    assert plain_query(sql, COLUMNS) is None
