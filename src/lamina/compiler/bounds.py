"""Which columns a condition bounds by exactly `[@start, @end)`, or by that and a time before it."""

from collections.abc import Iterable, Iterator

from sqlglot import exp

from lamina.compiler.uses import PARAMETERS, Locate

_LOWER = {"start_date": "date", "start_ts": "ts"}
_UPPER = {"end_date": "date", "end_ts": "ts"}


def exact_bounds(parts: Iterable[exp.Expr], locate: Locate) -> Iterator[tuple[int, str]]:
    """Yield relation and name of each column with both bounds of the batch on it, by the parts of a condition."""
    seen: dict[tuple[int, str], set[tuple[str, str]]] = {}
    for part in parts:
        column, bound = _bound(part)
        if column is None or bound is None:
            continue
        found = locate(column)
        if not found.fields:
            seen.setdefault((found.relation, found.name), set()).add(bound)
    for key, bounds in seen.items():
        if any({("lower", unit), ("upper", unit)} <= bounds for unit in ("date", "ts")):
            yield key


def _bound(node: exp.Expr) -> tuple[exp.Column | None, tuple[str, str] | None]:
    if not isinstance(node, (exp.GTE, exp.LTE, exp.LT, exp.GT)):
        return None, None
    left, right = node.this, node.expression
    if _parameter(left) is not None:
        column, name = right, _parameter(left)
        is_lower, is_upper = isinstance(node, exp.LTE), isinstance(node, exp.GT)
    else:
        column, name = left, _parameter(_unshifted(right) if isinstance(node, exp.GTE) else right)
        is_lower, is_upper = isinstance(node, exp.GTE), isinstance(node, exp.LT)
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


def _parameter(node: exp.Expr) -> str | None:
    if type(node) is exp.Column and node.text("table") == PARAMETERS:
        return node.name.lower()
    return None
