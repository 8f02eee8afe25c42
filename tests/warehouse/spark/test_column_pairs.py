"""Which columns of two tables are compared, by their names and types."""

import pytest

from lamina.errors import UsageError
from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType, Schema
from lamina.values.table_diff import ColumnsDiff
from lamina.warehouse.spark.column_pairs import key_pairs, match_columns


def schema(**columns: str) -> Schema:
    return tuple(Column(ColumnName(name), DataType(kind)) for name, kind in columns.items())


@pytest.mark.parametrize(
    ("left", "right", "is_compared"),
    [
        ("int", "int", True),
        ("int", "bigint", True),
        ("bigint", "int", True),
        ("float", "double", True),
        ("decimal(5,2)", "decimal(9,2)", True),
        ("decimal(9,2)", "decimal(5,2)", True),
        ("decimal(5,2)", "decimal(9,3)", False),
        ("int", "string", False),
        ("int", "decimal(10,0)", False),
        ("date", "timestamp", False),
        ("timestamp", "timestamp_ntz", False),
        ("struct<a:int>", "struct<a:int>", True),
        ("struct<a:int>", "struct<a:bigint>", False),
        ("array<struct<a:int>>", "array<struct<a:int>>", True),
        ("map<string,int>", "map<string,int>", True),
        ("map<string,map<string,int>>", "map<string,map<string,int>>", False),
        ("array<map<string,int>>", "array<map<string,int>>", False),
        ("variant", "variant", False),
    ],
)
def test_types_are_compared_as_types(left: str, right: str, is_compared: bool) -> None:
    columns, pairs, left_out = match_columns(schema(a=left), schema(A=right))
    assert (len(pairs), len(left_out)) == ((1, 0) if is_compared else (0, 1))
    assert len(columns.retyped) == (left != right)
    assert (columns.added, columns.removed) == ((), ())


def test_a_column_of_one_side_is_named() -> None:
    columns, pairs, _ = match_columns(schema(a="int", b="int"), schema(c="int", B="int"))
    assert (columns.added, columns.removed) == (("c",), ("a",))
    assert [(pair.left, pair.right) for pair in pairs] == [("b", "B")]


@pytest.mark.parametrize(
    ("key", "why"), [("a", "only one table has it"), ("nope", "no column of both"), ("m", "no column of both")]
)
def test_a_key_must_be_in_both_tables_and_have_an_order(key: str, why: str) -> None:
    columns, pairs, _ = match_columns(
        schema(a="int", b="int", m="map<string,int>"), schema(b="int", m="map<string,int>")
    )
    assert key_pairs(pairs, ("B", "b"), columns) == (pairs[0],)
    with pytest.raises(UsageError, match=why):
        key_pairs(pairs, (key,), columns)
    assert columns == ColumnsDiff(removed=("a",))
