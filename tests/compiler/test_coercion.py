"""The common type of several values and the casts that can lose one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.compiler.types.coercion import can_cast_to_null, can_try_cast_to_null, common_type, common_type_of, widen
from lamina.compiler.types.spark_types import Typed
from lamina.values.schema import UNKNOWN, DataType

NUMBERS = ("tinyint", "smallint", "int", "bigint", "decimal(10,2)", "decimal(20,4)")


@pytest.mark.parametrize(
    ("left", "right", "common"),
    [
        ("int", "bigint", "bigint"),
        ("int", "float", "double"),
        ("float", "float", "float"),
        ("int", "decimal(10,2)", "decimal(12,2)"),
        ("decimal(10,2)", "decimal(20,4)", "decimal(20,4)"),
        ("decimal(38,10)", "decimal(38,2)", "decimal(38,2)"),
        ("decimal(10,2)", "double", "double"),
        ("string", "int", "bigint"),
        ("string", "decimal(10,2)", "double"),
        ("string", "date", "date"),
        ("string", "boolean", "boolean"),
        ("string", "binary", "binary"),
        ("date", "timestamp", "timestamp"),
        ("date", "timestamp_ntz", "timestamp_ntz"),
        ("timestamp", "timestamp_ntz", "timestamp"),
        ("void", "int", "int"),
        ("boolean", "int", None),
        ("interval day", "interval hour to second", "interval day to second"),
        ("interval day", "interval month", None),
        ("interval day", "string", None),
        ("array<int>", "array<decimal(2,1)>", "array<decimal(11,1)>"),
        ("array<int>", "map<int,int>", None),
        ("map<string,int>", "map<string,bigint>", "map<string,bigint>"),
        ("struct<a:int,b:string>", "struct<A:bigint,b:string>", "struct<a:bigint,b:string>"),
        ("struct<a:int>", "struct<b:int>", None),
        (UNKNOWN, "int", UNKNOWN),
    ],
)
def test_two_types_meet_where_spark_lets_them(left: str, right: str, common: str | None) -> None:
    assert common_type(DataType(left), DataType(right)) == common


def test_beside_strings_the_order_decides() -> None:
    kinds = [DataType(kind) for kind in ("string", "int", "decimal(2,1)")]
    assert common_type_of(kinds) == "decimal(21,1)"
    assert common_type_of(reversed(kinds)) == "double"


@given(st.permutations([DataType(kind) for kind in NUMBERS]))
def test_numbers_meet_at_one_type_in_any_order(kinds: list[DataType]) -> None:
    assert common_type_of(kinds) == "decimal(24,4)"


@pytest.mark.parametrize(
    ("source", "target", "is_lost"),
    [
        ("string", "int", True),
        ("string", "binary", False),
        ("int", "string", False),
        ("int", "bigint", False),
        ("bigint", "int", False),
        ("double", "int", True),
        ("decimal(10,2)", "decimal(10,0)", False),
        ("decimal(10,2)", "decimal(10,3)", True),
        ("int", "decimal(10,0)", False),
        ("int", "decimal(3,0)", True),
        ("boolean", "decimal(1,0)", False),
        ("timestamp", "date", False),
        ("timestamp_ntz", "date", True),
        ("date", "timestamp_ntz", True),
        ("date", "timestamp", False),
        ("void", "int", False),
    ],
)
def test_some_casts_can_give_null(source: str, target: str, is_lost: bool) -> None:
    assert can_cast_to_null(DataType(source), DataType(target)) is is_lost


@pytest.mark.parametrize(
    ("source", "target", "is_lost"),
    [
        ("int", "bigint", False),
        ("bigint", "int", True),
        ("int", "double", False),
        ("decimal(10,2)", "double", True),
        ("decimal(10,2)", "decimal(12,2)", False),
        ("boolean", "int", True),
        ("timestamp", "date", True),
        ("date", "timestamp_ntz", False),
        ("boolean", "string", False),
    ],
)
def test_a_tried_cast_is_null_unless_it_widens(source: str, target: str, is_lost: bool) -> None:
    assert can_try_cast_to_null(DataType(source), DataType(target)) is is_lost


def test_branches_widen_together_or_stay_unknown() -> None:
    number, text, truth = (Typed(DataType(kind), nullable=False) for kind in ("int", "string", "boolean"))
    assert widen([number, number]) == Typed(DataType("int"), nullable=False)
    assert widen([number, Typed(DataType("void"), nullable=True)]) == Typed(DataType("int"), nullable=True)
    assert widen([number, text]) == Typed(DataType("bigint"), nullable=True)
    assert widen([number, truth]).type == UNKNOWN
    assert widen([number, Typed(UNKNOWN, nullable=True)]).type == UNKNOWN
