"""Two tables compared on Spark, against the same computed from Arrow's values in plain Python."""

import math
import random
from collections import Counter
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from lamina.errors import UsageError
from lamina.values.table_diff import ColumnsDiff, RetypedColumn, TableDiff
from lamina.warehouse.spark.table_diff import diff_tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

SCHEMA = (
    "id INT, part STRING, amount DECIMAL(10,2), ratio DOUBLE, small FLOAT, at TIMESTAMP, day DATE, flag BOOLEAN, "
    "raw BINARY, tags ARRAY<STRING>, place STRUCT<x: INT, y: DOUBLE>, `odd.name` STRING, counts MAP<STRING, INT>"
)
Rows = list[tuple[Any, ...]]


def random_row(chance: random.Random, number: int | None, part: str | None) -> tuple[Any, ...]:
    """Return a row with nulls, zeros of both signs, what is not a number, and nested values."""

    def some(*values: Any) -> Any:
        return chance.choice((None, *values))

    ratio = some(0.0, -0.0, 1.5, math.nan, math.inf)
    return (
        number,
        part,
        some(Decimal("1.00"), Decimal("2.50")),
        ratio,
        some(0.5, -0.0, math.nan),
        some(datetime(2026, 4, 1, 1, 2, 3, 4, tzinfo=UTC), datetime(2026, 4, 1, 1, 2, 3, 5, tzinfo=UTC)),
        some(date(2026, 4, 1)),
        chance.choice((None, True, False)),
        some(b"", b"\x00\xff"),
        some([], ["a"], ["a", None]),
        some((1, 0.0), (1, -0.0), (None, math.nan)),
        some("", "x"),
        some({}, {"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": None}),
    )


def plain(value: Any) -> Any:
    """Return a value that equals another one in Python exactly where both are equal as values of their type."""
    match value:
        case float():
            return "NaN" if math.isnan(value) else value + 0.0
        case list() if value and isinstance(value[0], tuple):  # a map of Arrow
            return ("map", frozenset((key, plain(item)) for key, item in value))
        case list():
            return ("list", *(plain(item) for item in value))
        case dict():
            return ("struct", *((key, plain(item)) for key, item in value.items()))
        case _:
            return value


def values_of(frame: "DataFrame") -> list[tuple[Any, ...]]:
    """Return the rows of a frame, read through Arrow and not compared by Spark."""
    table = frame.toArrow()
    columns = [_listed(table.column(name)) for name in table.column_names]
    return [tuple(map(plain, row)) for row in zip(*columns, strict=True)]


def _listed(column: pa.ChunkedArray) -> list[Any]:
    is_map = pa.types.is_map(column.type)
    return [("map", frozenset(item)) if is_map and item is not None else item for item in column.to_pylist()]


def expected_by_key(left: "DataFrame", right: "DataFrame", keys: tuple[int, ...]) -> dict[str, Any]:
    sides = [{tuple(row[key] for key in keys): row for row in values_of(frame)} for frame in (left, right)]
    common = sides[0].keys() & sides[1].keys()
    differing = {key: [a != b for a, b in zip(sides[0][key], sides[1][key], strict=True)] for key in common}
    by_column = [sum(flags[place] for flags in differing.values()) for place in range(len(left.columns))]
    return {
        "rows_left": len(sides[0]),
        "rows_right": len(sides[1]),
        "only_left": len(sides[0].keys() - common),
        "only_right": len(sides[1].keys() - common),
        "rows_changed": sum(any(flags) for flags in differing.values()),
        "changed": {name: count for name, count in zip(left.columns, by_column, strict=True) if count},
    }


def expected_as_bags(left: "DataFrame", right: "DataFrame") -> dict[str, Any]:
    bags = [Counter(values_of(frame)) for frame in (left, right)]
    return {
        "rows_left": bags[0].total(),
        "rows_right": bags[1].total(),
        "only_left": (bags[0] - bags[1]).total(),
        "only_right": (bags[1] - bags[0]).total(),
        "rows_changed": 0,
        "changed": {},
    }


def counts(found: TableDiff) -> dict[str, Any]:
    names = ("rows_left", "rows_right", "only_left", "only_right", "rows_changed", "changed")
    return {name: getattr(found, name) for name in names}


def compared(left: "DataFrame", right: "DataFrame", *keys: str, limit: int = 5) -> TableDiff:
    return diff_tables(left, right, table="t", keys=keys, limit=limit)


@pytest.mark.parametrize("seed", range(3))
def test_random_tables_differ_as_plain_python_says(spark: "SparkSession", seed: int) -> None:
    chance = random.Random(seed)
    keys = [(number, part) for number in (None, 1, 2, 3) for part in (None, "a", "b", "")]
    sides = []
    for _ in range(2):
        rows = [random_row(chance, *key) for key in keys if chance.random() < 0.8]
        sides.append(spark.createDataFrame(rows, SCHEMA))
    left, right = sides
    right = right.unionAll(left.limit(6)).dropDuplicates(["id", "part"])
    right = spark.createDataFrame(right.collect(), SCHEMA)
    assert counts(compared(left, right, "ID", "part")) == expected_by_key(left, right, (0, 1))
    twice = left.unionAll(left.limit(3))
    assert counts(compared(twice, right)) == expected_as_bags(twice, right)
    assert compared(left, left, "id", "part").status == "equal"
    assert compared(left, left.orderBy("part")).status == "equal"


def test_examples_name_the_key_and_only_what_differs(spark: "SparkSession") -> None:
    left = spark.sql(
        "SELECT * FROM VALUES (1, 'a', 1.5D), (2, 'b', NULL), (4, 'e', NULL), (INT(NULL), 'c', 0D) AS t(id, name, x)"
    )
    right = spark.sql(
        "SELECT * FROM VALUES (1, 'a', 2.5D), (3, 'b', NULL), (4, 'e', 0D), (INT(NULL), 'd', -0D) AS t(id, name, x)"
    )
    found = compared(left, right, "id")
    shown = [(row.kind, row.key, row.left, row.right) for row in found.examples]
    assert shown == [
        ("changed", {"id": None}, {"name": "c"}, {"name": "d"}),
        ("changed", {"id": 1}, {"x": 1.5}, {"x": 2.5}),
        ("changed", {"id": 4}, {"x": None}, {"x": 0.0}),
        ("only_left", {"id": 2}, {"name": "b", "x": None}, None),
        ("only_right", {"id": 3}, None, {"name": "b", "x": None}),
    ]
    assert len(compared(left, right, "id", limit=1).examples) == 3
    assert compared(left, right, "id", limit=0).examples == ()


def test_equal_rows_are_counted_without_a_key(spark: "SparkSession") -> None:
    left = spark.sql("SELECT * FROM VALUES (1), (1), (1), (NULL) AS t(id)")
    right = spark.sql("SELECT * FROM VALUES (1), (2) AS t(id)")
    found = compared(left, right)
    assert (found.only_left, found.only_right, found.key) == (3, 1, ())
    assert [(row.kind, row.left or row.right, row.count) for row in found.examples] == [
        ("only_left", {"id": None}, 1),
        ("only_left", {"id": 1}, 2),
        ("only_right", {"id": 2}, 1),
    ]


def test_a_key_that_is_not_unique_matches_nothing(spark: "SparkSession") -> None:
    left = spark.sql("SELECT * FROM VALUES (1, 'a'), (1, 'b') AS t(id, name)")
    right = spark.sql("SELECT * FROM VALUES (1, 'a'), (1, 'c') AS t(id, name)")
    found = compared(left, right, "id")
    assert (found.key, found.only_left, found.only_right) == ((), 1, 1)
    assert found.notes == ("`id` is not unique, so whole rows were compared",)


def test_columns_and_types_are_a_difference_of_their_own(spark: "SparkSession") -> None:
    left = spark.sql("SELECT 1 AS id, 'x' AS gone, 1 AS number, CAST(1 AS DECIMAL(5,2)) AS price, '1' AS text")
    right = spark.sql("SELECT 1 AS ID, 2L AS number, CAST(1 AS DECIMAL(9,2)) AS price, 1 AS text, 'x' AS came")
    found = compared(left, right, "id")
    assert found.status == "different"
    assert found.columns == ColumnsDiff(
        added=("came",),
        removed=("gone",),
        retyped=(
            RetypedColumn("number", "int", "bigint"),
            RetypedColumn("price", "decimal(5,2)", "decimal(9,2)"),
            RetypedColumn("text", "string", "int"),
        ),
    )
    assert found.changed == {"number": 1}
    assert [(item.column, item.reason) for item in found.not_compared] == [
        ("text", "string and int are different types")
    ]


def test_what_has_no_order_is_left_out_and_said(spark: "SparkSession") -> None:
    left = spark.sql("SELECT 1 AS id, array(map('a', 1)) AS maps, map('a', 1, 'b', 2) AS pairs")
    right = spark.sql("SELECT 1 AS id, array(map('a', 2)) AS maps, map('b', 2, 'a', 1) AS pairs")
    found = compared(left, right, "id")
    assert found.status == "equal"
    assert [item.column for item in found.not_compared] == ["maps"]
    for key in ("pairs", "maps", "nothing"):
        with pytest.raises(UsageError, match="cannot be a key"):
            compared(left, right, key)


def test_tables_without_a_common_column_are_counted(spark: "SparkSession") -> None:
    found = compared(spark.range(3).toDF("a"), spark.range(5).toDF("b"))
    assert (found.rows_left, found.rows_right, found.only_left, found.only_right) == (3, 5, 0, 2)


def last_query(spark: "SparkSession") -> int:
    """Return the number of the last query that Spark ran; it remembers only some of them."""
    spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty()
    return int(spark._jsparkSession.sharedState().statusStore().executionsList().last().executionId())


def test_the_number_of_columns_is_not_the_number_of_queries(spark: "SparkSession") -> None:
    wide = ", ".join(f"id + {number} AS c{number}" for number in range(60))
    left = spark.sql(f"SELECT id, {wide} FROM range(10)")
    right = spark.sql(f"SELECT id, {wide.replace('id + 7 ', 'id + 8 ')} FROM range(1, 11)")
    left.count()
    before = last_query(spark)
    found = compared(left, right, "id")
    assert last_query(spark) - before == 2
    assert (found.rows_changed, found.changed, found.only_left, found.only_right) == (9, {"c7": 9}, 1, 1)
