"""What is left of an expression once its tree is dropped."""

import sqlglot
from sqlglot import exp

from lamina.compiler.query.program import expression_program
from lamina.compiler.types.program_form import Program
from lamina.values.codec import from_pack, to_pack


def write(text: str) -> Program:
    tree = sqlglot.parse_one(f"SELECT {text}", dialect="spark").expressions[0]
    return expression_program(
        tree,
        lambda node: ("column", 0, node.name),
        subquery=lambda node: ("column", 7, ""),
        parameter=lambda node: ("literal", "date"),
    )


def test_a_column_is_what_the_query_says_it_is() -> None:
    assert write("a") == ("column", 0, "a")
    assert write("(a) AS b") == ("column", 0, "a")


def test_functions_have_the_names_spark_gives_them() -> None:
    assert write("lcase(a)") == write("lower(a)") == ("call", "lower", ("column", 0, "a"))
    assert write("collect_set(a)") == ("call", "collect_set", ("column", 0, "a"))
    assert write("no_such(a)") == ("call", "no_such", ("column", 0, "a"))


def test_windows_filters_and_null_treatment_leave_their_function() -> None:
    expected = ("call", "sum", ("column", 0, "a"))
    assert write("sum(a) OVER (PARTITION BY b ORDER BY c)") == expected
    assert write("sum(a) FILTER (WHERE b)") == expected
    assert write("first(a) IGNORE NULLS") == ("call", "first", ("column", 0, "a"))


def test_literals_with_a_suffix_are_not_casts() -> None:
    assert write("100L") == ("literal", "bigint", "100")
    assert write("cast(100 AS bigint)") == ("cast", "bigint", ("literal", "int", "100"))
    assert write("date '2024-01-01'") == ("literal", "date")
    assert write("date('2024-01-01')") == ("cast", "date", ("literal", "string"))
    assert write("-5") == ("literal", "int", "-5")


def test_text_is_kept_only_where_a_rule_reads_it() -> None:
    assert write("coalesce(a, 'a long story')") == ("call", "coalesce", ("column", 0, "a"), ("literal", "string"))
    assert write("from_json(a, 'x int')") == ("call", "from_json", ("column", 0, "a"), ("literal", "string", "x int"))
    assert write("a['key']") == ("item", ("column", 0, "a"), ("literal", "string", "key"))


def test_subqueries_and_parameters_are_requested() -> None:
    assert write("(SELECT max(x) FROM y)") == ("column", 7, "")
    assert write("a IN (SELECT x FROM y)") == ("boolean", ("column", 0, "a"), ("column", 7, ""))
    assert write("EXISTS (SELECT 1)") == ("literal", "boolean")
    assert write("@start_date") == ("literal", "date")


def test_a_long_list_of_values_is_written_once() -> None:
    values = ", ".join(f"'{number}'" for number in range(1000))
    assert write(f"a IN ({values})") == ("in", ("column", 0, "a"), ("literal", "string"))


def test_long_chains_stay_flat_and_deep_trees_are_unknown() -> None:
    chain = write(" OR ".join(["a"] * 5000))
    assert chain[0] == "boolean"
    assert len(chain) == 5001
    joined = write(" || ".join(["a"] * 3000))
    assert joined[:2] == ("call", "concat")
    assert len(joined) == 3002
    deep = write(" + ".join(["a"] * 5000))
    assert _depth(deep) < 200


def test_a_program_survives_the_cache() -> None:
    program = write("CASE WHEN a THEN sum(b) / 2 ELSE transform(c, x -> x.d[0]) END")
    assert _as_tuples(from_pack(to_pack(program), list)) == program


def test_unknown_syntax_is_unknown() -> None:
    tree = exp.Tuple(expressions=[exp.column("a"), exp.column("b")])
    assert expression_program(tree, lambda node: ("column", 0, node.name)) == ("unknown",)


def _depth(program: Program) -> int:
    deepest, rest = 0, [(program, 1)]
    while rest:
        node, level = rest.pop()
        deepest = max(deepest, level)
        rest.extend((child, level + 1) for child in node if isinstance(child, tuple))
    return deepest


def _as_tuples(value: object) -> object:
    return tuple(_as_tuples(item) for item in value) if isinstance(value, list) else value
