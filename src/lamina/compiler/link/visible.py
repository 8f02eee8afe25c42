"""The columns an unqualified name may mean in one SELECT, joins by shared columns included."""

from collections.abc import Mapping

from lamina.compiler.link.reads import Origin
from lamina.compiler.link.rows import LinkedColumn, Rows, merge_edges
from lamina.compiler.query.object import EXPRESSION, SelectScope, SharedColumns
from lamina.compiler.types.spark_types import Typed

Owned = list[tuple[int, LinkedColumn]]  # columns with the relation each belongs to


class Visible:
    """Columns in the order `*` gives them, and what only conditions can see."""

    __slots__ = ("_index", "_owners", "columns", "hidden", "is_open", "open", "shared_names", "shared_reads")

    def __init__(self, columns: Owned, *, hidden: Owned, is_open: bool) -> None:
        self.columns = [column for _, column in columns]
        self.hidden = hidden
        self.is_open = is_open
        self.open: list[Rows] = []
        self.shared_reads: set[Origin] = set()
        self.shared_names: list[tuple[str, ...]] = []
        self._index: dict[str, LinkedColumn] | None = None
        self._owners = columns

    def find(self, folded: str) -> LinkedColumn | None:
        """Return the column of a name in lower case."""
        if self._index is None:
            self._index = {}
            for _, column in (*self._owners, *self.hidden):
                self._index.setdefault(column.name.lower(), column)
        return self._index.get(folded)

    def owners(self, folded: str) -> list[int]:
        """Return the relations that show a column of that name, shared columns counted once."""
        return [number for number, column in self._owners if column.name.lower() == folded]


def visible_columns(scope: SelectScope, rows: Mapping[int, Rows]) -> Visible:
    """Return what the relations linked so far show."""
    shared = {item.relation: item for item in scope.shared}
    columns: Owned = []
    hidden: Owned = []
    reads: set[Origin] = set()
    names: list[tuple[str, ...]] = []
    opened: list[Rows] = []
    for number in scope.relations:
        part = rows.get(number)
        if part is None:
            continue
        own = [(number, column) for column in part.columns]
        if part.is_open:
            opened.append(part)
        if number in shared:
            columns, own = _join_shared(shared[number], columns, own, reads=reads, names=names)
            for unknown in opened:  # the shared columns may be among the unknown ones
                reads |= unknown.everything().keys()
        if number in scope.hidden:
            hidden.extend(own)
        else:
            columns.extend(own)
    visible = Visible(columns, hidden=hidden, is_open=bool(opened))
    visible.open = opened
    visible.shared_reads = reads
    visible.shared_names = names
    return visible


def _join_shared(
    join: SharedColumns, left: Owned, right: Owned, *, reads: set[Origin], names: list[tuple[str, ...]]
) -> tuple[Owned, Owned]:
    """Merge the shared columns of two sides, first in the result; return them with the rest of both sides."""
    on_left = {column.name.lower(): (number, column) for number, column in left}
    on_right = {column.name.lower(): column for _, column in right}
    named = on_left if join.columns is None else [name.lower() for name in join.columns]
    shared = [name for name in named if name in on_left and name in on_right]
    names.append(tuple(sorted(shared)))
    merged: Owned = []
    for name in shared:
        (owner, first), second = on_left[name], on_right[name]
        reads |= first.edges.keys() | second.edges.keys()
        merged.append((owner, _merged(join, first, second)))
    rest = [item for item in left if item[1].name.lower() not in shared]
    return [*merged, *rest], [item for item in right if item[1].name.lower() not in shared]


def _merged(join: SharedColumns, first: LinkedColumn, second: LinkedColumn) -> LinkedColumn:
    if join.is_full:
        edges = merge_edges(((first.edges, EXPRESSION), (second.edges, EXPRESSION)))
        return LinkedColumn(first.name, Typed(first.typed.type, first.typed.nullable and second.typed.nullable), edges)
    return second.replace(name=first.name) if join.prefers_right else first
