"""What a model reads of each input: every column that can influence its result, with ephemeral models seen through."""

from collections.abc import Iterable, Mapping
from typing import cast

from lamina.compiler.link.reads import Origin, Reads
from lamina.compiler.link.rows import ALL, Edges, Rows
from lamina.values.names import ColumnName, TableName


def reads_of(rows: Rows, ephemeral: Mapping[str, Reads]) -> Reads:
    """Return the reads of a linked query, with the reads of ephemeral inputs in place of them."""
    tables: set[str] = set()
    through: set[Origin] = set()
    for table in rows.tables:
        inner = ephemeral.get(table)
        tables.update((table,) if inner is None else inner.tables)
        through.update(() if inner is None else inner.for_rows)
    stars = {item for table in rows.star_reads for item in _star_tables(table, ephemeral)}
    columns = {column.name.lower(): _origins(column.edges, ephemeral) for column in rows.columns}
    return Reads(
        tables=tuple(sorted(tables)),
        for_rows=tuple(sorted(_seen_through(rows.row_reads, ephemeral) | through)),
        for_columns=columns,
        for_star=tuple(sorted(stars)),
    )


def read_sets(reads: Reads, *, is_open: bool) -> dict[TableName, tuple[ColumnName, ...] | None]:
    """Return the read set of each table; None where every column counts."""
    if is_open:
        return {TableName(table): None for table in reads.tables}
    by_table: dict[str, set[str]] = {table: set() for table in reads.tables}
    for part in (*reads.for_columns.values(), reads.for_rows):
        for table, column in part:
            by_table[table].add(column)
    whole = {table for table, columns in by_table.items() if ALL in columns} | set(reads.for_star)
    return {TableName(table): None if table in whole else _sorted(columns) for table, columns in by_table.items()}


def row_sets(reads: Reads, *, is_open: bool) -> dict[TableName, tuple[ColumnName, ...] | None]:
    """Return the columns of each table that decide which rows the result has; None where any may."""
    if is_open:
        return {TableName(table): None for table in reads.tables}
    by_table: dict[str, set[str]] = {table: set() for table in reads.tables}
    for table, column in reads.for_rows:
        by_table[table].add(column)
    return {TableName(table): None if ALL in columns else _sorted(columns) for table, columns in by_table.items()}


def _sorted(columns: set[str]) -> tuple[ColumnName, ...]:
    return cast("tuple[ColumnName, ...]", tuple(sorted(columns)))  # to name each one takes longer than to sort them


def _origins(edges: Edges, ephemeral: Mapping[str, Reads]) -> tuple[Origin, ...]:
    if not ephemeral and len(edges) < 2:
        return tuple(edges)  # as most columns are
    return tuple(sorted(_seen_through(edges, ephemeral)))


def _seen_through(origins: Iterable[Origin], ephemeral: Mapping[str, Reads]) -> set[Origin]:
    if not ephemeral:
        return set(origins)
    found: set[Origin] = set()
    for table, column in origins:
        inner = ephemeral.get(table)
        if inner is None:
            found.add((table, column))
        elif column == ALL:
            found.update(origin for part in inner.for_columns.values() for origin in part)
            found.update((item, ALL) for item in inner.for_star)
        else:
            found.update(inner.for_columns.get(column.lower(), ()))
    return found


def _star_tables(table: str, ephemeral: Mapping[str, Reads]) -> tuple[str, ...]:
    inner = ephemeral.get(table)
    return (table,) if inner is None else inner.for_star
