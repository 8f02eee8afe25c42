"""Text that Spark takes for a time of the clock where it expects a date or a timestamp, such as `DATE 'today'`."""

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from lamina.compiler.query.nodes import Nodes
from lamina.compiler.slices.terms import INSTANT_TYPES

Node = Any

CLOCK_WORDS = frozenset({"now", "today", "tomorrow", "yesterday"})
TIME_TYPES = INSTANT_TYPES | {exp.DType.DATE}
TEXT_FUNCTIONS = (
    exp.ArrayContains,
    exp.ArrayToString,
    exp.Concat,
    exp.ConcatWs,
    exp.Contains,
    exp.DPipe,
    exp.EndsWith,
    exp.Escape,
    exp.GroupConcat,
    exp.ILike,
    exp.Initcap,
    exp.Length,
    exp.Like,
    exp.Lower,
    exp.MD5,
    exp.Pad,
    exp.RegexpExtract,
    exp.RegexpLike,
    exp.RegexpReplace,
    exp.Replace,
    exp.SHA,
    exp.SHA2,
    exp.Split,
    exp.StartsWith,
    exp.StrPosition,
    exp.Substring,
    exp.Trim,
    exp.Upper,
)
PLAIN_PLACES = (exp.Alias, exp.Group, exp.Ordered, exp.PropertyEQ, exp.Select, exp.Values)
"""Where a literal is a value by itself, which nothing gives another type."""
UNITING = (exp.Array, exp.Between, exp.Binary, exp.Coalesce, exp.In, exp.Nullif)
"""What gives all its operands one type."""
ARITHMETIC = (exp.Add, exp.Sub, exp.Mul, exp.Div)

_LITERALS = frozenset({exp.Literal})
_CASTS = frozenset({exp.Cast, exp.TryCast})


def clock_literals(nodes: Nodes) -> list[Node]:
    """Return the nodes that may be a time of the clock; only those that are surely text are left out."""
    words = [node for node in nodes.of(_LITERALS) if node.is_string and node.this.strip().lower() in CLOCK_WORDS]
    return [*(node for node in words if not _is_used_as_text(node)), *_spelled_out(nodes)]


def _is_used_as_text(node: Node) -> bool:
    while isinstance(node.parent, exp.Paren):
        node = node.parent
    parent = node.parent
    match parent:
        case exp.Cast():
            return not _is_time(parent)
        case exp.Tuple():
            return isinstance(parent.parent, exp.Values)
        case exp.If() | exp.Case():
            return all(_is_text(item) for item in _united(parent, node))
        case None:
            return True
    if isinstance(parent, (*TEXT_FUNCTIONS, *PLAIN_PLACES)):
        return True
    if not isinstance(parent, UNITING) or isinstance(parent, ARITHMETIC):
        return False
    return all(_is_text(item) for item in parent.iter_expressions())


def _united(parent: Node, node: Node) -> Iterator[Node]:
    """Yield what a CASE or an IF gives one type to with one of its literals: operands or results."""
    case = parent.parent if isinstance(parent.parent, exp.Case) else parent
    branches = case.args["ifs"] if isinstance(case, exp.Case) else [case]
    if node is case.args.get("this") or any(node is branch.args["this"] for branch in branches):
        yield from (item for item in (case.args.get("this"), *(branch.args["this"] for branch in branches)) if item)
        return
    yield from (branch.args["true"] for branch in branches)
    default = case.args.get("default") or case.args.get("false")
    if default is not None:
        yield default


def _is_text(node: Node) -> bool:
    match node:
        case exp.Paren():
            return _is_text(node.this)
        case exp.Literal():
            return bool(node.is_string)
        case exp.Cast():
            return bool(node.args["to"].this in exp.DataType.TEXT_TYPES)
        case exp.Case() | exp.If():
            return all(_is_text(item) for item in _united(node, node))
        case _:
            return isinstance(node, (*TEXT_FUNCTIONS, exp.Null))


def _is_time(cast: Node) -> bool:
    return cast.args["to"].this in TIME_TYPES


def _spelled_out(nodes: Nodes) -> Iterator[Node]:
    """Yield the casts of constants put together, such as `cast(lower('NOW') AS date)`: Spark evaluates them first."""
    for cast in (node for node in nodes.of(_CASTS) if _is_time(node)):
        operand = cast.this.unnest()
        if isinstance(operand, (exp.Column, exp.Literal)) or operand.find(exp.Column):
            continue
        text = "".join(item.this for item in operand.find_all(exp.Literal) if item.is_string).lower()
        if any(word in text for word in CLOCK_WORDS):
            yield cast
