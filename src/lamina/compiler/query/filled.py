"""Which outputs of a SELECT are never null because its WHERE leaves out the rows where they would be."""

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from lamina.compiler.query.conjuncts import conjuncts
from lamina.compiler.query.nodes import has_grouping_sets

Node = Any
Named = tuple[str, str]  # qualifier and name of a column, in lower case


def filled_outputs(select: Node) -> tuple[str, ...]:
    """Return the outputs, in lower case, that are columns of which the WHERE says IS NOT NULL.

    >>> import sqlglot
    >>> filled_outputs(sqlglot.parse_one("SELECT a AS x, b FROM t WHERE a IS NOT NULL AND (b IS NULL OR c > 1)"))
    ('x',)
    """
    where = select.args.get("where")
    if where is None or has_grouping_sets(select.args.get("group")):
        return ()
    is_single = not any(select.args.get(key) for key in ("joins", "laterals"))
    known = {_named(item.this.this, is_single) for item in conjuncts(where.this) if _is_not_null(item)} - {None}
    if not known:
        return ()
    return tuple(sorted({name for name, column in _columns(select, known, is_single) if column in known}))


def _is_not_null(node: Node) -> bool:
    is_negated = type(node) is exp.Not and type(node.this) is exp.Is
    return is_negated and type(node.this.expression) is exp.Null and type(node.this.this) is exp.Column


def _columns(select: Node, known: set[Named | None], is_single: bool) -> Iterator[tuple[str, Named | None]]:
    """Yield the name of each output that is a column, and that column; a star has every one that is known."""
    for item in select.expressions:
        node = item.this if type(item) is exp.Alias else item
        if type(node) is exp.Column and type(node.this) is not exp.Star:
            yield item.alias_or_name.lower(), _named(node, is_single)
        elif type(item) is exp.Star and is_single and not any(item.args.values()):
            yield from ((column[1], column) for column in known if column is not None)


def _named(node: Node, is_single: bool) -> Named | None:
    """Return a column as it can be compared; without its relation only where there is just one, fields never."""
    if node.args.get("db") is not None:
        return None
    qualifier = node.table.lower()
    if is_single:
        return "", node.name.lower()
    return (qualifier, node.name.lower()) if qualifier else None
