"""Decimals, literals and nested types by name."""

import pytest
import sqlglot

from lamina.compiler.query.type_syntax import type_of_syntax
from lamina.compiler.types.spark_types import (
    LONGEST,
    adjusted_decimal,
    decimal_of,
    element_of,
    entry_of,
    fields_of,
    interval_between,
    literal_type,
    map_of,
    struct_of,
)
from lamina.values.schema import UNKNOWN


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("0", "int"),
        ("2147483647", "int"),
        ("2147483648", "bigint"),
        ("9223372036854775807", "bigint"),
        ("9223372036854775808", "decimal(19,0)"),
        ("1.5", "decimal(2,1)"),
        ("0.001", "decimal(3,3)"),
        ("10.00", "decimal(4,2)"),
        (".5", "decimal(1,1)"),
        ("1e3", "double"),
    ],
)
def test_a_number_has_the_type_its_digits_need(text: str, kind: str) -> None:
    assert literal_type(text) == kind


@pytest.mark.parametrize(
    ("precision", "scale", "kind"),
    [(10, 2, "decimal(10,2)"), (39, 10, "decimal(38,9)"), (50, 20, "decimal(38,8)"), (60, 4, "decimal(38,4)")],
)
def test_too_many_digits_cost_scale_down_to_six(precision: int, scale: int, kind: str) -> None:
    assert adjusted_decimal(precision, scale) == kind


def test_integral_types_are_decimals_beside_decimals() -> None:
    assert decimal_of("int") == (10, 0)
    assert decimal_of("decimal(12,4)") == (12, 4)
    assert decimal_of("double") is None


def test_nested_types_are_taken_apart_at_their_own_level() -> None:
    assert element_of("array<map<string,int>>") == "map<string,int>"
    assert entry_of("map<struct<a:int,b:decimal(5,2)>,array<int>>") == ("struct<a:int,b:decimal(5,2)>", "array<int>")
    assert fields_of("struct<a:int,b:struct<c:map<int,int>,d:date>>") == (
        ("a", "int"),
        ("b", "struct<c:map<int,int>,d:date>"),
    )
    assert fields_of("struct<>") == ()
    assert element_of("int") is None
    assert entry_of("int") is None
    assert fields_of("int") is None


@pytest.mark.parametrize(
    ("first", "last", "kind"),
    [
        ("day", "second", "interval day to second"),
        ("hour", "day", "interval day to hour"),
        ("month", "month", "interval month"),
        ("day", "month", None),
    ],
)
def test_an_interval_runs_from_the_larger_unit_to_the_smaller(first: str, last: str, kind: str | None) -> None:
    assert interval_between(first, last) == kind


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("int", "int"),
        ("decimal(10,2)", "decimal(10,2)"),
        ("decimal", "decimal(10,0)"),
        ("varchar(20)", "string"),
        ("timestamp", "timestamp"),
        ("timestamp_ntz", "timestamp_ntz"),
        ("array<struct<a:int,b:string>>", "array<struct<a:int,b:string>>"),
        ("map<string,decimal(5,1)>", "map<string,decimal(5,1)>"),
        ("interval day to second", "interval day to second"),
        ("interval month", "interval month"),
    ],
)
def test_a_cast_names_its_type(written: str, kind: str) -> None:
    cast = sqlglot.parse_one(f"SELECT cast(x AS {written})", dialect="spark").expressions[0]
    assert type_of_syntax(cast.args["to"]) == kind


def test_a_nested_type_that_grows_too_long_stays_unknown() -> None:
    kind = struct_of([("x", "int")])
    lengths = []
    for _ in range(100):
        kind = map_of(kind, struct_of([("a", kind), ("b", kind)]))
        lengths.append(len(kind))
    assert kind == UNKNOWN
    assert max(lengths) < 3 * LONGEST
