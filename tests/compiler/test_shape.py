"""What a query is reduced to: blocks, relations, terms, places; and what cannot be seen through is said."""

import pytest
import sqlglot
from sqlglot.errors import ParseError

from lamina.compiler.query.operators import FunctionUse, QueryShape, SelectBlock, SetBlock
from lamina.compiler.slices.shape import shape_of
from lamina.compiler.slices.units import DAY
from lamina.compiler.types.functions import facts


def read(sql: str) -> QueryShape:
    """Return the shape of a query."""
    return shape_of(sqlglot.parse_one(sql, dialect="spark"))


def last(sql: str) -> SelectBlock:
    """Return the result's block, which must be a SELECT."""
    block = read(sql).blocks[-1]
    assert isinstance(block, SelectBlock)
    return block


def test_a_cte_is_read_once_however_often_it_is_used() -> None:
    shape = read("WITH a AS (SELECT x FROM t) SELECT * FROM a JOIN a AS b ON a.x = b.x")
    assert len(shape.blocks) == 2
    block = shape.blocks[-1]
    assert isinstance(block, SelectBlock)
    assert [relation.block for relation in block.relations] == [0, 0]


def test_a_cte_shadows_a_table_of_the_same_name() -> None:
    block = read("WITH orders AS (SELECT 1 AS x) SELECT x FROM orders").blocks[-1]
    assert isinstance(block, SelectBlock)
    assert block.relations[0].table == ""


def test_a_cte_reads_the_table_it_is_named_after() -> None:
    shape = read("WITH orders AS (SELECT x FROM orders) SELECT x FROM orders")
    inner = shape.blocks[0]
    assert isinstance(inner, SelectBlock)
    assert inner.relations[0].table == "orders"


def test_places_are_lines_and_columns_from_one() -> None:
    block = last("SELECT\n  a,\n  sum(b) AS total\nFROM t\nGROUP BY a")
    assert [(item.name, item.at) for item in block.functions] == [("sum", (3, 3))]
    assert block.relations[0].at == (4, 6)


@pytest.mark.parametrize(
    ("written", "unit", "low"),
    [
        ("ts", "instant", 0),
        ("CAST(ts AS date)", "day", 0),
        ("to_date(ts)", "day", 0),
        ("date(ts)", "day", 0),
        ("date_trunc('HOUR', ts)", "hour", 0),
        ("trunc(ts, 'MM')", "month", 0),
        ("ts - INTERVAL 6 DAYS", "instant", -6 * DAY),
        ("INTERVAL '1' WEEK + ts", "instant", 7 * DAY),
        ("date_sub(ts, 2)", "day", -2 * DAY),
        ("date_add(CAST(ts AS date), 2)", "day", 2 * DAY),
        ("ts - INTERVAL 1 MONTH", "instant", -31 * DAY),
        ("CAST(ts - INTERVAL 1 DAY AS date)", "day", -DAY),
    ],
)
def test_time_terms(written: str, unit: str, low: int) -> None:
    (term,) = last(f"SELECT {written} AS x FROM t").outputs[0].terms
    assert (term.column, term.unit, term.low) == ("ts", unit, low)


@pytest.mark.parametrize(
    "written", ["ts - INTERVAL 1 HOUR > x", "lower(ts)", "date_trunc('week', trunc(ts, 'MM'))", "to_date(s, 'yyyy')"]
)
def test_other_expressions_are_no_time_terms(written: str) -> None:
    assert last(f"SELECT {written} AS x FROM t").outputs[0].terms == ()


@pytest.mark.parametrize(
    ("over", "back", "ahead"),
    [
        ("sum(x) OVER (ORDER BY d)", None, 0),
        ("sum(x) OVER (PARTITION BY k)", None, None),
        ("sum(x) OVER (ORDER BY d RANGE BETWEEN INTERVAL 6 DAYS PRECEDING AND CURRENT ROW)", 6 * DAY, 0),
        ("sum(x) OVER (ORDER BY d RANGE BETWEEN CURRENT ROW AND INTERVAL 1 DAY FOLLOWING)", 0, DAY),
        ("sum(x) OVER (ORDER BY d RANGE BETWEEN INTERVAL 1 DAY FOLLOWING AND INTERVAL 2 DAYS FOLLOWING)", 0, 2 * DAY),
        ("sum(x) OVER (ORDER BY d RANGE BETWEEN INTERVAL 2 DAYS PRECEDING AND INTERVAL 1 DAY PRECEDING)", 2 * DAY, 0),
        ("sum(x) OVER (ORDER BY d RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)", 0, None),
        ("sum(x) OVER (ORDER BY d ROWS BETWEEN 6 PRECEDING AND CURRENT ROW)", None, 0),
        ("sum(x) OVER (ORDER BY d ROWS BETWEEN CURRENT ROW AND 1 FOLLOWING)", 0, None),
        ("sum(x) OVER (ORDER BY d ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)", None, None),
        ("lead(x) OVER (ORDER BY d)", None, None),
        ("lag(x) OVER w", None, 0),
    ],
)
def test_windows_say_how_far_they_reach(over: str, back: int | None, ahead: int | None) -> None:
    (window,) = last(f"SELECT {over} AS y FROM t WINDOW w AS (ORDER BY d)").windows
    assert (window.back, window.ahead) == (back, ahead)


def test_joins_keep_their_side() -> None:
    joins = "a LEFT JOIN b ON a.x = b.x RIGHT JOIN c USING (x) LEFT ANTI JOIN d ON d.x = a.x, e"
    sql = f"SELECT * FROM {joins} LATERAL VIEW explode(z) v"
    kinds = [(item.alias, item.join) for item in last(sql).relations]
    assert kinds == [
        ("a", "inner"),
        ("b", "left"),
        ("c", "right"),
        ("d", "anti"),
        ("e", "inner"),
        ("v", "generator"),
    ]


def test_a_long_union_is_one_block() -> None:
    shape = read(" UNION ALL ".join(f"SELECT {number} AS x FROM t" for number in range(400)))
    block = shape.blocks[-1]
    assert isinstance(block, SetBlock)
    assert len(block.branches) == 400


def test_bounds_outside_comparisons_are_loose() -> None:
    block = last("SELECT @start_date AS d FROM t WHERE ts >= @start_date AND (ts < @end_date OR x)")
    assert len(block.loose_bounds) == 1
    assert len(block.where.loose_bounds) == 1
    assert len(block.where.comparisons) == 1


def test_every_aggregate_of_spark_is_seen() -> None:
    names = facts.AGGREGATES
    assert [name for name in sorted(names) if "aggregate" not in {item.kind for item in _calls(name)}] == []


def test_every_volatile_function_of_spark_is_seen() -> None:
    names = facts.VOLATILE
    assert [name for name in sorted(names) if "volatile" not in {item.kind for item in _calls(name)}] == []


def test_no_row_function_is_taken_for_anything_else() -> None:
    names = facts.OTHER
    assert [name for name in sorted(names) if {item.kind for item in _calls(name)} - {"unordered"}] == []


def _calls(name: str) -> tuple[FunctionUse, ...]:
    """Return the function uses of a call with as many arguments as the parser wants."""
    for arguments in ("x", "x, y", "x, y, z", "", "x, y, z, w"):
        try:
            return last(f"SELECT {name}({arguments}) AS r FROM t").functions
        except (ParseError, IndexError):  # too few arguments
            continue
    return ()
