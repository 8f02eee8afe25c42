"""Literals that Spark takes for a time of the clock are found; text that only looks like one is left alone."""

import pytest

from lamina.compiler.compile_query import compile_query
from lamina.compiler.query.object import QueryObject
from lamina.compiler.query.operators import SelectBlock

CLOCK = (
    "DATE 'today'",
    "TIMESTAMP 'now'",
    "cast(' NOW ' AS timestamp)",
    "'today'::date",
    "to_date('now')",
    "to_timestamp('now')",
    "try_cast('today' AS date)",
    "date('today')",
    "timestamp('now')",
    "TIMESTAMP_LTZ 'now'",
    "TIMESTAMP_NTZ 'now'",
    "o.day < 'today'",
    "'tomorrow' > o.day",
    "o.day IN ('today')",
    "o.day BETWEEN 'yesterday' AND 'today'",
    "coalesce(o.day, 'today')",
    "CASE WHEN o.id = 0 THEN 'today' ELSE o.day END",
    "date_add('today', 1)",
    "year('now')",
    "datediff('today', o.day)",
    "trunc('today', 'MM')",
    "date_trunc('DAY', 'now')",
    "last_day('today')",
    "cast(concat('to', 'day') AS date)",
    "cast(lower('NOW') AS timestamp)",
    "'today' + INTERVAL 1 DAY",
    "date_format('now', 'yyyy')",
    "next_day('today', 'MON')",
    "months_between('now', o.ts)",
    "hour('now')",
    "sequence(o.day, 'today')",
    "nvl(o.day, 'today')",
    "if(o.id = 0, 'today', o.day)",
    "to_utc_timestamp('now', 'CET')",
    "extract(year FROM 'now')",
    "'now' - o.ts",
    "try_to_timestamp('now')",
    "to_timestamp_ntz('now')",
    "array(o.day, 'today')",
    "timestampdiff(DAY, 'now', o.ts)",
    "window('now', '1 day')",
    "date_diff(day, 'today', o.ts)",
    "map(o.day, 1)['today']",
    "decode(o.day, 'today', 1, 0)",
    "CASE o.day WHEN 'today' THEN 1 END",
    "o.day <=> 'today'",
    "dayofweek('today')",
    "convert_timezone('CET', 'now')",
    "lag(o.day, 1, 'today') OVER (ORDER BY o.id)",
    "nullif(o.day, 'today')",
    "(o.day) = ('today')",
    "o.day <> 'yesterday'",
    "dateadd(DAY, 1, 'today')",
    "unix_millis(TIMESTAMP 'now')",
    "add_months('today',1)",
)
"""Each gave another value at another time when Spark 4.1 was asked."""
TEXT = (
    "'today'",
    "'now' || o.s",
    "upper('today')",
    "CASE WHEN o.id = 0 THEN 'today' ELSE 'later' END",
    "CASE WHEN o.id = 0 THEN 'today' WHEN o.id=1 THEN 'yesterday' END",
    "lower(o.s) = 'today'",
    "cast(o.s AS string) = 'now'",
    "o.s LIKE 'now'",
    "struct('now' AS a)",
    "array('today', 'now')",
    "DATE 'epoch'",
    "DATE '2020-01-01'",
    "CAST('now' AS string)",
    "if(o.id=0,'today','tomorrow')",
    "o.s = 'nowhere'",
    "concat(o.s,'now')",
    "array_contains(o.arr,'today')",
    "startswith(o.s,'now')",
    "lower(o.s) IN ('today','yesterday')",
    "count(*) FILTER (WHERE lower(o.s)='now')",
)


def query(expression: str) -> QueryObject:
    """Compile one output column."""
    text = f"SELECT {expression} AS x FROM raw.o AS o"
    return compile_query(text, ".".join, needs_shape=True)


def volatile_uses(query: QueryObject) -> list[str]:
    """Return what the shape of a query says is volatile."""
    blocks = query.shape.blocks if query.shape is not None else ()
    selects = [block for block in blocks if isinstance(block, SelectBlock)]
    return [item.name for block in selects for item in block.functions if item.kind == "volatile"]


@pytest.mark.parametrize("expression", CLOCK)
def test_a_literal_read_as_a_time_is_volatile(expression: str) -> None:
    found = query(expression)
    assert found.volatile
    assert volatile_uses(found)


@pytest.mark.parametrize("expression", TEXT)
def test_text_is_not_volatile(expression: str) -> None:
    found = query(expression)
    assert not found.volatile
    assert not volatile_uses(found)
