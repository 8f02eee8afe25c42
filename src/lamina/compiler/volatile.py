"""Functions whose value depends on the clock or on chance, so that a second build gives other rows."""

from collections.abc import Collection
from functools import cache

from sqlglot import exp

from lamina.compiler.function_kinds import VOLATILE


def volatile_functions(nodes: Collection[exp.Expr]) -> tuple[str, ...]:
    """Return the names of such functions among the nodes of a query, sorted."""
    kinds = set(map(type, nodes))
    found = {name for kind in kinds if (name := _name(kind)) in VOLATILE}
    if exp.Anonymous in kinds:
        found |= VOLATILE & {str(node.this).lower() for node in nodes if type(node) is exp.Anonymous}
    return tuple(sorted(found))


@cache
def _name(kind: type[exp.Expr]) -> str:
    return kind.sql_name().lower() if issubclass(kind, exp.Func) else ""
