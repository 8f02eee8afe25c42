"""The catalogue of functions: every name is one Spark has, and rules hold for whatever they are given."""

import itertools
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from lamina.compiler.types.functions.catalogue import FUNCTIONS, HIGHER_ORDER
from lamina.compiler.types.functions.facts import AGGREGATES, KNOWN, UNORDERED
from lamina.compiler.types.functions.names import RENAMED, classes_of, function_name
from lamina.compiler.types.spark_types import Typed
from lamina.values.schema import UNKNOWN, DataType, parse_type

NAMES = set((Path(__file__).parent.parent / "fixtures" / "corpus" / "functions.txt").read_text().split())

# What the parser merges or adds: one class for several functions, operators, and units of time.
OWN = {
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "interval_of",
    "like_any",
    "pad",
    "str_position",
    "timestampadd",
    "timestampdiff",
}

TYPES = (
    *("tinyint", "int", "bigint", "float", "double", "decimal(10,2)", "decimal(38,18)", "string", "binary", "boolean"),
    *("date", "timestamp", "timestamp_ntz", "interval day", "interval month", "void", UNKNOWN, "variant"),
    *(
        "array<int>",
        "array<struct<a:int,b:string>>",
        "map<string,int>",
        "struct<a:int,b:array<date>>",
        "array<unknown>",
    ),
)


def test_the_catalogue_is_wide() -> None:
    assert len(FUNCTIONS | HIGHER_ORDER) >= 250


def test_every_name_is_a_function_of_spark_but_our_own() -> None:
    assert (FUNCTIONS | HIGHER_ORDER).keys() - NAMES == OWN


def test_a_function_whose_result_is_known_is_in_the_table_of_facts() -> None:
    assert (FUNCTIONS | HIGHER_ORDER).keys() - OWN <= KNOWN
    assert set(classes_of(UNORDERED).values()) <= UNORDERED <= AGGREGATES


def test_every_renamed_class_leads_to_a_rule() -> None:
    assert {function_name(kind) for kind in RENAMED} <= (FUNCTIONS | HIGHER_ORDER).keys()


_VALUES = st.builds(Typed, st.sampled_from([DataType(kind) for kind in TYPES]), st.booleans())


@given(st.sampled_from(sorted(FUNCTIONS)), st.lists(_VALUES, max_size=4))
def test_a_rule_answers_a_type_or_unknown_for_any_arguments(name: str, arguments: list[Typed]) -> None:
    try:
        found = FUNCTIONS[name](arguments)
    except IndexError:  # too few arguments, which the caller answers with unknown
        return
    known = found.type == UNKNOWN or found.type == "interval" or parse_type(found.type) == found.type
    assert known or any("unknown" in item.type for item in arguments), found


@given(
    st.sampled_from(sorted(HIGHER_ORDER)), st.lists(_VALUES, max_size=3), st.integers(min_value=0, max_value=2), _VALUES
)
def test_a_lambda_rule_answers_for_any_arguments(name: str, arguments: list[Typed], bodies: int, body: Typed) -> None:
    try:
        found = HIGHER_ORDER[name](arguments, [lambda *_: body] * bodies)
    except IndexError:
        return
    assert found.type == UNKNOWN or "unknown" in found.type or parse_type(found.type) == found.type


def test_nullable_arguments_never_make_a_result_less_nullable() -> None:
    kinds = [DataType("int"), DataType("string"), DataType("array<int>")]
    less_nullable = [
        (name, pair)
        for name, rule in FUNCTIONS.items()
        for pair in itertools.product(kinds, repeat=2)
        if rule([Typed(kind, nullable=True) for kind in pair]).nullable
        < rule([Typed(kind, nullable=False) for kind in pair]).nullable
    ]
    assert less_nullable == []
