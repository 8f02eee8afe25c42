"""Names of output columns without an alias; the corpus holds them to Spark's."""

import pytest
import sqlglot

from lamina.compiler.query.automatic_names import automatic_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("count(*)", "count(1)"),
        ("count(a)", "count(a)"),
        ("count(DISTINCT a, b)", "count(DISTINCT a, b)"),
        ("SUM(a)", "sum(a)"),
        ("sum(a * (1 - b))", "sum((a * (1 - b)))"),
        ("a + 1", "(a + 1)"),
        ("cast(a AS string)", "a"),
        ("t.a::int", "a"),
        ("7", "7"),
        ("'x'", "x"),
    ],
)
def test_names_that_are_known(text: str, name: str) -> None:
    assert automatic_name(sqlglot.parse_one(f"SELECT {text}", dialect="spark").expressions[0]) == name


@pytest.mark.parametrize(
    "text", ["upper(a)", "ucase(a)", "1.50", "a = 1", "sum(upper(a))", "count(*) OVER ()", "t.a + 1"]
)
def test_names_that_depend_on_lost_spelling_are_not_guessed(text: str) -> None:
    assert automatic_name(sqlglot.parse_one(f"SELECT {text}", dialect="spark").expressions[0]) is None
