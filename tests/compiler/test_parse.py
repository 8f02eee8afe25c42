"""What is said about a text that cannot be parsed: in the words of a user, at the place where it goes wrong."""

import pytest
from tests.compiler.projects import graph_of, model, source

from lamina.compiler.query.parse import parse
from lamina.values.diagnostic import Diagnostic


@pytest.mark.parametrize(
    ("text", "reason", "place"),
    [
        ("SELECT a,\n  'open FROM t", "this quote is never closed", (2, 3)),
        ("SELECT 'it''s \\' fine', `a\nFROM t", "this quote is never closed", (1, 25)),
        ("SELECT 1 - 2 / 3 -- don't\n  /* open", "this comment is never closed", (2, 3)),
        ("SELECT x'zz'", "a literal contains characters that do not belong there", (1, 1)),
        ("SELECT a >\nFROM t", "something is missing near `FROM`", (2, 1)),
        ("SELECT a b c FROM t", "unexpected text near `c`", (1, 12)),
        ("SELECT (a FROM t", "expected `)` near `FROM`", (1, 11)),
        ("SELECT", "it selects nothing", (1, 1)),
        ("\nSELECT FROM t", "it selects nothing", (2, 1)),
        ("SELECT '{{ x }}'\nFROM {{ ref('orders') }}", "it is a template", (2, 6)),
        ("SELECT 1 {%- if a %} , 2 {% endif %}", "it is a template", (1, 10)),
        ("SELECT ${X} AS a", "it is a template", (1, 9)),
        ("SELECT a FROM", "expected table name near `FROM`", (1, 10)),
    ],
)
def test_a_syntax_error_is_reported_in_plain_words(text: str, reason: str, place: tuple[int, int]) -> None:
    found = parse(text)
    assert isinstance(found, Diagnostic)
    assert found.message == f"the query cannot be parsed: {reason}"
    assert (found.line, found.column) == place


@pytest.mark.parametrize("function", ["window", "session_window"])
def test_rows_can_be_grouped_by_windows_of_time(function: str) -> None:
    sql = f"SELECT {function}.start AS day, count(*) AS orders FROM raw.orders GROUP BY {function}(ts, '1 day')"
    graph = graph_of(source("raw.orders", "id bigint, ts timestamp"), model("main.daily", sql))
    assert graph.diagnostics == ()
    assert [use.read_set for use in graph.models[0].inputs] == [("ts",)]
