"""Types as users write them and the one form they are compared in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.values.schema import parse_type


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("INTEGER", "int"),
        ("long", "bigint"),
        ("Short", "smallint"),
        ("byte", "tinyint"),
        ("real", "float"),
        ("VARCHAR(10)", "string"),
        ("char(3)", "string"),
        ("decimal", "decimal(10,0)"),
        ("NUMERIC(5)", "decimal(5,0)"),
        ("dec( 12 , 4 )", "decimal(12,4)"),
        ("timestamp_ltz", "timestamp"),
        ("TIMESTAMP_NTZ", "timestamp_ntz"),
        ("interval day", "interval day"),
        ("INTERVAL Year TO Month", "interval year to month"),
        ("array<array<long>>", "array<array<bigint>>"),
        ("map<string, array<int>>", "map<string,array<int>>"),
        ("STRUCT<a: INT, b STRING NOT NULL COMMENT 'x, y'>", "struct<a:int,b:string>"),
        ("struct<`odd name`: int>", "struct<odd name:int>"),
        ("struct<>", "struct<>"),
        ("  date  ", "date"),
    ],
)
def test_written_types_have_one_canonical_form(written: str, canonical: str) -> None:
    assert parse_type(written) == canonical


@pytest.mark.parametrize(
    "written",
    [
        "",
        "text",
        "int int",
        "int;",
        "decimal(39,1)",
        "decimal(2,3)",
        "decimal(0)",
        "decimal(10,2",
        "varchar",
        "array<>",
        "array<int",
        "map<string>",
        "struct<a>",
        "struct<a:int,,b:int>",
        "interval",
        "interval day to month",
        "interval second to day",
        "array<" * 60 + "int" + ">" * 60,
        "x" * 200_000,
    ],
)
def test_what_spark_does_not_know_is_no_type(written: str) -> None:
    assert parse_type(written) is None


def _nested(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        inner.map(lambda kind: f"array<{kind}>"),
        st.tuples(inner, inner).map(lambda pair: f"map<{pair[0]},{pair[1]}>"),
        st.lists(inner, min_size=1, max_size=3).map(
            lambda kinds: f"struct<{','.join(f'f{at}:{kind}' for at, kind in enumerate(kinds))}>"
        ),
    )


_SIMPLE = st.sampled_from(
    ("int", "bigint", "string", "decimal(10,2)", "date", "timestamp_ntz", "interval day to second")
)


@given(st.recursive(_SIMPLE, _nested, max_leaves=8))
def test_a_canonical_type_reads_as_itself(kind: str) -> None:
    assert parse_type(kind) == kind
    assert parse_type(kind.upper().replace(",", " , ").replace("F", "f")) == kind


@given(st.text(alphabet="intdecimal<>(),:`' 0123456789", max_size=60))
def test_any_text_is_a_type_or_none(text: str) -> None:
    found = parse_type(text)
    assert found is None or parse_type(found) == found
