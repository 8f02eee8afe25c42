"""Small questions about nodes of the parser's tree."""

from collections.abc import Iterator, Sequence, Set
from typing import Any

from sqlglot import exp

from lamina.compiler.query.automatic_names import automatic_name

_WORDS = frozenset({exp.Identifier, exp.Literal})  # hold no other node
_LEAVES = _WORDS | {exp.Column}
_GROUPING_SETS = (exp.Rollup, exp.Cube, exp.GroupingSets)
MOST_DIGITS = 9  # of a position: Python reads no number of any length, and no query has so many columns


class Nodes:
    """The nodes of one tree; most questions are about kinds of nodes that it does not have."""

    __slots__ = ("_by_kind", "all", "kinds")

    def __init__(self, tree: exp.Expr) -> None:
        self.all = found = [tree]
        self._by_kind: dict[type[exp.Expr], list[Any]] = {}
        for node in found:  # it grows meanwhile, from the outside in
            kind = node.__class__
            if kind in self._by_kind:
                self._by_kind[kind].append(node)
            else:
                self._by_kind[kind] = [node]
            if kind in _WORDS:
                continue
            for value in node.args.values():
                if isinstance(value, exp.Expr):
                    found.append(value)
                elif value.__class__ is list:
                    found.extend([item for item in value if isinstance(item, exp.Expr)])
        self.kinds = self._by_kind.keys()

    def of(self, kinds: Set[type[exp.Expr]]) -> Sequence[Any]:
        """Return the nodes of some classes, from the outside in."""
        if self.kinds.isdisjoint(kinds):
            return ()
        met = [kind for kind in self._by_kind if kind in kinds]
        return self._by_kind[met[0]] if len(met) == 1 else [node for node in self.all if node.__class__ in kinds]


def output_name(item: exp.Expr) -> str:
    """Return the name Spark gives an output column, as far as it is known; an empty one otherwise."""
    if isinstance(item, exp.Alias):
        return item.alias
    if isinstance(item, exp.Column):
        return item.name
    if isinstance(item, exp.Dot):
        return str(item.expression.name)
    return automatic_name(item) or ""


def star_of(item: exp.Expr) -> exp.Star | None:
    """Return the star of an item of a SELECT list, qualified or not; None if it is none."""
    if isinstance(item, exp.Star):
        return item
    if type(item) is exp.Column and isinstance(item.this, exp.Star):
        return item.this
    return None


def is_named_table(node: exp.Expr) -> bool:
    """Return whether an item of FROM is a name, of however many parts, rather than a function or a query."""
    if not isinstance(node, exp.Table):
        return False
    this = node.this
    return isinstance(this, exp.Identifier) or (isinstance(this, exp.Dot) and _is_dotted_name(this))


def _is_dotted_name(dot: exp.Dot) -> bool:
    return all(isinstance(part, exp.Identifier) for part in dot.flatten())


def ordinals(keys: list[exp.Expr]) -> list[int]:
    """Return the positions, from 0, that keys written as numbers mean."""
    found = [position_of(key) for key in keys]
    return [position for position in found if position is not None and position >= 0]


def position_of(key: exp.Expr) -> int | None:
    """Return the position, from 0, that a key written as a number means; None if it is not such a number."""
    is_number = isinstance(key, exp.Literal) and not key.is_string and len(key.this) <= MOST_DIGITS and key.is_int
    return int(key.this) - 1 if is_number else None


def column_aliases(node: exp.Expr) -> tuple[str, ...]:
    """Return the column names of `AS t(a, b)`."""
    alias = node.args.get("alias")
    if not isinstance(alias, exp.TableAlias):
        return ()
    return tuple(column.name for column in alias.args.get("columns") or ())


def first_start(node: exp.Expr) -> int:
    """Return where the first word of a node is, or that of the nearest node around it which kept its place."""
    if isinstance(node, exp.Func) and node._meta and "start" in node._meta:
        return int(node._meta["start"])  # its name
    around: exp.Expr | None = node
    while around is not None:
        starts = [item._meta["start"] for item in around.walk() if item._meta and "start" in item._meta]
        if starts:
            return int(min(starts))
        around = around.parent
    return 0


def start_of(node: exp.Expr) -> int:
    """Return where an expression is: its alias, its function or its first word; 0 if that is not known."""
    if type(node) is exp.Column:
        args = node.args
        first = args.get("table") or args["this"]
        if args.get("db") is not None or not first._meta:
            first = next((part for part in node.parts if part._meta), None)
        return int(first._meta["start"]) if first is not None else 0
    alias = node.args.get("alias")
    if isinstance(alias, exp.Identifier) and alias._meta:
        return int(alias._meta["start"])
    return next((int(item._meta["start"]) for item in node.walk() if item._meta and "start" in item._meta), 0)


def own_nodes(node: Any) -> Iterator[Any]:
    """Yield the nodes of an expression, columns and queries inside it included but not entered."""
    stack = [node]
    while stack:
        item = stack.pop()
        yield item
        kind = type(item)
        if kind in _LEAVES or isinstance(item, exp.Query):
            continue
        for value in item.args.values():
            if isinstance(value, list):
                stack.extend([part for part in reversed(value) if isinstance(part, exp.Expr)])
            elif isinstance(value, exp.Expr):
                stack.append(value)


def has_grouping_sets(group: Any) -> bool:
    """Return whether a GROUP BY makes subtotals, too."""
    if group is None:
        return False
    has_clause = any(group.args.get(key) for key in ("rollup", "cube", "grouping_sets", "totals"))
    return has_clause or any(isinstance(item, _GROUPING_SETS) for item in group.expressions)
