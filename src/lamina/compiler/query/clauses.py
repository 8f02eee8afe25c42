"""The expressions a SELECT is made of, those inside its FROM clause too; queries and tables there are not entered."""

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from lamina.compiler.query.nodes import is_named_table

Node = Any
Clause = tuple[Node, bool]  # an expression, and whether it is WHERE or ON


def clauses(node: Node) -> Iterator[Clause]:
    """Yield the clauses of a SELECT."""
    for item in node.expressions:
        yield item, False
    for key in ("where", "group", "having", "qualify", "order", "sort", "cluster", "distribute"):
        if node.args.get(key):
            yield node.args[key], key == "where"
    for window in node.args.get("windows") or ():
        yield window, False
    start = node.args.get("from_")
    if start is not None:
        yield from _made_rows(start.this)
        yield from _clauses_of_joins(start.this)
    yield from _clauses_of_joins(node)


def clauses_over(node: Node) -> Iterator[Clause]:
    """Yield the clauses of a bracketed join, or those around a bracketed query."""
    yield from _made_rows(node)
    yield from _clauses_of_joins(node)
    for key in ("where", "order", "sort", "cluster", "distribute"):
        if node.args.get(key):
            yield node.args[key], key == "where"


def _clauses_of_joins(node: Node) -> Iterator[Clause]:
    for join in node.args.get("joins") or ():
        if join.args.get("on"):
            yield join.args["on"], True
        if not join.this.args.get("joins") and not join.this.args.get("laterals"):
            yield from _made_rows(join.this)
    for lateral in node.args.get("laterals") or ():
        yield lateral.this, False


def _made_rows(node: Node) -> Iterator[Clause]:
    """Yield the arguments from which a relation makes its rows; a table or a query has none."""
    match node:
        case exp.Table() if not is_named_table(node):
            yield node.this, False
        case exp.Lateral() if not isinstance(node.this, exp.Query):
            yield node.this, False
        case exp.Unnest():
            yield from ((item, False) for item in node.expressions)


def laterals(node: Node) -> list[Node]:
    """Return the LATERAL VIEWs of a SELECT."""
    start = node.args.get("from_")
    return [*(start.this.args.get("laterals") or () if start else ()), *(node.args.get("laterals") or ())]
