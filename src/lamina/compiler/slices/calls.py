"""What a function call means for incrementality: whether it folds rows, and what its value depends on."""

from typing import Any

from sqlglot import exp

from lamina.compiler.query.operators import FunctionKind
from lamina.compiler.types.functions.facts import AGGREGATES, KNOWN, UNORDERED, VOLATILE
from lamina.compiler.types.functions.names import called_name, function_name

Node = Any


def kinds_of(node: Node) -> tuple[FunctionKind, ...]:
    """Return what there is to say about a call; nothing for a function of one row."""
    name = called_name(node)
    if name in VOLATILE:
        return ("volatile",)
    if is_windowed(node):
        return ()
    if isinstance(node, exp.Anonymous) and name not in KNOWN:
        return ("unknown",)
    if not isinstance(node, (exp.AggFunc, exp.Any)) and name not in AGGREGATES:
        return ()
    is_unordered = name in UNORDERED and not isinstance(node.parent, exp.WithinGroup)
    return ("aggregate", "unordered") if is_unordered else ("aggregate",)


def is_plain_call(kind: type[exp.Expr]) -> bool:
    """Return whether `kinds_of` has nothing to say about a class of calls."""
    if issubclass(kind, (exp.Anonymous, exp.AggFunc, exp.Any)):
        return False
    name = function_name(kind)
    return name not in VOLATILE and name not in AGGREGATES


def is_windowed(node: Node) -> bool:
    """Return whether a call is the function of a window."""
    parent = node.parent
    while isinstance(parent, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        node, parent = parent, parent.parent
    return isinstance(parent, exp.Window) and parent.this is node
