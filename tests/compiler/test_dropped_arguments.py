"""What the parser drops of a call is in the tree nevertheless."""

import pytest
from sqlglot import exp

from lamina.compiler.query.parse import Parsed, parse


def columns_of(expression: str) -> list[str]:
    """Return the columns of an expression, as the tree has them."""
    parsed = parse(f"SELECT {expression} AS v FROM t")
    assert isinstance(parsed, Parsed)
    return sorted(column.name for column in parsed.tree.find_all(exp.Column))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("percentile(x, 0.5, n)", ["n", "x"]),
        ("Percentile ( x, 0.5, f(n, m) )", ["m", "n", "x"]),
        ("percentile(DISTINCT x, 0.5, n)", ["n", "x"]),
        ("percentile(x, 0.5)", ["x"]),
        ("percentile(x, 0.5, n) + percentile(x, 0.5)", ["n", "x", "x"]),
        ("date_trunc(u, x)", ["u", "x"]),
        ("date_trunc(/* unit */ u, x)", ["u", "x"]),
        ("date_trunc('day', x)", ["x"]),
        ("date_trunc('d' || u, x)", ["u", "x"]),
        ("trunc(x, u)", ["u", "x"]),
        ("trunc(date_trunc(u, x), w)", ["u", "w", "x"]),
        ("trunc(x, 'MM')", ["x"]),
    ],
)
def test_every_argument_is_in_the_tree(expression: str, expected: list[str]) -> None:
    assert columns_of(expression) == expected


def test_frequencies_go_to_the_calls_they_were_written_in() -> None:
    parsed = parse("SELECT percentile(x, 0.5, n) AS v, percentile(y, 0.5, m) AS w, percentile(x, 0.1) AS z FROM t")
    assert isinstance(parsed, Parsed)
    calls = [item.this for item in parsed.tree.expressions]
    assert [call.args.get("frequency", exp.null()).name for call in calls] == [
        "n",
        "m",
        "NULL",
    ]


def test_the_unit_that_a_column_says_is_no_unit_of_that_name() -> None:
    parsed = parse("SELECT date_trunc(day, x) AS v FROM t")
    assert isinstance(parsed, Parsed)
    assert parsed.tree.expressions[0].this.text("unit") == "?"
