"""Functions whose value depends on the clock or on chance, so that a second build gives other rows."""

from collections.abc import Iterable

from sqlglot import exp

from lamina.compiler.function_kinds import VOLATILE

_KINDS: dict[type[exp.Expr], str] = {}


def volatile_functions(nodes: Iterable[exp.Expr]) -> tuple[str, ...]:
    """Return the names of such functions among the nodes of a query, sorted."""
    return tuple(sorted({name for node in nodes if (name := _name(node)) in VOLATILE}))


def _name(node: exp.Expr) -> str:
    kind = type(node)
    if kind is exp.Anonymous:
        return str(node.this).lower()
    known = _KINDS.get(kind)
    if known is None:
        known = _KINDS[kind] = kind.sql_name().lower() if issubclass(kind, exp.Func) else ""
    return known
