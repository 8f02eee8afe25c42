"""Find aggregates, window functions and row-making functions where Spark refuses them, and keys that group by one."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlglot import exp

from lamina.compiler.query.aggregation import folds_rows, is_unclear
from lamina.compiler.query.generators import is_generator
from lamina.compiler.query.nodes import Nodes, own_nodes, star_of, start_of
from lamina.compiler.query.uses import ONLY_OVER_WINDOWS
from lamina.compiler.slices.calls import is_windowed
from lamina.compiler.types.functions.facts import AGGREGATES, OTHER
from lamina.compiler.types.functions.names import function_name

Node = Any

CLAUSES = {"where": "WHERE", "having": "HAVING", "group": "GROUP BY", "order": "ORDER BY"}
BEFORE_GROUPS = ("where", "group")  # clauses that are evaluated before there are groups
WITHOUT_WINDOWS = ("where", "group", "having")

WINDOWS = frozenset({exp.Window})

OUTSIDE = "compute it in a subquery or CTE, and use its column outside"


class Misplaced(NamedTuple):
    """Why Spark refuses a call, what to do, and where it is."""

    problem: str
    instead: str
    start: int


def misplaced_functions(select: exp.Select) -> list[Misplaced]:
    """Return the calls of one SELECT, its subqueries left out, that Spark refuses where they are."""
    found = [item for clause in select.args["expressions"] for item in _of_clause(clause, "")]
    for key in CLAUSES:
        clause = select.args.get(key)
        if clause is not None:
            found += _of_clause(clause, key)
    return [*found, *_of_positions(select), *_of_having(select)]


def misplaced_calls(nodes: Nodes) -> list[Misplaced]:
    """Return the calls of a whole query that Spark refuses in whatever clause they are."""
    found = [item for window in nodes.of(WINDOWS) for item in _of_windowed(window)]
    generators = {kind for kind in nodes.kinds if is_generator(kind)}
    return [*found, *(item for call in nodes.of(generators) for item in _of_generator(call))]


def _of_windowed(window: Node) -> Iterator[Misplaced]:
    function = _function_of(window)
    if type(window.this) is exp.Filter:
        instead = "put the condition into CASE inside the aggregate"
        yield Misplaced("FILTER is used in a window function", instead, start_of(function))
    elif isinstance(function, exp.AggFunc):
        if type(function.args.get("this")) is exp.Distinct:
            instead = "use `size(collect_set(...) OVER (...))`, or count in a subquery"
            yield Misplaced("DISTINCT is used in a window function", instead, start_of(function))
    elif isinstance(function, exp.Func) and (name := _name_of(function)) in OTHER:
        instead = f"put OVER after the aggregate, inside `{name}`"
        yield Misplaced(f"`{name}` is not a window function", instead, start_of(function))


def _of_generator(call: Node) -> Iterator[Misplaced]:
    parent = call.parent
    while type(parent) is exp.Paren:
        parent = parent.parent
    is_inside = isinstance(parent, exp.Func | exp.Binary | exp.Not | exp.Where | exp.Having)
    if is_inside and not isinstance(parent, exp.Dot):
        name = _name_of(call)
        yield Misplaced(f"`{name}` is used inside an expression", f"use `LATERAL VIEW {name}(...)`", start_of(call))


def _of_having(select: exp.Select) -> Iterator[Misplaced]:
    """Yield a HAVING that has no groups to choose from, beside a column."""
    having = select.args.get("having")
    if having is None or select.args.get("group") is not None:
        return
    clauses = [*select.args["expressions"], having]
    nodes = [node for clause in clauses for node in own_nodes(clause)]
    if any(folds_rows(clause) for clause in clauses) or any(is_unclear(node) for node in nodes):
        return
    column = next((node for node in nodes if isinstance(node, exp.Column | exp.Star)), None)
    if column is not None:
        instead = "use WHERE for a condition on rows"
        yield Misplaced("HAVING is used without GROUP BY or an aggregate", instead, start_of(having))


def _of_clause(clause: Node, key: str) -> Iterator[Misplaced]:
    for node in own_nodes(clause):
        if type(node) is exp.Window:
            yield from _of_window(node, key)
        elif isinstance(node, (exp.AggFunc, *ONLY_OVER_WINDOWS)) or _is_aggregate_by_name(node):
            yield from _of_call(node, key)


def _of_window(node: Node, key: str) -> Iterator[Misplaced]:
    function = _function_of(node)
    if isinstance(function, exp.Identifier):
        return  # the definition of a named window
    if key in WITHOUT_WINDOWS:
        yield Misplaced(f"a window function is used in {CLAUSES[key]}", OUTSIDE, start_of(node))
    elif _enclosing_aggregate(node) is not None:
        yield Misplaced("a window function is used inside an aggregate", OUTSIDE, start_of(node))
    elif isinstance(function, ONLY_OVER_WINDOWS) and not node.args.get("order") and not node.args.get("alias"):
        name = function.sql_name().lower()
        yield Misplaced(f"the window of `{name}` has no order", "add ORDER BY to its OVER clause", start_of(node))


def _of_call(node: Node, key: str) -> Iterator[Misplaced]:
    if is_windowed(node):
        return
    name = _name_of(node)
    if isinstance(node, ONLY_OVER_WINDOWS):
        yield Misplaced(f"`{name}` has no window", "add `OVER (ORDER BY ...)`", start_of(node))
    elif key in BEFORE_GROUPS:
        instead = "use HAVING for a condition on groups" if key == "where" else "group by the columns it is made of"
        yield Misplaced(f"the aggregate `{name}` is used in {CLAUSES[key]}", instead, start_of(node))
    elif _enclosing_aggregate(node) is not None:
        yield Misplaced(f"the aggregate `{name}` is used inside another one", OUTSIDE, start_of(node))


def _of_positions(select: exp.Select) -> Iterator[Misplaced]:
    """Yield the numbers in GROUP BY that mean an aggregate, or no output at all, or are beside a star."""
    items, group = select.args["expressions"], select.args.get("group")
    keys = [key for key in group.expressions if type(key) is exp.Literal and key.is_int] if group is not None else []
    if keys and any(star_of(item) is not None for item in items):
        yield Misplaced("a number in GROUP BY is used beside `*`", "name the columns to group by", start_of(keys[0]))
        return
    if any(isinstance(item, exp.Aliases | exp.UDTF) for item in items):
        return  # one item may be several outputs
    for key in keys:
        position = int(key.name)
        if not 0 < position <= len(items):
            instead = f"use a number from 1 to {len(items)}"
            yield Misplaced(f"GROUP BY {position} refers to no output column", instead, start_of(key))
        elif folds_rows(items[position - 1]):
            yield Misplaced(f"GROUP BY {position} refers to an aggregate", "group by the other outputs", start_of(key))


def _name_of(call: Node) -> str:
    if type(call) is exp.Anonymous:
        return str(call.name.lower())
    return function_name(type(call)) or ""


def _is_aggregate_by_name(node: Node) -> bool:
    return type(node) is exp.Anonymous and node.name.lower() in AGGREGATES


def _function_of(window: Node) -> Node:
    function = window.this
    while isinstance(function, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
        function = function.this
    return function


def _enclosing_aggregate(node: Node) -> Node | None:
    """Return the aggregate over rows that a node is an argument of; one over a window takes what groups give."""
    parent = node.parent
    while parent is not None and not isinstance(parent, exp.Query):
        if isinstance(parent, exp.AggFunc) and not isinstance(parent, ONLY_OVER_WINDOWS) and not is_windowed(parent):
            return parent
        parent = parent.parent
    return None
