"""Pinned reads: every input is read at one exact version, Iceberg tables by snapshot, files by their list."""

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.project.source import SourceTable
from lamina.values.batch import Pin
from lamina.values.names import Position, TableName
from lamina.values.schema import Schema
from lamina.warehouse.failure import RebuildNeeded, WarehouseFailure
from lamina.warehouse.files import manifest
from lamina.warehouse.files.csv_files import by_layout
from lamina.warehouse.files.file_schema import without_values
from lamina.warehouse.files.manifest import FileEntry, HeldFile
from lamina.warehouse.files.partition_folders import folder_values
from lamina.warehouse.files.reading import default_options
from lamina.warehouse.iceberg.metadata import Metadata, Snapshot
from lamina.warehouse.settings import SparkSettings
from lamina.warehouse.spark.exact_paths import exact_path, require_inferable
from lamina.warehouse.spark.file_types import ddl, require_one_schema, typed_reader
from lamina.warehouse.spark.sql import quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class NotAppended(RebuildNeeded):
    """Rows were changed or removed between two versions, or a version is gone: new rows cannot be read alone.

    Why: an incremental model reads only new rows, and here old ones changed too, or the versions between expired.
    Fix: run again: the model is rebuilt from all of its input.
    """

    code = "L625"

    def __init__(self, table: TableName, since: Position) -> None:
        super().__init__(
            f"what was appended to `{table}` since version {since} cannot be separated from what changed",
            kind="conflict",
            hint="the model is rebuilt from all of its input",
        )


class TableGone(WarehouseFailure):
    """A table is not in the catalog.

    Why: a query reads a table that was dropped, or was never built.
    Fix: build it with `lamina run`, or correct the name of the source's table.
    """

    code = "L629"

    def __init__(self, table: TableName) -> None:
        super().__init__(
            f"table `{table}` is not in the catalog",
            kind="not_found",
            hint="build it, or check the name of the source's table",
        )


class VersionGone(WarehouseFailure):
    """A pinned version cannot be read any more.

    Why: its snapshot was expired, or the table was replaced.
    Fix: run again to read the current version; expire snapshots later than the longest run lasts.
    """

    code = "L626"

    def __init__(self, table: TableName, position: Position) -> None:
        super().__init__(
            f"version {position} of `{table}` is gone",
            kind="not_found",
            hint="snapshots were expired or the table was replaced; run again to read the current version",
        )


def read_snapshot(session: "SparkSession", relation: str, position: Position) -> "DataFrame":
    """Read an Iceberg table as it was at a snapshot."""
    return session.sql(f"SELECT * FROM {relation} VERSION AS OF {int(position)}")


def read_appended(session: "SparkSession", relation: str, *, since: Position, until: Position) -> "DataFrame":
    """Read the rows that were appended to an Iceberg table after one snapshot, up to another."""
    if since == until:
        return read_snapshot(session, relation, until).limit(0)
    reader = session.read.option("start-snapshot-id", since).option("end-snapshot-id", until)
    return reader.table(relation)


def read_changed(session: "SparkSession", relation: str, *, since: Position, until: Position) -> "DataFrame":
    """Read the rows of the files that a commit on an Iceberg table removed and added, with their `_change_type`."""
    reader = session.read.option("start-snapshot-id", since).option("end-snapshot-id", until)
    return reader.table(f"{relation}.changes")


def steps_between(table: TableName, metadata: Metadata, *, since: Position, until: Position) -> tuple[Snapshot, ...]:
    """Return the snapshots after one version up to another, oldest first; raise if they do not link any more."""
    steps: list[Snapshot] = []
    position: Position | None = until
    while position is not None and position != since:
        found = metadata.snapshots.get(position)
        if found is None:
            break
        steps.append(found)
        position = metadata.parent(position)
    if position != since:
        raise NotAppended(table, since)
    return tuple(reversed(steps))


def newest_loaded(table: TableName, metadata: Metadata, pin: Pin) -> Position:
    """Return the version to read new rows from: the newest loaded one up to the pin.

    That is the pin itself where a loaded version has all of its rows: a table that was rolled back, for example.
    """
    loaded = [position for position in (pin.since, *pin.loaded) if position is not None]
    line: Position | None = pin.position
    while line is not None and line not in loaded:
        line = metadata.parent(line)
    if line is not None:
        return line
    for position in loaded:
        try:
            require_appends(table, steps_between(table, metadata, since=pin.position, until=position), since=position)
        except NotAppended:
            continue
        return pin.position
    raise NotAppended(table, loaded[0])


def require_kept(table: TableName, metadata: Metadata, since: Position) -> None:
    """Raise unless the version that rows are to be compared with has not expired."""
    if since not in metadata.snapshots:
        raise NotAppended(table, since)


def chains(steps: tuple[Snapshot, ...], *, since: Position) -> tuple[tuple[Position, Position], ...]:
    """Return the stretches of steps that follow one another, as the versions before and at the end of each.

    A step that replaced the table, to lay it out or to build it again, begins another one; its own rows are not new.
    """
    found: list[tuple[Position, Position]] = []
    begin = end = since
    for step in steps:
        if step.parent is None:
            found.append((begin, end))
            begin = step.position
        end = step.position
    return tuple((start, stop) for start, stop in (*found, (begin, end)) if start != stop)


def require_appends(table: TableName, steps: tuple[Snapshot, ...], *, since: Position) -> None:
    """Raise unless every step only added rows, in the one form that Iceberg's append scan does not pass over."""
    for step in steps:
        if not step.is_append and not step.is_content_preserving:
            raise NotAppended(table, since)


def read_files(
    session: "SparkSession", settings: SparkSettings, source: SourceTable, *, entries: tuple[FileEntry, ...]
) -> "DataFrame":
    """Read exactly these files of a source, each column as the type that is known for all of its files."""
    if not entries:
        return no_rows(session, _known_columns(source))
    location = manifest.locate(settings, source)
    known = require_one_schema(source, Path(settings.root))
    options = _options(source, entries, location)
    if source.format == "csv":
        return _read_csv(session, source, options, entries, location)
    if known is None or source.format != "parquet" or not _is_from_files(source):
        reader = typed_reader(session, source, known, options=options, location=location)
        paths = [manifest.path_of(location, entry) for entry in entries]
        if known is None or not known.columns:
            require_inferable(source, paths, options)
        return reader.load([exact_path(path) for path in paths])
    parts = []
    for empty, group in without_values(source, Path(settings.root), entries).items():
        columns = tuple(column for column in known.columns if column.name.lower() not in empty)
        reader = typed_reader(session, source, known.replace(columns=columns), options=options, location=location)
        found = reader.load([exact_path(manifest.path_of(location, entry)) for entry in group])
        parts.append(_with_nulls(found, known.columns))
    return reduce(lambda first, other: first.unionByName(other), parts)


def _is_from_files(source: SourceTable) -> bool:
    return source.is_inferred or not source.columns


def _with_nulls(frame: "DataFrame", columns: Schema) -> "DataFrame":
    """Return a frame with all of these columns, null where it has none; Spark reads no file of another type for it."""
    from pyspark.sql.functions import col, lit

    there = {name.lower() for name in frame.columns}
    if all(column.name.lower() in there for column in columns):
        return frame
    return frame.select(
        *(
            col(quote(column.name)) if column.name.lower() in there else lit(None).cast(column.type).alias(column.name)
            for column in columns
        )
    )


def _read_csv(
    session: "SparkSession",
    source: SourceTable,
    options: dict[str, str],
    entries: tuple[FileEntry, ...],
    location: Path,
) -> "DataFrame":
    """Read CSV files, each kind in its way; columns that files written before do not have are null."""
    from pyspark.sql.functions import lit

    named = {name.casefold() for entry in entries for name, _ in folder_values(entry.path)}
    folders = tuple(column for column in source.columns if column.name.casefold() in named)
    inside = tuple(column for column in source.columns if column not in folders)
    parts = []
    paths = [manifest.path_of(location, entry) for entry in entries]
    for layout, group in by_layout(source, inside, paths).items():
        given = ({"multiLine": "true"} if layout.has_newlines else {}) | options
        columns = (*inside[: layout.columns], *folders)
        if not columns:
            require_inferable(source, group, given)
        reader = session.read.format("csv").options(**given)
        found = (reader.schema(ddl(columns)) if columns else reader).load([exact_path(path) for path in group])
        for column in inside[layout.columns :]:
            found = found.withColumn(column.name, lit(None).cast(column.type))
        parts.append(found)
    return reduce(lambda first, other: first.unionByName(other), parts)


def no_rows(session: "SparkSession", columns: Schema) -> "DataFrame":
    """Return a frame of some columns without rows."""
    return session.createDataFrame([], ddl(columns))


def appended_files(settings: SparkSettings, source: SourceTable, *, since: Position, pin: Pin) -> tuple[FileEntry, ...]:
    """Return the files that came after one manifest, but for those that were loaded before and have come back.

    Raise if old ones changed or were removed, unless that is let pass.
    """
    for position in (since, *pin.loaded):
        if not manifest.is_stored(settings, position):
            raise NotAppended(TableName(source.name), position)
    before = set(manifest.load_manifest(settings, source, since).entries)
    after = manifest.load_manifest(settings, source, pin.position).entries
    if not pin.is_past_changes and not before <= set(after):
        raise NotAppended(TableName(source.name), since)
    known = {entry.path for entry in before}
    came = tuple(entry for entry in after if entry.path not in known)
    return _never_loaded(settings, source, came, loaded=pin.loaded) if came and pin.loaded else came


def _never_loaded(
    settings: SparkSettings, source: SourceTable, came: tuple[FileEntry, ...], *, loaded: tuple[Position, ...]
) -> tuple[FileEntry, ...]:
    """Return the files that are none of those which earlier manifests list."""
    location, paths = manifest.locate(settings, source), {entry.path for entry in came}
    earlier: dict[str, list[HeldFile]] = {}
    for position in loaded:
        for item in manifest.load_manifest(settings, source, position).files:
            if item.file.path in paths:
                earlier.setdefault(item.file.path, []).append(item)
    try:
        return tuple(
            entry for entry in came if not any(item.is_back(entry, location) for item in earlier.get(entry.path, ()))
        )
    except OSError as error:
        raise manifest.SourceChanged(source.name, str(error.filename)) from error


def _options(source: SourceTable, entries: tuple[FileEntry, ...], location: Path) -> dict[str, str]:
    """Return the reader's options: strict by default, with the folders' columns where there are such folders."""
    strict = default_options(source)
    if any(folder_values(entry.path) for entry in entries):
        strict["basePath"] = str(location)
    return {**strict, **source.options}


def _known_columns(source: SourceTable) -> Schema:
    if not source.columns:
        raise manifest.SourceUnreadable(source.name, source.location, "it has no files and declares no columns")
    return source.columns
