"""Find the subqueries that stand where one value is wanted, and return several columns."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlglot import exp

from lamina.compiler.nodes import Nodes, start_of

_SUBQUERIES = frozenset({exp.Subquery})
_MANY_VALUES = (exp.Tuple, exp.Struct, exp.Anonymous)  # before IN: as many values as columns
_EXPRESSIONS = (exp.Binary, exp.Between, exp.Func, exp.Alias, exp.Select, exp.Case, exp.Not, exp.Paren)


class WideSubquery(NamedTuple):
    """A subquery, how many columns it returns, and where the second one stands."""

    columns: int
    start: int


def wide_subqueries(nodes: Nodes) -> list[WideSubquery]:
    """Return the subqueries of expressions that list more than one column; what a star stands for is not known here."""
    return [found for node in nodes.of(_SUBQUERIES) for found in _of_subquery(node)]


def _of_subquery(node: Any) -> Iterator[WideSubquery]:
    inner = node.this
    if type(inner) is not exp.Select or len(inner.expressions) < 2 or not _is_one_value(node):
        return
    yield WideSubquery(len(inner.expressions), start_of(inner.expressions[1]))


def _is_one_value(node: Any) -> bool:
    parent = node.parent
    while type(parent) is exp.Subquery:
        node, parent = parent, parent.parent
    if isinstance(parent, exp.In):
        return not isinstance(parent.this.unnest(), _MANY_VALUES)
    if type(parent) is exp.Select:
        return any(item is node for item in parent.expressions)
    # A function that makes tables can take one.
    tabular = (exp.Anonymous, exp.UDTF, exp.Exists, exp.Any, exp.All)
    return isinstance(parent, _EXPRESSIONS) and not isinstance(parent, tabular)
