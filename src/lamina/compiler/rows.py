"""What linking knows about the rows of a relation: its columns, where each comes from, what decides the rows."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

from lamina.compiler.object import DIRECT, EXPRESSION
from lamina.compiler.reads import Origin, Place
from lamina.compiler.types import UNTYPED, Typed

ALL = "*"  # every column of a table, known or not

Edges = Mapping[Origin, int]  # origin -> strongest kind of use

NO_EDGES: Edges = {}


class LinkedColumn(NamedTuple):
    """One column of a relation with its type and its origins in the inputs of the query."""

    name: str
    typed: Typed
    edges: Edges


class Occurrence(NamedTuple):
    """One place where a table is read; `path` leads from a column here to the table's, while that is certain."""

    table: str
    filter_column: str | None
    path: Mapping[str, str] | None  # None: the table's own names

    def origin(self, name: str) -> str | None:
        """Return the table's column that stands under a name here."""
        return name if self.path is None else self.path.get(name.lower())

    def filtered(self, name: str) -> "Occurrence":
        """Return the place with the range filter on a column here, if that is one of the table's."""
        origin = self.origin(name)
        if origin is None or self.filter_column is not None:
            return self
        return Occurrence(self.table, origin, self.path)

    def projected(self, columns: list[LinkedColumn]) -> "Occurrence":
        """Follow the place through a projection: what stays a plain column of the table can still be filtered by."""
        path: dict[str, str] = {}
        for column in columns:
            if len(column.edges) == 1:
                (table, name), kind = next(iter(column.edges.items()))
                if table == self.table and kind == DIRECT and name != ALL:
                    path[column.name.lower()] = name
        return Occurrence(self.table, self.filter_column, path)

    def blocked(self) -> "Occurrence":
        """Return the same place seen through something that a filter cannot pass."""
        return Occurrence(self.table, self.filter_column, {})


Found = TypeVar("Found", Occurrence, Place)

MOST_PLACES = 100  # of reading one table that are told apart


def distinct_places(found: Iterable[Found]) -> tuple[Found, ...]:
    """Return different places once, for joins of a query with itself double them each time.

    Where one table still has too many, filters are followed no further to it.
    """
    given = tuple(found)
    if len(given) < 2:
        return given
    places = {(item.table, item.filter_column, _path_key(item.path)): item for item in given}
    counts = Counter(table for table, _, _ in places)
    if max(counts.values()) > MOST_PLACES:
        many = [item.blocked() if counts[item.table] > MOST_PLACES else item for item in places.values()]
        places = {(item.table, item.filter_column, _path_key(item.path)): item for item in many}
    return tuple(places.values())


def _path_key(path: Mapping[str, str] | None) -> tuple[tuple[str, str], ...] | None:
    return None if path is None else tuple(sorted(path.items()))


class Rows:
    """The rows of one relation or scope."""

    __slots__ = ("_index", "columns", "is_open", "occurrences", "open_table", "row_reads", "star_reads", "tables")

    def __init__(
        self,
        columns: list[LinkedColumn],
        *,
        tables: frozenset[str],
        row_reads: frozenset[Origin] = frozenset(),
        star_reads: frozenset[str] = frozenset(),
        is_open: bool = False,
        open_table: str | None = None,
        occurrences: tuple[Occurrence, ...] = (),
    ) -> None:
        self.columns = columns
        self.tables = tables
        self.row_reads = row_reads  # origins that decide which rows there are
        self.star_reads = star_reads  # tables whose further columns would appear here too
        self.is_open = is_open  # there may be more columns than `columns`
        self.open_table = open_table  # the one table an unknown column here must come from, under its own name
        self.occurrences = occurrences
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
            item if item.typed.nullable else item._replace(typed=Typed(item.typed.type, nullable=True))
            for item in self.columns
        ]
        return self.with_columns(columns)

    def renamed(self, names: tuple[str, ...]) -> "Rows":
        """Return the same rows under other column names; a list that does not fit makes them unknown."""
        if self.is_open or len(names) != len(self.columns):
            return opaque_rows((self,))
        pairs = zip(names, self.columns, strict=True)
        renamed = self.with_columns([column._replace(name=name) for name, column in pairs])
        renamed.star_reads = frozenset()
        by_new = {name.lower(): column.name for name, column in zip(names, self.columns, strict=True)}
        renamed.occurrences = tuple(_follow(item, by_new) for item in self.occurrences)
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
            occurrences=self.occurrences,
        )


def _follow(item: Occurrence, names: Mapping[str, str]) -> Occurrence:
    path = {new: origin for new, old in names.items() if (origin := item.origin(old)) is not None}
    return Occurrence(item.table, item.filter_column, path)


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
        occurrences=distinct_places(item.blocked() for part in parts for item in part.occurrences),
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
