"""Changes of Iceberg sources in the catalog: step by step, classified by the files each one added and removed."""

from lamina.project.source import SourceTable
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.result import Detection
from lamina.values.touch import ColumnRanges, Everything, Extent, Nothing, Ranges, Touch
from lamina.warehouse.files import file_ranges
from lamina.warehouse.iceberg.ancestry import walk
from lamina.warehouse.iceberg.data_files import UNREADABLE, changed_files
from lamina.warehouse.iceberg.metadata import Metadata, Snapshot, local_path


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


def detection(source: SourceTable, metadata: Metadata, since: Position | None) -> Detection:
    """Return the versions after one, by what each did; a version that is not an ancestor any more was removed."""
    steps, is_linked = walk(metadata, since)
    told = tuple(step for step in steps if not (step.is_content_preserving and step.parent is not None))
    added = tuple(step.position for step in told if not step.has_removed)
    head = metadata.snapshot
    total = 0 if head is None else head.count("total-data-files")
    return Detection(
        input=source.name,
        detector="version",
        changed=tuple(step.position for step in told if step.has_removed),
        added=added,
        removed=() if since is None or is_linked else (since,),
        unchanged=max(total - sum(step.count("added-data-files") for step in steps), 0),
    )


def _touch(name: TableName, metadata: Metadata, step: Snapshot, columns: tuple[ColumnName, ...]) -> Touch:
    parent = metadata.parent(step.position)
    if step.is_content_preserving and step.parent is not None:
        return Touch(table=name, position=step.position, parent=parent, extent=Nothing())
    return Touch(
        table=name,
        position=step.position,
        parent=parent,
        extent=_extent(step, columns),
        is_append=step.is_append and not step.count("removed-delete-files"),
        rows_added=step.count("added-records"),
    )


def _extent(step: Snapshot, columns: tuple[ColumnName, ...]) -> Extent:
    is_by_file = not step.count("added-delete-files") and not step.count("removed-delete-files")
    if not columns or step.parent is None or not is_by_file:
        return Everything()
    try:
        known = ranges_of_step(step, columns)
    except UNREADABLE:
        # What is not known may be anything; whoever needs the rows finds out whether they can be read.
        return Everything()
    return Ranges(columns=known) if known else Everything()


def ranges_of_step(step: Snapshot, columns: tuple[ColumnName, ...]) -> tuple[ColumnRanges, ...]:
    """Return where the rows of a step's files lie, for each column that all of them tell of."""
    paths = changed_files(step)
    told = ((column, _union(paths, column)) for column in columns)
    return tuple(ColumnRanges(column=column, ranges=ranges) for column, ranges in told if ranges is not None)


def _union(paths: tuple[str, ...], column: ColumnName) -> tuple[Interval, ...] | None:
    """Return the times of a column in all files, or None if one of them cannot tell."""
    spans: list[Interval] = []
    for path in paths:
        found = file_ranges.parquet_ranges(local_path(path), column)
        if found is None:
            return None
        spans.extend(found)
    return merge(tuple(spans))
