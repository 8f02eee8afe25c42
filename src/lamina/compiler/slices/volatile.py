"""Functions and literals whose value depends on the clock or on chance, so that a second build gives other rows."""

from sqlglot import exp

from lamina.compiler.query.nodes import Nodes
from lamina.compiler.slices.clock_literals import clock_literals
from lamina.compiler.types.functions.facts import VOLATILE
from lamina.compiler.types.functions.names import classes_of

_BY_NAME = frozenset({exp.Anonymous})


def volatile_functions(nodes: Nodes) -> tuple[str, ...]:
    """Return the names of such functions, and such literals, among the nodes of a query, sorted."""
    by_class = classes_of(VOLATILE)
    found = {by_class[kind] for kind in nodes.kinds & by_class.keys()}
    found |= VOLATILE & {str(node.this).lower() for node in nodes.of(_BY_NAME)}
    found |= {literal_name(node) for node in clock_literals(nodes)}
    return tuple(sorted(found))


def literal_name(node: exp.Expr) -> str:
    """Return the text of a clock literal as written."""
    literal = node.find(exp.Literal)
    return f"'{literal.this}'" if literal is not None else ""
