"""Read what checks are written with as Spark will: a condition on one row of a model's output, or an aggregate."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlglot import exp

from lamina.compiler.link.lookup import PSEUDO_COLUMNS
from lamina.compiler.problems.foreign_syntax import foreign_syntax
from lamina.compiler.problems.miscounted_calls import Miscounted, miscounted_calls
from lamina.compiler.problems.unknown_functions import unknown_functions
from lamina.compiler.query.called_words import called_words
from lamina.compiler.query.nodes import Nodes, own_nodes
from lamina.compiler.query.parse import parse
from lamina.compiler.query.program import expression_program
from lamina.compiler.subject import find_column
from lamina.compiler.types.functions.facts import AGGREGATES
from lamina.compiler.types.infer import evaluate
from lamina.compiler.types.program_form import UNKNOWN_PROGRAM, Program
from lamina.compiler.types.spark_types import UNTYPED, Typed
from lamina.values.diagnostic import Diagnostic
from lamina.values.schema import UNKNOWN, Schema

Node = Any

NUMBERS = frozenset({"tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "void"})
TRUTHS = frozenset({"boolean", "string", "void", UNKNOWN})  # Spark reads a text as a truth value


class Flaw(NamedTuple):
    """Why Spark would refuse a condition, and what to do."""

    reason: str
    hint: str


class Reading(NamedTuple):
    """What is wrong with one condition."""

    flaws: tuple[Flaw, ...] = ()
    unknown_columns: tuple[str, ...] = ()
    unknown_functions: tuple[str, ...] = ()
    miscounted: tuple[Miscounted, ...] = ()


def read_condition(text: str, columns: Schema | None, *, is_aggregate: bool = False) -> Reading:
    """Return what is wrong with a condition, or an aggregate, over these columns; None: they are not known."""
    what = "aggregate" if is_aggregate else "condition"
    query = f"SELECT ({text})"  # a check runs it in brackets too
    parsed = parse(query)
    if isinstance(parsed, Diagnostic):
        reason = parsed.message.removeprefix("the query cannot be parsed: ")
        reason = reason if ")" in text else reason.removesuffix(" near `)`")
        return Reading((Flaw(f"cannot be parsed: {reason}", f"write one Spark SQL {what}"),))
    tree: Node = parsed.tree
    whole = tree.expressions[0].unnest() if len(tree.expressions) == 1 else None
    has_clauses = any(value for key, value in tree.args.items() if key != "expressions")
    if has_clauses or whole is None or isinstance(whole, exp.Alias | exp.Tuple | exp.Star):
        hint = "write one value" if is_aggregate else "join conditions with AND, and leave other clauses out"
        return Reading((Flaw(f"is more than one {what}", hint),))
    nodes = list(own_nodes(whole))
    missing = tuple(_missing_columns(nodes, columns)) if columns is not None else ()
    called = called_words(query)
    functions = tuple(call.name for call in unknown_functions(query, called, nodes=nodes))
    foreign = (
        Flaw(f"cannot run: {item.problem}", item.instead)
        for item in foreign_syntax(query, parsed.tokens, nodes=Nodes(whole))
    )
    flaws = (*_flaws(nodes, is_aggregate=is_aggregate), *foreign)
    miscounted = tuple(miscounted_calls(query, called, tokens=parsed.tokens, nodes=nodes))
    if columns is not None and not (flaws or missing or functions or miscounted):
        flaws = tuple(_of_wrong_type(whole, columns, is_aggregate=is_aggregate))
    return Reading(flaws, missing, functions, miscounted)


def _flaws(nodes: list[Node], *, is_aggregate: bool) -> Iterator[Flaw]:
    aggregates = {id(node): name for node in nodes if (name := _aggregate_name(node)) is not None}
    if is_aggregate and not aggregates:
        yield Flaw("has no aggregate", "write one such as `sum(amount)`; `expression` checks look at single rows")
    for node in nodes:
        kind = type(node)
        if isinstance(node, exp.Parameter | exp.Placeholder):
            name = node.sql(dialect="spark")
            yield Flaw(f"reads `{name}`, and parameters are not known in checks", "write the value itself")
        elif kind is exp.Window:
            yield Flaw("contains a window function", "compute the value in the query, and check its column")
        elif id(node) in aggregates and not is_aggregate:
            hint = "a check of this type looks at one row: use `aggregate`"
            yield Flaw(f"contains the aggregate `{aggregates[id(node)]}`", hint)
        elif is_aggregate and aggregates and kind is exp.Column and not _is_inside(node, aggregates):
            yield Flaw(f"reads `{node.name}` outside of an aggregate", "put an aggregate such as `max` around it")


def _aggregate_name(node: Node) -> str | None:
    if isinstance(node, exp.AggFunc) and type(node.parent) is not exp.Window:
        return str(node.sql_name().lower())
    return str(node.name.lower()) if type(node) is exp.Anonymous and node.name.lower() in AGGREGATES else None


def _is_inside(node: Node, aggregates: dict[int, str]) -> bool:
    """Return whether a column is read by an aggregate or by its FILTER."""
    while (node := node.parent) is not None:
        if id(node) in aggregates or type(node) in (exp.Filter, exp.Lambda):
            return True
    return False


def _missing_columns(nodes: list[Node], columns: Schema) -> Iterator[str]:
    """Yield the columns that the output lacks; `row.amount` may mean a field, or the staged table by its name."""
    known = {column.name.lower() for column in columns}
    for node in nodes:
        if type(node) is exp.Column and type(node.this) is not exp.Star:
            parts = [part.name.lower() for part in node.parts]
            if known.isdisjoint(parts) and PSEUDO_COLUMNS.isdisjoint(parts):
                yield str(node.name)


def _of_wrong_type(whole: Node, columns: Schema, *, is_aggregate: bool) -> Iterator[Flaw]:
    def program(node: exp.Column) -> Program:
        return ("column", 0, node.name) if node.args.get("table") is None else UNKNOWN_PROGRAM

    def lookup(_: int, name: str) -> Typed:
        column = find_column(columns, name)
        return Typed(column.type, column.nullable) if column is not None else UNTYPED

    found = evaluate(expression_program(whole, program), lookup).type
    if is_aggregate and found != UNKNOWN and found.partition("(")[0] not in NUMBERS:
        yield Flaw(f"is `{found}`, not a number", "its value is compared with `min` and `max`")
    elif not is_aggregate and found not in TRUTHS:
        yield Flaw(f"is `{found}`, not true or false", "compare the value with something")
