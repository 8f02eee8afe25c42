"""Find the subqueries that return more columns than values are wanted where they are, or fewer."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from sqlglot import exp

from lamina.compiler.query.nodes import Nodes, star_of, start_of

_SUBQUERIES = frozenset({exp.Subquery})
_MANY_VALUES = (exp.Struct, exp.Anonymous)  # before IN: perhaps as many values as columns
_EXPRESSIONS = (exp.Binary, exp.Between, exp.Func, exp.Alias, exp.Select, exp.Case, exp.Not, exp.Paren)


class WideSubquery(NamedTuple):
    """A subquery, how many columns it returns and how many are wanted, and where it is."""

    columns: int
    wanted: int
    start: int


def wide_subqueries(nodes: Nodes) -> list[WideSubquery]:
    """Return the subqueries of expressions that list another number of columns than is wanted."""
    return [found for node in nodes.of(_SUBQUERIES) for found in _of_subquery(node)]


def _of_subquery(node: Any) -> Iterator[WideSubquery]:
    items = node.this.expressions if type(node.this) is exp.Select else []
    count = len(items)
    wanted = _wanted(node) if items else 0
    # A star or a function that makes rows may be several columns, and is one at least.
    is_sure = wanted == 1 < count or all(type(item) is exp.Alias or _is_column(item) for item in items)
    if wanted and count != wanted and is_sure:
        yield WideSubquery(count, wanted, start_of(items[-1]))


def _is_column(item: Any) -> bool:
    return type(item) is exp.Column and star_of(item) is None


def _wanted(node: Any) -> int:
    """Return how many columns a subquery may have; 0 where any number may do."""
    parent = node.parent
    while type(parent) is exp.Subquery:
        node, parent = parent, parent.parent
    if isinstance(parent, exp.In):
        values = parent.this.unnest()
        if type(values) is exp.Tuple:
            return len(values.expressions)
        return 0 if isinstance(values, _MANY_VALUES) else 1
    if type(parent) is exp.Select:
        return 1 if any(item is node for item in parent.expressions) else 0
    # A function that makes tables can take one.
    tabular = (exp.Anonymous, exp.UDTF, exp.Exists, exp.Any, exp.All)
    return 1 if isinstance(parent, _EXPRESSIONS) and not isinstance(parent, tabular) else 0
