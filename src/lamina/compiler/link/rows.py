"""What linking knows about the rows of a relation: its columns, where each comes from, what decides the rows."""

from collections.abc import Iterable, Mapping

from lamina.compiler.link.reads import Origin
from lamina.compiler.query.object import DIRECT, EXPRESSION
from lamina.compiler.types.spark_types import UNTYPED, Typed
from lamina.values.value import Value

ALL = "*"  # every column of a table, known or not

Edges = Mapping[Origin, int]  # origin -> strongest kind of use

NO_EDGES: Edges = {}


class LinkedColumn(Value, frozen=True):
    """One column of a relation with its type and its origins in the inputs of the query."""

    name: str
    typed: Typed
    edges: Edges


class Rows:
    """The rows of one relation or scope."""

    __slots__ = ("_index", "columns", "is_open", "open_table", "row_reads", "star_reads", "tables")

    def __init__(
        self,
        columns: list[LinkedColumn],
        *,
        tables: frozenset[str],
        row_reads: frozenset[Origin] = frozenset(),
        star_reads: frozenset[str] = frozenset(),
        is_open: bool = False,
        open_table: str | None = None,
    ) -> None:
        self.columns = columns
        self.tables = tables
        self.row_reads = row_reads  # origins that decide which rows there are
        self.star_reads = star_reads  # tables whose further columns would appear here too
        self.is_open = is_open  # there may be more columns than `columns`
        self.open_table = open_table  # the one table an unknown column here must come from, under its own name
        self._index: dict[str, LinkedColumn | None] | None = None

    def find(self, name: str) -> LinkedColumn | None:
        """Return the column of that name, or what can be said about it where columns are unknown."""
        if self._index is None:
            self._index = {}
            for column in self.columns:
                self._index.setdefault(column.name.lower(), column)
        found = self._index.get(name.lower())
        if found is not None or not self.is_open:
            return found
        if self.open_table is not None:
            return LinkedColumn(name, UNTYPED, {(self.open_table, name): DIRECT})
        return LinkedColumn(name, UNTYPED, self.everything())

    def everything(self) -> Edges:
        """Return edges to every column of every table below."""
        return {(table, ALL): EXPRESSION for table in self.tables}

    def optional(self) -> "Rows":
        """Return the same rows where an outer join may put nulls."""
        columns = [
            item if item.typed.nullable else item.replace(typed=Typed(item.typed.type, nullable=True))
            for item in self.columns
        ]
        return self.with_columns(columns)

    def renamed(self, names: tuple[str, ...]) -> "Rows":
        """Return the same rows under other column names; a list that does not fit makes them unknown."""
        if self.is_open or len(names) != len(self.columns):
            return opaque_rows((self,))
        pairs = zip(names, self.columns, strict=True)
        renamed = self.with_columns([column.replace(name=name) for name, column in pairs])
        renamed.star_reads = frozenset()
        return renamed

    def with_columns(self, columns: list[LinkedColumn]) -> "Rows":
        """Return a copy with other columns."""
        return Rows(
            columns,
            tables=self.tables,
            row_reads=self.row_reads,
            star_reads=self.star_reads,
            is_open=self.is_open,
            open_table=self.open_table,
        )


def opaque_rows(inside: Iterable[Rows]) -> Rows:
    """Return rows nothing is known about, made of others that must then be read whole."""
    parts = tuple(inside)
    tables = frozenset().union(*(part.tables for part in parts))
    reads = frozenset().union(*(part.row_reads for part in parts)) | {(table, ALL) for table in tables}
    return Rows(
        [],
        tables=tables,
        row_reads=reads,
        is_open=True,
    )


def merge_edges(parts: Iterable[tuple[Edges, int]]) -> Edges:
    """Unite edges, each strengthened by the kind of use it has here."""
    merged: dict[Origin, int] = {}
    for edges, kind in parts:
        for origin, inner in edges.items():
            strongest = max(inner, kind)
            if merged.get(origin, -1) < strongest:
                merged[origin] = strongest
    return merged
