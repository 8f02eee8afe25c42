"""A plus before an operand is kept as the call that Spark makes of it; one between operands is an addition."""

import pytest

from lamina.compiler.query.parse import Parsed, parse


def written_again(expression: str) -> str:
    parsed = parse(f"SELECT {expression} AS v FROM t")
    assert isinstance(parsed, Parsed)
    return str(parsed.tree.expressions[0].this.sql(dialect="spark")).lower()


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("+s", "positive(s)"),
        ("/* a note */ + s", "positive(s)"),
        ("(+s)", "(positive(s))"),
        ("x * +s", "x * positive(s)"),
        ("x + + s", "x + positive(s)"),
        ("- +s", "-positive(s)"),
        ("CASE WHEN b THEN +s ELSE +u END", "case when b then positive(s) else positive(u) end"),
        ("cbrt(x) + f(+s)", "cbrt(x) + f(positive(s))"),
        ("+'5'", "positive('5')"),
    ],
)
def test_a_plus_before_an_operand_is_a_call(expression: str, expected: str) -> None:
    assert written_again(expression) == expected


@pytest.mark.parametrize("expression", ["a + b", "f(a) + b", "a[0] + b", "t.all + b", "'1' + b", "day + b", "`in` + b"])
def test_a_plus_between_operands_stays_an_addition(expression: str) -> None:
    assert written_again(expression) == expression


@pytest.mark.parametrize("expression", ["+1", "+1.5"])
def test_a_plus_before_a_number_changes_nothing(expression: str) -> None:
    assert written_again(expression) == expression[1:]


def test_a_plus_is_a_plus_among_the_tokens() -> None:
    parsed = parse("SELECT +s AS v FROM t")
    assert isinstance(parsed, Parsed)
    assert [token.token_type.name for token in parsed.tokens][1] == "PLUS"
