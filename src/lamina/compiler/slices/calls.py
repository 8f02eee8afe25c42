"""Tell what a function call means for incrementality: whether it folds rows, and what its value depends on."""

from typing import Any

from sqlglot import exp

from lamina.compiler.query.operators import FunctionKind
from lamina.compiler.slices.frames import class_name, function_name
from lamina.compiler.types import function_kinds

Node = Any

VOLATILE_NODES = (
    exp.Rand,
    exp.Randn,
    exp.Randstr,
    exp.Uniform,
    exp.Uuid,
    exp.Shuffle,
    exp.CurrentDate,
    exp.CurrentTime,
    exp.CurrentTimestamp,
    exp.CurrentDatetime,
    exp.Localtimestamp,
    exp.CurrentUser,
    exp.SessionUser,
)
UNORDERED_NODES = (
    exp.First,
    exp.Last,
    exp.FirstValue,
    exp.LastValue,
    exp.AnyValue,
    exp.ArrayAgg,
    exp.ArrayUniqueAgg,
    exp.ArgMax,
    exp.ArgMin,
    exp.GroupConcat,
    exp.Mode,
)


def kinds_of(node: Node) -> tuple[FunctionKind, ...]:
    """Return what there is to say about a call; nothing for a function of one row."""
    name = function_name(node)
    if isinstance(node, VOLATILE_NODES) or name in function_kinds.VOLATILE:
        return ("volatile",)
    if is_windowed(node):
        return ()
    if isinstance(node, exp.Anonymous) and name not in function_kinds.KNOWN:
        return ("unknown",)
    if not isinstance(node, (exp.AggFunc, exp.Any)) and name not in function_kinds.AGGREGATES:
        return ()
    is_unordered = isinstance(node, UNORDERED_NODES) and not isinstance(node.parent, exp.WithinGroup)
    return ("aggregate", "unordered") if is_unordered else ("aggregate",)


def is_plain_call(kind: type[exp.Expr]) -> bool:
    """Tell of a class of calls that `kinds_of` has nothing to say about any of them."""
    if issubclass(kind, (exp.Anonymous, exp.AggFunc, exp.Any, *VOLATILE_NODES)):
        return False
    name = class_name(kind)
    return name not in function_kinds.VOLATILE and name not in function_kinds.AGGREGATES


def is_windowed(node: Node) -> bool:
    """Tell whether a call is the function of a window."""
    parent = node.parent
    while isinstance(parent, (exp.IgnoreNulls, exp.RespectNulls, exp.Filter)):
        node, parent = parent, parent.parent
    return isinstance(parent, exp.Window) and parent.this is node
