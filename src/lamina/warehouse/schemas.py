"""The columns of source tables without a JVM: declared, read from Parquet footers, or from Iceberg metadata."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.project.source import SourceTable
from lamina.values.names import TableName
from lamina.values.schema import Column, DataType, Schema
from lamina.values.value import Value
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.partition_folders import partition_columns

if TYPE_CHECKING:
    from lamina.warehouse.footer_cache import FooterCache
    from lamina.warehouse.spark.manifest import FileEntry

# Folders with more files are looked at evenly: a footer costs half a millisecond, and layouts seldom change often.
_MOST_FOOTERS = 1000


class KnownSchema(Value, frozen=True):
    """The table's columns."""

    columns: Schema


class UnknownSchema(Value, frozen=True):
    """The columns cannot be told before Spark reads the table."""

    reason: str
    hint: str


class ConflictingSchema(Value, frozen=True):
    """Two files of one table give one column different types, so Spark can read only some of them."""

    column: str
    types: tuple[DataType, DataType]
    files: tuple[str, str]

    @property
    def reason(self) -> str:
        """Say which files disagree."""
        (first, second), (one, other) = self.types, self.files
        return f"column `{self.column}` is {first} in `{one}` and {second} in `{other}`"

    @property
    def hint(self) -> str:
        """Say what to do."""
        return "write the files again with one type, or declare `columns` for the table"


SchemaAnswer = KnownSchema | UnknownSchema | ConflictingSchema


def source_schema(source: SourceTable, root: Path, *, pointers: Mapping[TableName, str]) -> SchemaAnswer:
    """Return the columns of a source table; `pointers` tells where each Iceberg table's metadata is."""
    if source.columns:
        return KnownSchema(columns=source.columns)
    if source.type == "iceberg":
        return _iceberg_schema(source, pointers)
    if source.format != "parquet":
        return UnknownSchema(
            reason=f"{source.format} files do not say the types of their columns",
            hint=f"declare `columns` for `{source.name}`",
        )
    return _parquet_schema(source, root)


def _iceberg_schema(source: SourceTable, pointers: Mapping[TableName, str]) -> SchemaAnswer:
    from lamina.warehouse.spark.metadata import read_metadata

    pointer = pointers.get(TableName(source.location))
    if pointer is None:
        return UnknownSchema(
            reason=f"the catalog has no table `{source.location}`",
            hint="create the table, or change the source's name or `namespace`",
        )
    try:
        return KnownSchema(columns=read_metadata(pointer).columns)
    except WarehouseFailure as error:
        return UnknownSchema(reason=error.message, hint=error.hint or f"declare `columns` for `{source.name}`")


def _parquet_schema(source: SourceTable, root: Path) -> SchemaAnswer:
    from lamina.warehouse.footer_cache import FooterCache
    from lamina.warehouse.spark.manifest import list_files

    location = root / source.location
    try:
        entries = list_files(source, location)
    except WarehouseFailure as error:
        return UnknownSchema(reason=error.message, hint=error.hint or f"declare `columns` for `{source.name}`")
    if not entries:
        return UnknownSchema(
            reason=f"the folder of `{source.name}` has no files", hint=f"declare `columns` for `{source.name}`"
        )
    footers = FooterCache(root, name=source.name, location=location)
    answer = _merged(source, entries, footers)
    footers.keep()
    return answer


def _merged(source: SourceTable, entries: "tuple[FileEntry, ...]", footers: "FooterCache") -> SchemaAnswer:
    """Join the columns of all files in order, as Spark does when it merges schemas."""
    found: dict[str, tuple[Column, str]] = {}
    for entry in _spread(entries):
        try:
            columns = footers.columns(entry)
        except (OSError, ValueError, KeyError, NotImplementedError) as error:
            return UnknownSchema(
                reason=f"the footer of `{entry.path}` cannot be read ({type(error).__name__})",
                hint=f"check that the file is whole, or declare `columns` for `{source.name}`",
            )
        for column in columns:
            known, where = found.setdefault(column.name.lower(), (column, entry.path))
            if known.type != column.type:
                files = (where, entry.path)
                return ConflictingSchema(column=column.name, types=(known.type, column.type), files=files)
    data = {name: column for name, (column, _) in found.items()}
    folders = {column.name.lower(): column for column in partition_columns(entry.path for entry in entries)}
    # A column in both has its place among the data and the values of the folders.
    return KnownSchema(columns=tuple((data | folders).values()))


def _spread(entries: "tuple[FileEntry, ...]") -> "tuple[FileEntry, ...]":
    """Choose files evenly; the step doubles, so that new files at the end seldom change which of the old are chosen."""
    step = 1
    while len(entries) > step * _MOST_FOOTERS:
        step *= 2
    chosen = entries[::step]
    return chosen if chosen[-1] == entries[-1] else (*chosen, entries[-1])
