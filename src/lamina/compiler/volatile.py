"""Functions whose value depends on the clock or on chance, so that a second build gives other rows."""

from sqlglot import exp

from lamina.compiler.function_kinds import VOLATILE

_KINDS: dict[type[exp.Expr], str] = {}


def volatile_functions(tree: exp.Expr) -> tuple[str, ...]:
    """Return the names of such functions in a query, sorted."""
    return tuple(sorted({name for node in tree.find_all(exp.Func) if (name := _name(node)) in VOLATILE}))


def _name(node: exp.Func) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower()
    kind = type(node)
    if kind not in _KINDS:
        _KINDS[kind] = kind.sql_name().lower()
    return _KINDS[kind]
