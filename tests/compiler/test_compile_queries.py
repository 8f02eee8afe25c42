"""Several queries compiled together give what each gives by itself, also where some of them are broken."""

from lamina.compiler.compile_query import QueryText, compile_queries, compile_query

TEXTS = (
    "SELECT a, upper(b) AS b FROM t WHERE a IS NOT NULL",
    "SELECT a FROM",  # does not parse
    "SELECT a FROM t WHERE day >= @start_date AND day < @end_date",
    "SELECT a FROM IDENTIFIER('t')",  # refused after it was parsed
    "WITH c AS (SELECT a FROM t) SELECT a, count(*) AS n FROM c GROUP BY a",
    f"SELECT {'(' * 100}a{')' * 100} FROM t",  # nests too deep
    "",
    "SELECT a FROM t VERSION AS OF 3",
    "SELECT a, now() AS b FROM t",
)


def test_queries_compiled_together_are_as_compiled_alone() -> None:
    alone = [compile_query(text, ".".join, needs_shape=True) for text in TEXTS]
    assert compile_queries(QueryText(text, ".".join, needs_shape=True) for text in TEXTS) == alone
    assert [bool(query.diagnostics) for query in alone] == [False, True, False, True, False, True, True, True, False]
