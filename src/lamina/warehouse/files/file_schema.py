"""The columns that the files of one source have together: the widest types, or which two files do not fit."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from lamina.project.source import SourceTable
from lamina.values.names import folded
from lamina.values.schema import UNKNOWN, Column, DataType, Schema
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.files.file_format import FileFormat
from lamina.warehouse.files.footer_cache import ColumnsUnreadable, FooterCache
from lamina.warehouse.files.formats import format_of
from lamina.warehouse.files.manifest import FileEntry, list_files
from lamina.warehouse.files.partition_folders import partition_columns
from lamina.warehouse.files.widest import widest
from lamina.warehouse.schemas import ConflictingSchema, KnownSchema, SchemaAnswer, UnknownSchema


def files_schema(source: SourceTable, root: Path) -> SchemaAnswer:
    """Return the columns of a source's files, as far as their types are known; only new files are opened."""
    declare = f"declare `columns` for `{source.name}`"
    if not format_of(source).can_infer(source):
        return UnknownSchema(reason=f"the options of `{source.name}` say how its files are read", hint=declare)
    try:
        entries = list_files(source, root / source.location)
    except WarehouseFailure as error:
        return UnknownSchema(reason=error.message, hint=error.hint or declare)
    if not entries:
        return UnknownSchema(reason=f"the folder of `{source.name}` has no files", hint=declare)
    footers = FooterCache(root, source)
    try:
        return _merged(source, entries, footers)
    except ColumnsUnreadable as error:
        return UnknownSchema(
            reason=f"the footer of `{error.path}` cannot be read ({type(error.cause).__name__})",
            hint=f"check that the file is complete, or {declare}",
            file=error.path,
        )
    finally:
        footers.keep()


def misfit(source: SourceTable, root: Path, entries: tuple[FileEntry, ...]) -> ConflictingSchema | None:
    """Return a file with a type that a column of the source cannot hold: ORC files would give null for its values."""
    wanted = {folded(column.name): column.type for column in source.columns}
    footers = FooterCache(root, source)
    try:
        for entry, columns in footers.columns_of(entries):
            for column in columns:
                kind = wanted.get(folded(column.name), UNKNOWN)
                if not _holds(kind, column.type):
                    return ConflictingSchema(column=column.name, types=(kind, column.type), files=("", entry.path))
    except ColumnsUnreadable:
        return None  # Spark says what is wrong with the file
    finally:
        footers.keep()
    return None


def outgrown(source: SourceTable, root: Path, entries: tuple[FileEntry, ...]) -> tuple[Column, str] | None:
    """Return a column of a file that the known columns of a source lack or cannot hold, and the file."""
    known, wider = {folded(column.name): column.type for column in source.columns}, format_of(source).wider
    footers = FooterCache(root, source)
    try:
        for entry, columns in footers.columns_of(entries):
            for column in columns:
                kind = known.get(folded(column.name))
                is_held = kind is not None and (UNKNOWN in (kind, column.type) or wider(kind, column.type) == kind)
                if not is_held and (kind is None or column.type != "void"):
                    return column, entry.path
    except ColumnsUnreadable:
        return None  # Spark says what is wrong with the file
    finally:
        footers.keep()
    return None


def without_values(
    source: SourceTable, root: Path, entries: tuple[FileEntry, ...]
) -> dict[frozenset[str], list[FileEntry]]:
    """Return files by the columns in which they have no value and no type either, as pandas writes them."""
    groups: dict[frozenset[str], list[FileEntry]] = {}
    footers = FooterCache(root, source)
    try:
        for entry, columns in footers.columns_of(entries):
            empty = frozenset(folded(column.name) for column in columns if column.type == "void")
            groups.setdefault(empty, []).append(entry)
    except ColumnsUnreadable:
        return {frozenset(): list(entries)}
    finally:
        footers.keep()
    return groups


def _holds(wanted: DataType, found: DataType) -> bool:
    """Say whether ORC values of one type are read as another without becoming null."""
    if UNKNOWN in (wanted, found) or wanted == "string" or (found, wanted) == ("date", "timestamp"):
        return True
    return widest(wanted, found) == wanted


class _Seen(NamedTuple):
    """A column as wide as its files need it, and the first file of each type."""

    column: Column
    files: dict[DataType, str]

    def beside(
        self, column: Column, path: str, wider: Callable[[DataType, DataType], DataType | None]
    ) -> "_Seen | ConflictingSchema":
        """Take in the column of one more file, or say with which file it does not go together."""
        if column.type in self.files:
            return self
        kind = UNKNOWN if UNKNOWN in (column.type, self.column.type) else wider(self.column.type, column.type)
        if kind is None:
            pairs = ((known, file) for known, file in self.files.items() if wider(known, column.type) is None)
            known, file = next(pairs, (self.column.type, next(iter(self.files.values()))))
            return ConflictingSchema(column=column.name, types=(known, column.type), files=(file, path))
        return _Seen(self.column.replace(type=kind), {**self.files, column.type: path})


def _merged(source: SourceTable, entries: tuple[FileEntry, ...], footers: FooterCache) -> SchemaAnswer:
    """Join the columns of all files in order; types that differ become the widest that holds them all."""
    found: dict[str, _Seen] = {}
    format = format_of(source)
    for entry, columns in footers.columns_of(entries):
        for column in columns:
            seen = found.get(folded(column.name))
            fresh = _Seen(column, {column.type: entry.path})
            widened = fresh if seen is None else seen.beside(column, entry.path, format.wider)
            if isinstance(widened, ConflictingSchema):
                return _in_spark_words(widened, format)
            found[folded(column.name)] = widened
    unnamed = {seen.column.name: seen.files[UNKNOWN] for seen in found.values() if UNKNOWN in seen.files}
    columns = _named_as(format, (seen.column for seen in found.values()))
    data = {folded(column.name): column for column in columns}
    folders = {folded(column.name): column for column in partition_columns(entry.path for entry in entries)}
    # A column in both has its place among the data and the values of the folders.
    return KnownSchema(columns=tuple((data | folders).values()), unnamed=unnamed)


def _named_as(format: FileFormat, columns: Iterable[Column]) -> Schema:
    """Return columns as Spark names and orders what has no type of its own."""
    if format.spelled is not None:
        ordered = sorted(columns, key=lambda item: item.name)
        return tuple(item.replace(type=format.spelled(item.type)) for item in ordered)
    return tuple(item.replace(type=DataType("int")) if item.type == "void" else item for item in columns)


def _in_spark_words(conflict: ConflictingSchema, format: FileFormat) -> ConflictingSchema:
    if format.spelled is None:
        return conflict
    first, second = conflict.types
    return conflict.replace(types=(format.spelled(first), format.spelled(second)))
