"""A managed table's main ancestry, from its metadata alone; pure."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import column_ranges
from lamina.values.coverage import Mark
from lamina.values.facts import Version
from lamina.values.interval import WHOLE
from lamina.values.names import Position, TableName
from lamina.values.row_counts import RowCounts, rows_on_time
from lamina.values.touch import ColumnRanges, Everything, Extent, Nothing, Ranges, Touch
from lamina.warehouse.iceberg.filled import is_fill
from lamina.warehouse.iceberg.metadata import Metadata, Snapshot
from lamina.warehouse.port import History


def history_of(table: TableName, metadata: Metadata, since: Position | None, *, model: CompiledModel | None) -> History:
    """Return the versions after a recorded one, or all known ones if that is not an ancestor."""
    steps, is_linked = walk(metadata, since)
    name = table if model is None else TableName(model.name)
    return History(
        versions=tuple(_version(name, metadata, step, model) for step in steps),
        is_linked=is_linked,
        mark=_newest_mark(metadata, steps),
    )


def walk(metadata: Metadata, since: Position | None) -> tuple[tuple[Snapshot, ...], bool]:
    """Return the main ancestry after a version, oldest first, and whether that version is an ancestor."""
    steps: list[Snapshot] = []
    position = metadata.position
    while position is not None and position != since:
        found = metadata.snapshots.get(position)
        if found is None:
            break
        steps.append(found)
        position = metadata.parent(position)
    # The id of a parent outlives the parent: an expired version may still be the one that was recorded.
    return tuple(reversed(steps)), since is not None and position == since


def only_pins(metadata: Metadata) -> dict[TableName, Position] | None:
    """Return what the one batch read that wrote every row of a table; None if several did, or it is not known."""
    steps, _ = walk(metadata, None)
    if not steps or metadata.parent(steps[0].position) is not None:
        return None
    changed = [step for step in steps if not step.is_content_preserving]
    mark = changed[0].mark if len(changed) == 1 else None
    return None if mark is None else mark.pins


def _version(table: TableName, metadata: Metadata, step: Snapshot, model: CompiledModel | None) -> Version:
    parent = metadata.parent(step.position)
    mark = _late_mark(metadata, step)
    late = metadata.touch
    if late is not None and late.position == step.position:
        touch = late
    else:
        is_append = ((step.is_append and step.has_added) or is_fill(step)) and not step.is_content_preserving
        touch = Touch(
            table=table,
            position=step.position,
            parent=parent,
            extent=_extent(step, mark, model),
            is_append=is_append,
            has_new_rows=step.has_added and mark is not None and mark.new_slices != (),
            rows_added=step.count("added-records"),
            rows=rows_added(step, is_append=is_append),
        )
    return Version(
        position=step.position,
        parent=parent,
        mark=mark,
        touch=touch,
        is_content_preserving=step.is_content_preserving and step.parent is not None,
    )


def rows_added(step: Snapshot, *, is_append: bool) -> RowCounts | None:
    """Return the rows of a step that only added some; None where its summary does not count them."""
    return rows_on_time(step.count("added-records"), is_append=is_append and "added-records" in step.summary)


def _extent(step: Snapshot, mark: Mark | None, model: CompiledModel | None) -> Extent:
    """Return what a step may have changed; a mark of an interval model has its slices."""
    if step.is_content_preserving and step.parent is not None:
        return Nothing()
    if mark is None or model is None or step.parent is None or mark.slices == (WHOLE,):
        return Everything()
    slices = model.traits.slices
    if slices is None:
        return Everything()
    ranges = column_ranges(model, mark.slices)
    return Ranges(columns=(ColumnRanges(column=slices.time_column, ranges=ranges),))


def _late_mark(metadata: Metadata, step: Snapshot) -> Mark | None:
    """Return a step's mark, with the late facts where the table still has them."""
    mark, late = step.mark, metadata.mark
    return late if mark is not None and late is not None and late.commit == mark.commit else mark


def _newest_mark(metadata: Metadata, steps: tuple[Snapshot, ...]) -> Mark | None:
    marked = (mark for step in reversed(steps) if (mark := _late_mark(metadata, step)) is not None)
    newest = next(marked, None)
    if newest is not None:
        return newest
    position = steps[0].position if steps else metadata.position
    while position is not None and (found := metadata.snapshots.get(position)) is not None:
        if (mark := _late_mark(metadata, found)) is not None:
            return mark
        position = metadata.parent(position)
    return metadata.mark
