"""What the names in a query mean: relations by where they occur, columns of inner queries by position."""

from collections.abc import Mapping
from typing import Any

from sqlglot import exp

NO_WINDOWS: Mapping[str, int] = {}
UNASKED: dict[str, int] = {}  # in place of positions that nothing needed yet


class Block:
    """One query whose columns others read; `names_matter` once they are read in another way than by position."""

    __slots__ = ("_positions", "is_derived", "is_read", "items", "names", "names_matter", "number", "query", "slot")

    def __init__(self, query: Any, number: int) -> None:
        self.items = query.args["expressions"] if query.__class__ is exp.Select else []
        self.query = query
        self.number = number
        self.slot = -1
        self.is_read = False  # its columns are read one by one, not as a scalar or a set
        self.is_derived = False  # is in a FROM clause, from where it sees no other relation
        self.names = [_output_name(item) for item in self.items]
        self.names_matter = False
        self._positions: dict[str, int] | None = UNASKED

    @property
    def positions(self) -> dict[str, int] | None:
        """Return where each column is by its name, in lower case; None if that is not certain."""
        if self._positions is UNASKED:
            self._positions = _positions(self.items, self.names)
        return self._positions


class Visible:
    """The CTEs a piece of text can see: those of its own WITH before `limit`, then the enclosing ones."""

    __slots__ = ("defined", "limit", "parent")

    def __init__(self, defined: "dict[str, Definition]", limit: int, parent: "Visible | None") -> None:
        self.defined = defined
        self.limit = limit
        self.parent = parent

    def find(self, name: str) -> "Definition | None":
        """Return the innermost CTE of that name."""
        here: Visible | None = self
        while here is not None:
            found = here.defined.get(name)
            if found is not None and found.order < here.limit:
                return found
            here = here.parent
        return None


class Definition:
    """A CTE, or a query to be read as one; `number` is the order in which they are first read."""

    __slots__ = ("columns", "number", "order", "query", "visible")

    def __init__(self, query: Any, order: int, *, visible: Visible | None = None) -> None:
        alias = query.args.get("alias") if query.__class__ is exp.CTE else None
        self.query = query.args["this"] if query.__class__ is exp.CTE else query
        self.columns = [column.name for column in alias.args.get("columns") or ()] if alias is not None else []
        self.order = order
        self.number = -1
        self.visible = visible


class Scope:
    """The relations one SELECT reads, in order, and the names it gives its own outputs."""

    __slots__ = (
        "aliases", "block", "blocks", "is_correlated", "is_set_operation", "occurrences", "outer", "parent",
        "sees_outputs", "visible", "windows",
    )  # fmt: skip

    def __init__(self, parent: "Scope | None", visible: Visible, *, block: Block | None) -> None:
        self.parent = parent
        self.outer = outer = None if block is not None and block.is_derived else parent  # whose relations it can name
        # Whether a name may mean a column of an enclosing query, whose relations are all known by now.
        self.is_correlated: bool = outer is not None and (bool(outer.blocks) or outer.is_correlated)
        self.visible = visible
        self.block = block
        self.is_set_operation = False
        self.sees_outputs = True  # not in WHERE
        self.occurrences: dict[str, int] = {}
        self.blocks: list[Block | None] = []  # by occurrence; None: a table or a function, whose columns have names
        self.windows: Mapping[str, int] = NO_WINDOWS  # those it names, in order; Spark distinguishes their case
        self.aliases: set[str] = set()  # own outputs that are not just a column under its own name

    def add(self, alias: str | None, block: Block | None) -> None:
        """Give the next occurrence to a relation."""
        if alias is not None:
            self.occurrences.setdefault(alias.lower(), len(self.blocks))
        self.blocks.append(block)


def define(with_: Any, outer: Visible) -> Visible:
    """Return what can be seen after a WITH clause; each CTE sees those before it, recursive ones also themselves."""
    defined: dict[str, Definition] = {}
    reach = 1 if with_.args.get("recursive") else 0
    items = with_.args["expressions"]
    for order, cte in enumerate(items):
        definition = Definition(cte, order, visible=Visible(defined, order + reach, outer))
        defined[cte.alias.lower()] = definition
    return Visible(defined, len(items), outer)


def is_query(node: Any) -> bool:
    """Distinguish a query from a table, a join in brackets or a function."""
    while node.__class__ is exp.Subquery:
        node = node.args["this"]
    return node.__class__ is exp.Select or isinstance(node, exp.SetOperation)


def _output_name(item: Any) -> str:
    while item.__class__ is exp.Paren:
        item = item.args["this"]
    kind = item.__class__
    if kind is exp.Alias:
        alias: str = item.args["alias"].name
        return alias
    if kind is exp.Column:
        name: str = item.args["this"].name
        return name
    # Spark names it after its text, in which columns are spelt as written.
    return "?" + ",".join(column.name for column in item.find_all(exp.Column, exp.Dot))


def _positions(items: list[Any], names: list[str]) -> dict[str, int] | None:
    for item in items:
        if item.__class__ is not exp.Alias and (item.__class__ is not exp.Column or item.is_star):
            return None
    positions = {name.lower(): position for position, name in enumerate(names)}
    return positions if items and len(positions) == len(names) else None
