"""Pinned reads: every input is read at one exact version, Iceberg tables by snapshot, files by their list."""

from pathlib import Path
from typing import TYPE_CHECKING

from lamina.project.source import SourceTable
from lamina.values.names import Position, TableName
from lamina.values.schema import UNKNOWN, Schema
from lamina.warehouse.failure import RebuildNeeded, WarehouseFailure
from lamina.warehouse.schemas import ConflictingSchema, source_schema
from lamina.warehouse.spark import manifest
from lamina.warehouse.spark.manifest import FileEntry
from lamina.warehouse.spark.metadata import Metadata, Snapshot
from lamina.warehouse.spark.settings import SparkSettings
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
            f"what was appended to `{table}` since version {since} cannot be told apart",
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


class FilesDisagree(WarehouseFailure):
    """Files of one source give one column different types, so Spark cannot read them together.

    Why: the columns are taken from the files, and these do not agree about one of them.
    Fix: write the named files again with one type, or declare `columns` for the source's table.
    """

    code = "L631"

    def __init__(self, source: str, conflict: ConflictingSchema) -> None:
        super().__init__(
            f"the files of source `{source}` do not go together: {conflict.reason}",
            kind="data_rejected",
            hint=conflict.hint,
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


def require_appends(table: TableName, steps: tuple[Snapshot, ...], *, since: Position) -> None:
    """Raise unless every step only added rows, in the one form that Iceberg's append scan does not pass over."""
    for step in steps:
        if not step.is_append and not step.is_content_preserving:
            raise NotAppended(table, since)


def read_files(
    session: "SparkSession", settings: SparkSettings, source: SourceTable, *, entries: tuple[FileEntry, ...]
) -> "DataFrame":
    """Read exactly these files of a source."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    if not entries:
        return no_rows(session, _known_columns(source))
    location = manifest.locate(settings, source)
    reader = session.read.format(source.format).options(**_options(source, entries, location))
    if source.columns and all(column.type != UNKNOWN for column in source.columns):
        reader = reader.schema(_ddl(source.columns))
    try:
        return reader.load([str(_path_of(location, entry)) for entry in entries])
    except (PySparkException, Py4JError) as error:
        # Spark names types but no files; what it can merge is more than footers tell, so they are asked only now.
        answer = source_schema(source, Path(settings.root), pointers={})
        if isinstance(answer, ConflictingSchema):
            raise FilesDisagree(source.name, answer) from error
        raise


def no_rows(session: "SparkSession", columns: Schema) -> "DataFrame":
    """Return a frame of some columns without rows."""
    return session.createDataFrame([], _ddl(columns))


def appended_files(
    settings: SparkSettings, source: SourceTable, *, since: Position, until: Position
) -> tuple[FileEntry, ...]:
    """Return the files that came after one manifest; raise if any of the old ones changed or went."""
    before = set(manifest.load_manifest(settings, source, since).entries)
    after = manifest.load_manifest(settings, source, until).entries
    if not before <= set(after):
        raise NotAppended(TableName(source.name), since)
    return tuple(entry for entry in after if entry not in before)


def _options(source: SourceTable, entries: tuple[FileEntry, ...], location: Path) -> dict[str, str]:
    """Return the reader's options: strict by default, with the folders' columns where there are such folders."""
    strict: dict[str, str] = {}
    if source.format in ("csv", "json"):
        strict["mode"] = "FAILFAST"
    if source.format == "csv":
        # Without `enforceSchema = false` Spark takes declared columns by place, whatever the header says.
        strict |= {"header": "true"} | ({"enforceSchema": "false"} if source.columns else {"inferSchema": "true"})
    if source.format == "parquet" and not source.columns:
        strict["mergeSchema"] = "true"
    if any("=" in part for entry in entries for part in Path(entry.path).parts[:-1]):
        strict["basePath"] = str(location)
    return {**strict, **source.options}


def _known_columns(source: SourceTable) -> Schema:
    if not source.columns:
        raise manifest.SourceUnreadable(source.name, source.location, "it has no files and declares no columns")
    return source.columns


def _ddl(columns: Schema) -> str:
    return ", ".join(f"{quote(column.name)} {column.type}" for column in columns)


def _path_of(location: Path, entry: FileEntry) -> Path:
    return location if entry.path == "." else location / entry.path
