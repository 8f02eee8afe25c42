"""Which columns a condition bounds by exactly `[@start, @end)`, or by that and a time before it."""

from collections.abc import Iterable, Iterator
from typing import Any

from sqlglot import exp

from lamina.compiler.terms import term_of
from lamina.compiler.uses import PARAMETERS, Locate

Node = Any

_LOWER = {"start_date": "date", "start_ts": "ts"}
_UPPER = {"end_date": "date", "end_ts": "ts"}


def exact_bounds(parts: Iterable[exp.Expr], locate: Locate) -> Iterator[tuple[int, str]]:
    """Yield relation and name of each column with both bounds of the batch on it, by the parts of a condition."""
    seen: dict[tuple[int, str], set[tuple[str, str]]] = {}
    for part in parts:
        for left, comparator, right in _comparisons(part):
            column, bound = _bound(left, comparator, right)
            if column is None or bound is None:
                continue
            found = locate(column)
            if not found.fields:
                seen.setdefault((found.relation, found.name), set()).add(bound)
    for key, bounds in seen.items():
        if any({("lower", unit), ("upper", unit)} <= bounds for unit in ("date", "ts")):
            yield key


def _comparisons(node: exp.Expr) -> Iterator[tuple[Node, type[exp.Expr], Node]]:
    if isinstance(node, (exp.GTE, exp.LTE, exp.LT, exp.GT)):
        yield node.this, type(node), node.expression
    elif isinstance(node, exp.Between) and not node.args.get("symmetric"):
        yield node.this, exp.GTE, node.args["low"]
        yield node.this, exp.LTE, node.args["high"]


def _bound(left: Node, comparator: type[exp.Expr], right: Node) -> tuple[exp.Column | None, tuple[str, str] | None]:
    if _parameter(left) is not None:
        column, name = right, _parameter(left)
        is_lower, is_upper = comparator is exp.LTE, comparator is exp.GT
    elif comparator is exp.LTE:
        column, name = left, _bound_after(right)
        is_lower, is_upper = False, True
    else:
        column, name = left, _parameter(_unshifted(right) if comparator is exp.GTE else right)
        is_lower, is_upper = comparator is exp.GTE, comparator is exp.LT
    if type(column) is not exp.Column or name is None or _parameter(column) is not None:
        return None, None
    if is_lower and name in _LOWER:
        return column, ("lower", _LOWER[name])
    if is_upper and name in _UPPER:
        return column, ("upper", _UPPER[name])
    return None, None


def _unshifted(node: exp.Expr) -> exp.Expr:
    """Return `@start_date` of `@start_date - INTERVAL ...`; the input's declared window tells how far that reaches."""
    is_shifted = isinstance(node, exp.Sub) and isinstance(node.expression, exp.Interval)
    inner: exp.Expr = node.this if is_shifted else node
    return inner


def _bound_after(node: exp.Expr) -> str | None:
    """Return the bound behind a time before it: what is not after that is before the bound."""
    term = term_of(node)
    if term is None or term.relation != PARAMETERS or term.unit not in ("instant", "day"):
        return None
    return term.column if term.high < 0 else None


def _parameter(node: exp.Expr) -> str | None:
    if type(node) is exp.Column and node.text("table") == PARAMETERS:
        return node.name.lower()
    return None
