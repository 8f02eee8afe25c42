"""Find the columns of an aggregating SELECT that are neither grouped nor aggregated.

Only what Spark surely refuses is found. A column that GROUP BY mentions may be part of an expression equal to a grouped
one, so it counts as grouped; what an unknown function does with a column is not known.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

from sqlglot import exp

from lamina.compiler.link.lookup import PSEUDO_COLUMNS
from lamina.compiler.query.aggregation import children_of, columns_outside, folds_rows, is_unclear
from lamina.compiler.query.nodes import output_name, star_of
from lamina.compiler.query.object import GroupedStar
from lamina.compiler.query.uses import PARAMETERS
from lamina.compiler.query.walk import Suspect

Node = Any

WORD = re.compile(r"\w+", re.ASCII)


class Ungrouped(NamedTuple):
    """A column or star that no group has one value of, and where it is."""

    name: str
    start: int
    has_group: bool


class Keys:
    """The columns that one GROUP BY mentions."""

    __slots__ = ("computed", "named", "relations")

    def __init__(self, relations: Collection[str]) -> None:
        self.relations = relations  # the names in FROM
        self.named: dict[str, set[str]] = {}  # with what is before each, "" where nothing is
        self.computed: set[str] = set()  # inside functions, which are never equal to the column alone

    def mention(self, column: exp.Column) -> None:
        """Add a column, and the fields it is read for."""
        parts = _parts(column)
        before = ""
        while len(parts) > 1 and parts[0] in self.relations:
            before = parts.pop(0)
        for part in parts:
            self.named.setdefault(part, set()).add(before)

    def compute(self, column: exp.Column) -> None:
        """Add a column that a function is grouped by."""
        self.computed.update(_parts(column))

    def cover(self, column: exp.Column, *, is_whole: bool) -> bool:
        """Return whether a column may be grouped; `is_whole`: no expression is around it."""
        parts = _parts(column)
        name = parts[-1]
        if not is_whole and not self.computed.isdisjoint(parts):
            return True
        if len(parts) == 2 and parts[0] in self.relations and parts[0] not in self.named and name in self.named:
            return not self.named[name].isdisjoint({"", parts[0]})
        if not self.named.keys().isdisjoint(parts):
            return True
        return parts[0] == PARAMETERS or name in PSEUDO_COLUMNS


def ungrouped_columns(select: exp.Select, relations: Collection[str]) -> list[Ungrouped]:
    """Return what is outside aggregates and not grouped, each name once; `relations` are the names in FROM."""
    items: list[Node] = select.args["expressions"]
    group = select.args.get("group")
    if group is not None and _is_plain(select, group, items):
        return []
    keys = Keys(relations)
    found: dict[str, Node] = {}
    if group is None:
        having = select.args.get("having")
        if not any(folds_rows(item) for item in (*items, having) if item is not None):
            return []
        # Beside GROUP BY, whether the columns of a star are grouped depends on the tables.
        stars = [star for item in items if (star := star_of(item)) is not None]
        found = {"*": stars[0]} if stars else {}
    elif not _read_keys(group, items, keys):
        return []
    for column, is_whole in (*_of_outputs(items), *_of_clauses(select, items)):
        if not keys.cover(column, is_whole=is_whole):
            found.setdefault(column.name, column.this)
    return [Ungrouped(name, node.meta.get("start", 0), group is not None) for name, node in found.items()]


def grouped_stars(suspects: Iterable[Suspect]) -> tuple[GroupedStar, ...]:
    """Return the stars beside a GROUP BY, with what it mentions: which of their columns are grouped, tables decide."""
    stars = ((item, _grouped_names(item)) for item in suspects if item.is_folded and item.has_star)
    return tuple(GroupedStar(item.scope, names) for item, names in stars if names is not None)


def _grouped_names(suspect: Suspect) -> tuple[str, ...] | None:
    """Return the names that a GROUP BY beside a star mentions, in lower case; None where that is not known."""
    group = suspect.select.args.get("group")
    keys = Keys(suspect.relations)
    # Beside a star a number means a column that only the tables know.
    if group is None or group.find(exp.Literal) is not None:
        return None
    return tuple(sorted(keys.named)) if _read_keys(group, suspect.select.args["expressions"], keys) else None


def _is_plain(select: exp.Select, group: exp.Group, items: list[Node]) -> bool:
    """Find out quickly that all outputs are aggregates or grouped columns spelt as in GROUP BY, as nearly always."""
    if select.args.get("having") is not None or select.args.get("order") is not None:
        return False
    keys = {_spelling(key) for key in group.expressions if type(key) is exp.Column}
    for item in items:
        whole = item.args["this"] if type(item) is exp.Alias else item
        is_grouped = _spelling(whole) in keys if type(whole) is exp.Column else isinstance(whole, exp.AggFunc)
        if not is_grouped:
            return False
    return True


def _spelling(column: exp.Column) -> tuple[str, str]:
    qualifier = column.args.get("table")
    return qualifier.name if qualifier is not None else "", column.args["this"].name


def _read_keys(group: exp.Group, items: list[Node], keys: Keys) -> bool:
    """Read all that GROUP BY mentions, the outputs it means by number or alias too; False if it is not known."""
    if group.args.get("all"):
        return False
    for key in children_of(group):
        inner = key.unnest() if type(key) is exp.Paren else key
        is_computed = _is_computed(inner)
        for node in (inner,) if type(inner) is exp.Column else inner.walk():
            if is_unclear(node):
                return False
            if type(node) is exp.Column:
                (keys.compute if is_computed else keys.mention)(node)
            for output in _outputs_meant(node, items, is_computed=is_computed):
                add = keys.compute if _is_computed(output.unalias()) else keys.mention
                for column in output.find_all(exp.Column):
                    add(column)
    return True


def _outputs_meant(node: Node, items: list[Node], *, is_computed: bool) -> list[Node]:
    """Return the outputs that a part of GROUP BY may mean; inside a function a number is a number."""
    if type(node) is exp.Column:
        name = node.name.lower()
        return [item for item in items if type(item) is exp.Alias and item.alias.lower() == name]
    if type(node) is exp.Literal and not is_computed and node.is_int and 0 < int(node.name) <= len(items):
        return [items[int(node.name) - 1]]
    return []


def _is_computed(node: Node) -> bool:
    return isinstance(node, exp.Func) and type(node) is not exp.Anonymous


def _of_outputs(items: list[Node]) -> Iterator[tuple[exp.Column, bool]]:
    """Yield the columns of the outputs outside aggregates; one that may mean an output before it is left out."""
    before: set[str] = set()
    for item in items:
        is_aliased = type(item) is exp.Alias
        whole = item.args["this"] if is_aliased else item
        if star_of(whole) is None:
            for column in columns_outside(whole):
                if not before or before.isdisjoint(_parts(column)):
                    yield column, column is whole
        if is_aliased:
            before.add(item.alias.lower())


def _of_clauses(select: exp.Select, items: list[Node]) -> Iterator[tuple[exp.Column, bool]]:
    """Yield the columns of HAVING and ORDER BY outside aggregates that mean no output."""
    clauses = [clause for key in ("having", "order") if (clause := select.args.get(key)) is not None]
    if not clauses or any(star_of(item) is not None or type(item) is exp.Aliases for item in items):
        return
    outputs = {output_name(item).lower() for item in items}
    for column in (column for clause in clauses for column in columns_outside(clause)):
        parts = _parts(column)
        if outputs.isdisjoint(parts) and all(WORD.fullmatch(part) for part in parts):
            yield column, False


def _parts(column: exp.Column) -> list[str]:
    """Return the names of a column as written, in lower case."""
    if column.args.get("table") is None:
        return [column.args["this"].name.lower()]
    return [part.name.lower() for part in column.parts]
