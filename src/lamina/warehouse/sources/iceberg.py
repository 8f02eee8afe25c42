"""Sources that are Iceberg tables of the catalog: a position is a snapshot, and files show what each one changed."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamina.planner.axis import can_see
from lamina.project.source import SourceTable
from lamina.values.batch import Pin, RowsQuestion
from lamina.values.facts import Head
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.result import Detection, Detector
from lamina.values.touch import ColumnRanges, Everything, Extent, Nothing, Ranges, Touch
from lamina.warehouse.failure import SourceUnreadable, WarehouseFailure
from lamina.warehouse.iceberg.ancestry import rows_added, walk
from lamina.warehouse.iceberg.column_bounds import may_hold_rows
from lamina.warehouse.iceberg.data_files import UNREADABLE, changed_files
from lamina.warehouse.iceberg.metadata import Metadata, Snapshot, local_path, read_metadata
from lamina.warehouse.iceberg.scanned_rows import scanned_rows
from lamina.warehouse.iceberg.versions import rows_at
from lamina.warehouse.schemas import KnownSchema, SchemaAnswer, UnknownSchema
from lamina.warehouse.sources.changed_rows import ranges_in
from lamina.warehouse.sources.port import ForSlices, Lake, Pointers, SourceRows
from lamina.warehouse.sources.table_frames import read_table
from lamina.warehouse.sql import relation

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_DETECTOR: Detector = "version"


def detector(_source: SourceTable) -> Detector:
    """Return that versions of the table are compared."""
    return _DETECTOR


def table_of(source: SourceTable) -> TableName:
    """Return the table of the catalog that the source is."""
    return TableName(source.location)


def schema(source: SourceTable, _root: Path, pointers: Pointers) -> SchemaAnswer:
    """Return the columns of the table's current metadata."""
    pointer = pointers().get(table_of(source))
    if pointer is None:
        return UnknownSchema(
            reason=f"the catalog has no table `{source.location}`",
            hint="create the table, or change the source's name or `namespace`",
        )
    try:
        return KnownSchema(columns=read_metadata(pointer).columns)
    except WarehouseFailure as error:
        return UnknownSchema(reason=error.message, hint=error.hint or f"declare `columns` for `{source.name}`")


def head(source: SourceTable, lake: Lake, pin: Position | None, _columns: tuple[ColumnName, ...]) -> Head:
    """Return the table's head, or the pinned snapshot if that is an ancestor which has not expired."""
    name = table_of(source)
    found = lake.tables.heads((name,))[name].replace(table=TableName(source.name))
    if found.fault is not None and found.pointer is not None:
        detail = "metadata of the table is gone or damaged"
        raise SourceUnreadable(source.name, str(local_path(found.pointer)), detail)
    metadata = lake.tables.metadata(name)
    is_readable = pin in metadata.snapshots and walk(metadata, pin)[1]
    return found.replace(position=pin) if is_readable else found


def changes(
    source: SourceTable, lake: Lake, since: Position, *, columns: tuple[ColumnName, ...], until: Position | None
) -> tuple[Touch, ...]:
    """Return one touch for each snapshot after a position, classified by the files it added and removed."""
    metadata = lake.tables.metadata(table_of(source))
    return table_changes(source, metadata.replace(position=until or metadata.position), since, columns=columns)


def detection(source: SourceTable, lake: Lake, since: Position | None, *, until: Position) -> Detection:
    """Return the versions after one, by what each did; a version that is not an ancestor any more was removed."""
    metadata = lake.tables.metadata(table_of(source)).replace(position=until)
    steps, is_linked = walk(metadata, since)
    counted = tuple(step for step in steps if not (step.is_content_preserving and step.parent is not None))
    total = 0 if metadata.snapshot is None else metadata.snapshot.count("total-data-files")
    return Detection(
        input=source.name,
        detector=_DETECTOR,
        changed=tuple(step.position for step in counted if step.has_removed),
        added=tuple(step.position for step in counted if not step.has_removed),
        removed=() if since is None or is_linked else (since,),
        unchanged=max(total - sum(step.count("added-data-files") for step in steps), 0),
    )


def is_emptied(_source: SourceTable, _lake: Lake, _since: Position, *, until: Position) -> bool:  # noqa: ARG001
    """Return False: a version without rows is a commit of its owner, unlike a list of files that came back empty."""
    return False


def may_hold(source: SourceTable, lake: Lake, question: RowsQuestion) -> bool:
    """Return whether some file of a snapshot may have rows in a range."""
    return may_hold_rows(lake.tables.metadata(table_of(source)), question)


def read(source: SourceTable, lake: Lake, session: "SparkSession", pin: Pin, _wanted: ForSlices | None) -> SourceRows:
    """Return the rows of the pinned snapshot, or those appended up to it; Spark leaves out files by their bounds."""
    table = table_of(source)
    name = relation(lake.settings.catalog, table)
    rows = read_table(session, name, pin, table=table, metadata=lake.tables.metadata(table))
    return SourceRows(frame=rows, after_reading=lambda: None)


def recheck(_source: SourceTable, _lake: Lake, _position: Position) -> None:
    """Do nothing: a snapshot never changes, and one that expired cannot be read."""


def unrepeatable(_source: SourceTable, _position: Position) -> None:
    """Return None: a snapshot never changes."""


def rows_read(source: SourceTable, lake: Lake, pin: Pin, wanted: ForSlices | None) -> int | None:
    """Return how many rows the files have that slices read of the pinned snapshot, or that were added up to it."""
    return rows_in_reach(table_of(source), lake.tables.metadata(table_of(source)), pin, wanted)


def rows_in_reach(table: TableName, metadata: Metadata, pin: Pin, wanted: ForSlices | None) -> int | None:
    """Return how many rows of a table are read at a pin, by the bounds of its files where slices filter by them."""
    use = None if wanted is None else wanted.use_of(pin.input)
    # Spark cannot tell by bounds of instants which of them lie in local days.
    if wanted is None or use is None or use.counts_days:
        return rows_at(table, metadata, pin)
    return scanned_rows(
        table,
        metadata,
        pin,
        column=use.filter_column,
        is_seen=lambda held: can_see(wanted.model, use, (held,), span=wanted.span),
    )


def bytes_read(source: SourceTable, lake: Lake, _position: Position, since: Position | None) -> int:
    """Return the size of all data files, or of those that the last snapshot added."""
    snapshot = lake.tables.metadata(table_of(source)).snapshot
    return 0 if snapshot is None else snapshot.count("total-files-size" if since is None else "added-files-size")


def table_changes(
    source: SourceTable, metadata: Metadata, since: Position, *, columns: tuple[ColumnName, ...]
) -> tuple[Touch, ...]:
    """Return one touch for each snapshot after a version, or one of everything if that is not an ancestor."""
    if metadata.position is None or metadata.position == since:
        return ()
    name = TableName(source.name)
    steps, is_linked = walk(metadata, since)
    if not is_linked:
        return (Touch(table=name, position=metadata.position, parent=since, extent=Everything()),)
    return tuple(_touch(name, metadata, step, columns) for step in steps)


def _touch(name: TableName, metadata: Metadata, step: Snapshot, columns: tuple[ColumnName, ...]) -> Touch:
    parent = metadata.parent(step.position)
    if step.is_content_preserving and step.parent is not None:
        return Touch(table=name, position=step.position, parent=parent, extent=Nothing())
    is_append = step.is_append and not step.count("removed-delete-files")
    return Touch(
        table=name,
        position=step.position,
        parent=parent,
        extent=_extent(step, columns),
        is_append=is_append,
        rows_added=step.count("added-records"),
        rows=rows_added(step, is_append=is_append),
    )


def _extent(step: Snapshot, columns: tuple[ColumnName, ...]) -> Extent:
    if not columns or step.parent is None:
        return Everything()
    try:
        known = ranges_of_step(step, columns)
    except UNREADABLE:
        # What is not known may be anything; a reader of the rows finds out whether they can be read.
        return Everything()
    return Ranges(columns=known) if known else Everything()


def ranges_of_step(step: Snapshot, columns: tuple[ColumnName, ...]) -> tuple[ColumnRanges, ...]:
    """Return where the rows of a step's files are, for each column where all of them are known."""
    files = changed_files(step)
    known = ((column, _union(files, column)) for column in columns)
    return tuple(ColumnRanges(column=column, ranges=ranges) for column, ranges in known if ranges is not None)


def _union(files: tuple[Any, ...], column: ColumnName) -> tuple[Interval, ...] | None:
    """Return the times of a column in the rows of all files and of all deletes, or None if one does not tell."""
    spans: list[Interval] = []
    for file in files:
        found = ranges_in(file, column)
        if found is None:
            return None
        spans.extend(found)
    return merge(tuple(spans))
