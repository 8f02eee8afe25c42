"""Which columns of an expression an aggregate folds and which are outside; what is not known counts as folded."""

from collections.abc import Iterable, Iterator
from typing import Any

from sqlglot import exp

from lamina.compiler.types.functions.facts import AGGREGATES, KNOWN, RANKING

Node = Any

LEAVES = (exp.Boolean, exp.DataType, exp.Identifier, exp.Literal, exp.Null, exp.Star, exp.Var)
# `ANY` is an aggregate or a quantifier; a variable of a lambda is not a column.
CLOSED = (exp.AggFunc, exp.Any, exp.Filter, exp.Lambda, exp.Query, exp.QueryTransform, exp.WithinGroup, *LEAVES)
NAMING = frozenset({"identifier", "session_window", "window"})  # functions that a column can be named after

_IS_CLOSED: dict[type, bool] = {}  # by class of node, found once for each


def columns_outside(node: Node) -> Iterator[exp.Column]:
    """Yield the columns of an expression that no aggregate, query or unknown function encloses."""
    stack = [node]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is exp.Column:
            yield item
        elif kind is exp.Window:
            stack.extend(_inside_window(item))
        elif not _is_closed(kind) and not is_unclear(item):
            stack.extend(children_of(item))


def folds_rows(node: Node) -> bool:
    """Return whether an expression surely holds an aggregate over rows, not over a window."""
    stack = [node]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is exp.Column:
            continue
        if kind is exp.Window:
            stack.extend(_inside_window(item))
        elif kind is exp.Filter or kind is exp.WithinGroup:
            stack.append(item.this)
        elif _is_closed(kind):
            if isinstance(item, exp.AggFunc) and item.sql_name().lower() not in RANKING:
                return True
        elif kind is exp.Anonymous and item.name.lower() in AGGREGATES:
            return True
        elif not is_unclear(item):
            stack.extend(children_of(item))
    return False


def _inside_window(window: Node) -> Iterator[Node]:
    """Yield what a window function takes from each row: its arguments, and how rows are divided and ordered."""
    function = window.this
    while isinstance(function, exp.IgnoreNulls | exp.RespectNulls):
        function = function.this
    if isinstance(function, exp.Func) and not is_unclear(function):
        yield from children_of(function)
    yield from window.args.get("partition_by") or ()
    if window.args.get("order") is not None:
        yield window.args["order"]


def _is_closed(kind: type) -> bool:
    """Return whether nothing inside nodes of a class counts."""
    known = _IS_CLOSED.get(kind)
    if known is None:
        known = _IS_CLOSED[kind] = issubclass(kind, CLOSED)
    return known


def is_unclear(node: Node) -> bool:
    """Return whether a function could be an aggregate of the user's, or give a column its name."""
    kind = type(node)
    if kind is exp.Anonymous:
        name = node.name.lower()
        return name in AGGREGATES or name in NAMING or name not in KNOWN
    return kind is exp.Dot and isinstance(node.expression, exp.Func)


def children_of(node: Node) -> Iterable[Node]:
    """Yield the nodes directly inside a node."""
    for value in node.args.values():
        if isinstance(value, exp.Expr):
            yield value
        elif isinstance(value, list):
            yield from [item for item in value if isinstance(item, exp.Expr)]
