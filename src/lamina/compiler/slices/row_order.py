"""Where the result of a query depends on the order of rows: numbering windows, LIMIT, and some aggregates."""

from collections.abc import Iterable, Iterator
from typing import Any

from sqlglot import exp

from lamina.compiler.query.nodes import Nodes, first_start, has_grouping_sets
from lamina.compiler.query.object import RowChoice, SelectScope, UnorderedCall
from lamina.compiler.query.operators import NOWHERE
from lamina.compiler.query.scopes import Scopes
from lamina.compiler.slices.calls import kinds_of
from lamina.compiler.slices.frames import ordered_by, window_parts
from lamina.compiler.slices.outputs import group_keys
from lamina.compiler.slices.terms import term_of
from lamina.compiler.types.functions.facts import UNORDERED
from lamina.compiler.types.functions.names import called_name, classes_of

Node = Any

_WINDOWS = frozenset({exp.Window})
_LIMITS = frozenset({exp.Limit, exp.Offset, exp.Fetch})


def unordered_calls(nodes: Nodes) -> tuple[UnorderedCall, ...]:
    """Return the aggregates among the nodes of a query that depend on the order of rows."""
    calls = [node for node in nodes.of(classes_of(UNORDERED).keys()) if "unordered" in kinds_of(node)]
    return tuple([UnorderedCall(called_name(node), first_start(node)) for node in calls])


def row_choices(nodes: Nodes, scopes: Scopes) -> tuple[RowChoice, ...]:
    """Return what numbers or chooses rows among the nodes of a query whose scopes are known."""
    numberings = [choice for node in nodes.of(_WINDOWS) for choice in _numbering(node, scopes)]
    limited = {id(node.parent): node.parent for node in nodes.of(_LIMITS)}
    return (*numberings, *[choice for node in limited.values() for choice in _limit(node, scopes)])


def _numbering(node: Node, scopes: Scopes) -> Iterator[RowChoice]:
    select = node.find_ancestor(exp.Query)
    if type(select) is not exp.Select or type(node.this) is exp.Identifier:  # the latter is in a WINDOW clause
        return
    window = window_parts(node, {item.name.lower(): item for item in select.args.get("windows") or ()})
    keys = [*window.partition, *ordered_by(window.order)]
    if window.is_numbering and not _orders_groups(select, keys):
        relation, columns = _keyed(select, keys, scopes)
        is_ordered = window.order is not None
        yield RowChoice(called_name(window.function), relation, columns, is_ordered, first_start(window.function))


def _limit(node: Node, scopes: Scopes) -> Iterator[RowChoice]:
    if not isinstance(node, exp.Query):
        return
    keys = ordered_by(node.args.get("order"))
    if not _orders_groups(node, keys):
        relation, columns = _keyed(node, keys, scopes)
        clause = node.args.get("limit") or node.args["offset"]
        yield RowChoice("", relation, columns, bool(keys), first_start(clause))


def _orders_groups(query: Node, keys: Iterable[Node]) -> bool:
    """Return whether the keys of GROUP BY, each of which is one row, are all among those of an order."""
    group = query.args.get("group")
    if group is None or has_grouping_sets(group):
        return False
    ordered = {term.replace(at=NOWHERE) for key in keys if (term := term_of(key)) is not None}
    return all(key is not None and key.replace(at=NOWHERE) in ordered for key in group_keys(query))


def _keyed(query: Node, keys: Iterable[Node], scopes: Scopes) -> tuple[int, tuple[str, ...]]:
    """Return the only relation of a query and which of its columns are among the keys of an order."""
    scope = scopes.scopes[scopes.numbers[id(query)]] if id(query) in scopes.numbers else None
    if not isinstance(scope, SelectScope) or len(scope.relations) != 1 or query.args.get("group") is not None:
        return -1, ()
    relation = scope.relations[0]
    aliases = ("", scopes.relations[relation].alias.lower())
    names = {key.name.lower() for key in keys if type(key) is exp.Column and key.table.lower() in aliases}
    return relation, tuple(sorted(names))
