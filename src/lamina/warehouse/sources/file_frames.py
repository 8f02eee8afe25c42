"""Files of a source as one Spark frame: exactly the listed ones, each column with the type that holds all of them."""

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.project.source import SourceTable
from lamina.values.names import folded, folded_names
from lamina.values.schema import Schema
from lamina.warehouse.failure import SourceUnreadable
from lamina.warehouse.files import manifest
from lamina.warehouse.files.file_format import ByLayout
from lamina.warehouse.files.file_schema import without_values
from lamina.warehouse.files.formats import format_of
from lamina.warehouse.files.manifest import FileEntry
from lamina.warehouse.files.partition_folders import folder_values
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.sources.exact_paths import exact_path, require_inferable
from lamina.warehouse.sources.file_types import require_compiled, require_one_schema, typed_reader
from lamina.warehouse.sql import ddl, quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def read_files(
    session: "SparkSession", settings: WarehouseSettings, source: SourceTable, *, entries: tuple[FileEntry, ...]
) -> "DataFrame":
    """Read exactly these files of a source, each column as the type that is known for all of its files."""
    if not entries:
        return session.createDataFrame([], ddl(_known_columns(source)))
    location = manifest.locate(settings, source)
    known = require_one_schema(source, Path(settings.root))
    require_compiled(source, Path(settings.root), entries)
    options = _options(source, entries, location)
    format = format_of(source)
    if format.by_layout is not None:
        return _read_layouts(session, source, format.by_layout, options=options, entries=entries, location=location)
    if known is None or not format.has_empty_columns or not _is_from_files(source):
        reader = typed_reader(session, source, known, options=options, location=location)
        paths = [manifest.path_of(location, entry) for entry in entries]
        if known is None or not known.columns:
            require_inferable(source, paths, options)
        return reader.load([exact_path(path) for path in paths])
    parts = []
    for empty, group in without_values(source, Path(settings.root), entries).items():
        columns = tuple(column for column in known.columns if folded(column.name) not in empty)
        reader = typed_reader(session, source, known.replace(columns=columns), options=options, location=location)
        found = reader.load([exact_path(manifest.path_of(location, entry)) for entry in group])
        parts.append(_with_nulls(found, known.columns))
    return reduce(lambda first, other: first.unionByName(other), parts)


def _is_from_files(source: SourceTable) -> bool:
    return source.is_inferred or not source.columns


def _with_nulls(frame: "DataFrame", columns: Schema) -> "DataFrame":
    """Return a frame with all of these columns, null where it has none; Spark reads no file of another type for it."""
    from pyspark.sql.functions import col, lit

    there = folded_names(frame.columns)
    if all(folded(column.name) in there for column in columns):
        return frame
    return frame.select(
        *(
            col(quote(column.name)) if folded(column.name) in there else lit(None).cast(column.type).alias(column.name)
            for column in columns
        )
    )


def _read_layouts(
    session: "SparkSession",
    source: SourceTable,
    by_layout: ByLayout,
    *,
    options: dict[str, str],
    entries: tuple[FileEntry, ...],
    location: Path,
) -> "DataFrame":
    """Read files of several layouts, each in its way; columns that files written before do not have are null."""
    from pyspark.sql.functions import lit

    named = {folded(name) for entry in entries for name, _ in folder_values(entry.path)}
    folders = tuple(column for column in source.columns if folded(column.name) in named)
    inside = tuple(column for column in source.columns if column not in folders)
    parts = []
    paths = [manifest.path_of(location, entry) for entry in entries]
    for layout, group in by_layout(source, inside, paths).items():
        given = ({"multiLine": "true"} if layout.has_newlines else {}) | options
        columns = (*inside[: layout.columns], *folders)
        if not columns:
            require_inferable(source, group, given)
        reader = session.read.format(source.format).options(**given)
        found = (reader.schema(ddl(columns)) if columns else reader).load([exact_path(path) for path in group])
        for column in inside[layout.columns :]:
            found = found.withColumn(column.name, lit(None).cast(column.type))
        parts.append(found)
    return reduce(lambda first, other: first.unionByName(other), parts)


def _options(source: SourceTable, entries: tuple[FileEntry, ...], location: Path) -> dict[str, str]:
    """Return the reader's options: strict by default, with the folders' columns where there are such folders."""
    strict = format_of(source).options(source)
    if any(folder_values(entry.path) for entry in entries):
        strict["basePath"] = str(location)
    return {**strict, **source.options}


def _known_columns(source: SourceTable) -> Schema:
    if not source.columns:
        raise SourceUnreadable(source.name, source.location, "it has no files and declares no columns")
    return source.columns
