"""Types that the parser asks for again and again are answered as it would answer, without parsing."""

import pytest
import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel

from lamina.compiler.query.parse import Parsed, parse
from lamina.compiler.query.quick_types import quick_types


@pytest.mark.parametrize("word", ["char", "varchar"])
def test_the_answer_is_that_of_the_parser_and_a_new_one_each_time(word: str) -> None:
    parsed = Dialect().parse_into(exp.DataType, word, error_level=ErrorLevel.IGNORE)[0]
    with quick_types():
        first, second = (exp.DataType.build(word) for _ in range(2))
    assert parsed is not None
    assert (first.args, first.key) == (parsed.args, parsed.key)
    assert first is not second


def test_everything_else_is_parsed_as_before() -> None:
    before = sqlglot.parse_one
    with quick_types():
        assert sqlglot.parse_one("char") == exp.column("char")
        assert exp.DataType.build("char(3)").sql() == "CHAR(3)"
        assert exp.DataType.build("char", dialect="postgres").this is exp.DType.CHAR
    assert sqlglot.parse_one is before


@pytest.mark.parametrize(
    ("written", "kind"),
    [("char(3)", exp.DType.TEXT), ("varchar(3)", exp.DType.TEXT), ("string", exp.DType.TEXT), ("int", exp.DType.INT)],
)
def test_a_cast_needs_no_second_parse(monkeypatch: pytest.MonkeyPatch, written: str, kind: exp.DType) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a word was parsed by itself")

    monkeypatch.setattr(Dialect, "parse_into", refuse)
    parsed = parse(f"SELECT CAST(a AS {written}) AS a FROM t")
    assert isinstance(parsed, Parsed)
    found = parsed.tree.find(exp.DataType)
    assert found is not None
    assert (found.this, found.expressions) == (kind, [])
