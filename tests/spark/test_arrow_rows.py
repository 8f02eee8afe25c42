"""Rows that are read without Spark are those that Spark reads, of all types; what might differ is left to it."""

from typing import Any

import pytest
from tests.spark.lake import Lake

from lamina.compiler.render import verbatim
from lamina.planner.plain_query import plain_query
from lamina.values.codec import to_json
from lamina.values.names import ColumnName, TableName
from lamina.values.result import QueryResult
from lamina.values.rows_asked import RowsAsked

pytestmark = pytest.mark.spark

VALUES = """
SELECT id, if(id = 2, null, b) AS b, i, l, f, d, s, x, day, at, local, dec, tiny, arr, m, st, nested FROM (
  SELECT id, id % 2 = 0 AS b, CAST(id AS int) AS i, id * 1000000000000 AS l,
    CASE id WHEN 0 THEN float('nan') WHEN 1 THEN float('infinity') ELSE float(0.1) END AS f,
    CASE id WHEN 0 THEN double('-infinity') WHEN 1 THEN double('nan') WHEN 3 THEN -0.0D ELSE 1e300 END AS d,
    CASE id WHEN 0 THEN '' WHEN 3 THEN 'Grüße 🌍\\n"x"' ELSE concat('n', id) END AS s,
    CASE id WHEN 0 THEN X'' ELSE X'00FF10' END AS x,
    CASE id WHEN 0 THEN DATE '0001-01-01' WHEN 1 THEN DATE '9999-12-31'
      WHEN 2 THEN null ELSE DATE '2026-03-29' END AS day,
    CASE id WHEN 0 THEN TIMESTAMP '1901-01-01 00:00:00Z' WHEN 1 THEN TIMESTAMP '2026-03-29 01:30:00.000001Z'
      WHEN 2 THEN null ELSE TIMESTAMP '2026-10-25 00:30:00.5Z' END AS at,
    CASE id WHEN 0 THEN null ELSE TIMESTAMP_NTZ '2026-03-29 02:30:00.123456' END AS local,
    CASE id WHEN 0 THEN CAST(0 AS decimal(20,10)) WHEN 1 THEN -12345678.0000000001BD ELSE 1.5BD END AS dec,
    CAST(id - 1 AS decimal(5,0)) AS tiny,
    CASE id WHEN 0 THEN array() WHEN 1 THEN null ELSE array(1.25BD, null) END AS arr,
    CASE id WHEN 0 THEN map() ELSE map(DATE '2026-01-01', double('nan'), DATE '2026-01-02', null) END AS m,
    CASE id WHEN 0 THEN null ELSE named_struct('a', id, 'b', X'01', 'c', TIMESTAMP '2026-01-01 00:00:00Z') END AS st,
    array(map(id = 1, named_struct('z', array(float('nan')), 'y', TIMESTAMP_NTZ '2026-01-01 00:00:00'))) AS nested
  FROM range(4)
)"""


@pytest.fixture
def table(lake: Lake) -> TableName:
    lake.spark.sql("CREATE NAMESPACE IF NOT EXISTS lake.s")
    return TableName("s.t")


def both(lake: Lake, sql: str) -> tuple[QueryResult | None, QueryResult]:
    """Return the answer from the files and the one of Spark."""
    table = TableName("s.t")
    asked = plain_query(sql, lake.warehouse.heads([table])[table].columns)
    assert asked is not None
    return lake.warehouse.read_rows(table, asked, limit=100), lake.warehouse.query(verbatim(sql), limit=100)


def same(lake: Lake, sql: str) -> QueryResult:
    """Return the answer, the same by both ways; rows in any order, as Spark gives them."""
    ours, spark = both(lake, sql)
    assert ours is not None
    assert (ours.columns, ours.is_cut) == (spark.columns, spark.is_cut)
    assert sorted(map(to_json, ours.rows)) == sorted(map(to_json, spark.rows))
    return ours


@pytest.mark.usefixtures("table")
def test_values_of_every_type_are_those_of_spark(lake: Lake) -> None:
    lake.spark.sql(f"CREATE TABLE lake.s.t USING iceberg PARTITIONED BY (b) AS {VALUES}")
    rows = same(lake, "SELECT * FROM s.t").rows
    assert len(rows) == 4
    by_id: dict[Any, tuple[Any, ...]] = {row[0]: row for row in rows}
    assert (by_id[0][4], by_id[1][4], by_id[0][5], by_id[1][5]) == ("NaN", "Infinity", "-Infinity", "NaN")
    assert (by_id[1][9], by_id[0][10], by_id[0][11]) == ("2026-03-29T01:30:00.000001Z", None, "0E-10")


PLAIN = [
    ("SELECT count(*) FROM s.t", 1),
    ("SELECT count(*) AS n FROM s.t WHERE i >= 1 AND b IS NOT NULL", 1),
    ("SELECT s, id AS number FROM s.t WHERE i <> 2", 3),
    ("SELECT id FROM s.t WHERE day > '2026-01-01'", 2),
    ("SELECT id FROM s.t WHERE day <= DATE '2026-03-29' AND s <> ''", 1),
    ("SELECT id FROM s.t WHERE s > 'n1'", 1),
    ("SELECT id FROM s.t WHERE b IS NULL", 1),
    ("SELECT id FROM s.t WHERE id = -1", 0),
    ("SELECT id FROM s.t LIMIT 0", 0),
    ("SELECT count(*) FROM s.t LIMIT 0", 0),
]


@pytest.mark.usefixtures("table")
def test_plain_queries_are_answered_as_spark_does(lake: Lake) -> None:
    lake.spark.sql(f"CREATE TABLE lake.s.t USING iceberg AS {VALUES}")
    assert [len(same(lake, sql).rows) for sql, _ in PLAIN] == [count for _, count in PLAIN]


def test_columns_are_found_by_what_they_are_after_the_schema_changed(lake: Lake, table: TableName) -> None:
    for statement in (
        "CREATE TABLE lake.s.t (a int, b string, c float, gone int) USING iceberg",
        "INSERT INTO lake.s.t VALUES (1, 'x', 0.1, 7)",
        "ALTER TABLE lake.s.t DROP COLUMN gone",
        "ALTER TABLE lake.s.t RENAME COLUMN b TO was_b",
        "ALTER TABLE lake.s.t ADD COLUMN b string",
        "ALTER TABLE lake.s.t ALTER COLUMN a TYPE bigint",
        "ALTER TABLE lake.s.t ALTER COLUMN c TYPE double",
        "INSERT INTO lake.s.t VALUES (2, 'y', 0.2, 'z')",
    ):
        lake.spark.sql(statement)
    assert len(same(lake, "SELECT * FROM s.t").rows) == 2
    assert same(lake, "SELECT a FROM s.t WHERE b = 'x'").rows == ()
    ordered = lake.warehouse.read_rows(table, RowsAsked(order_by=ColumnName("b")), limit=1)
    assert ordered is not None
    assert (ordered.rows[0][3], ordered.is_cut) == (None, True)


def test_what_pyarrow_might_read_otherwise_is_left_to_spark(lake: Lake, table: TableName) -> None:
    for statement in (
        "CREATE TABLE lake.s.t (a int, s struct<x:int>) USING iceberg "
        "TBLPROPERTIES ('write.delete.mode' = 'merge-on-read', 'format-version' = '2')",
        "INSERT INTO lake.s.t SELECT id, named_struct('x', id) FROM range(10)",
        "ALTER TABLE lake.s.t RENAME COLUMN s.x TO y",
    ):
        lake.spark.sql(statement)
    assert lake.warehouse.read_rows(table, RowsAsked(), limit=10) is None
    assert len(same(lake, "SELECT a FROM s.t").rows) == 10
    lake.spark.sql("DELETE FROM lake.s.t WHERE a = 3")
    assert lake.warehouse.read_rows(table, RowsAsked(count_as="n"), limit=10) is None


def test_an_empty_table_has_no_rows(lake: Lake, table: TableName) -> None:
    lake.spark.sql("CREATE TABLE lake.s.t (a int) USING iceberg")
    assert same(lake, "SELECT * FROM s.t").rows == ()
    assert lake.warehouse.read_rows(table, RowsAsked(count_as="n"), limit=1) is not None
