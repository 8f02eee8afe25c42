"""The versions of a table in the lake: which follow each other, and what changed from one to the next."""

from tests.simulation.algebra import Relation, type_of
from tests.simulation.differences import extent_of
from tests.simulation.lake import Metadata, Snapshot, bag

from lamina.values.coverage import Mark
from lamina.values.facts import Head, Version
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.result import Detection
from lamina.values.row_counts import rows_on_time
from lamina.values.schema import Column, DataType, Schema
from lamina.values.touch import Everything, Nothing, Touch
from lamina.warehouse.port import History


def schema_of(columns: tuple[str, ...]) -> Schema:
    """Return named columns with their types."""
    return tuple(Column(ColumnName(name), DataType(type_of(name))) for name in columns)


def head_of(table: TableName, metadata: Metadata, *, pointer: str) -> Head:
    """Return the current version of a table."""
    head = metadata.head
    return Head(table, pointer=pointer, position=head.position, columns=schema_of(head.relation.columns))


def history_of(table: TableName, metadata: Metadata, since: Position | None) -> History:
    """Return the ancestry of a table after a version, or all of it where that is not an ancestor."""
    steps = None if since is None else steps_since(metadata, since)
    listed = tuple(reversed(metadata.ancestry())) if steps is None else steps
    marked = next((item for item in metadata.ancestry() if item.mark is not None), None)
    mark = metadata.mark if marked is None else _late_mark(metadata, marked)
    return History(
        versions=tuple(_version(table, metadata, step) for step in listed), is_linked=steps is not None, mark=mark
    )


def steps_since(metadata: Metadata, since: Position) -> tuple[Snapshot, ...] | None:
    """Return the ancestry after a version, oldest first, or None when that is not an ancestor."""
    steps: list[Snapshot] = []
    for snapshot in metadata.ancestry():
        if snapshot.position == since:
            return tuple(reversed(steps))
        steps.append(snapshot)
    # The parent's id outlives the parent.
    return tuple(reversed(steps)) if str(steps[-1].parent) == since else None


def step_touch(name: TableName, metadata: Metadata, step: Snapshot, *, columns: tuple[ColumnName, ...]) -> Touch:
    """Return what one version changed of the one before it."""
    parent = None if step.parent is None else Position(str(step.parent))
    before = None if step.parent is None else metadata.snapshot(step.parent)
    if step.operation in ("replace", "mark"):
        return Touch(name, position=step.position, parent=parent, extent=Nothing())
    if before is None:
        return Touch(name, position=step.position, parent=parent, extent=Everything())
    new, old = bag(step.relation), bag(before.relation)
    added = Relation(step.relation.columns, tuple((new - old).elements()))
    removed = Relation(step.relation.columns, tuple((old - new).elements()))
    return Touch(
        name,
        position=step.position,
        parent=parent,
        extent=extent_of(added, removed, columns=columns),
        is_append=not removed.rows,
        rows_added=len(added.rows),
        rows=rows_on_time(len(added.rows), is_append=not removed.rows),
    )


def compare_versions(name: str, metadata: Metadata, since: Position | None) -> Detection:
    """Return which versions of a table came after another, and whether that one is still there."""
    linked = None if since is None else steps_since(metadata, since)
    steps = tuple(reversed(metadata.ancestry())) if linked is None else linked
    touches = [step_touch(TableName(name), metadata, step, columns=()) for step in steps]
    reported = [touch for touch in touches if not isinstance(touch.extent, Nothing)]
    return Detection(
        name,
        "version",
        changed=tuple(touch.position for touch in reported if not touch.is_append),
        added=tuple(touch.position for touch in reported if touch.is_append),
        removed=() if since is None or linked is not None else (since,),
    )


def _late_mark(metadata: Metadata, snapshot: Snapshot) -> Mark | None:
    late = metadata.mark
    return late if late and snapshot.mark and late.commit == snapshot.mark.commit else snapshot.mark


def _version(table: TableName, metadata: Metadata, step: Snapshot) -> Version:
    mark = _late_mark(metadata, step) if step.mark is not None else None
    is_preserving = step.operation in ("replace", "mark")
    parent = None if step.parent is None else Position(str(step.parent))
    touch = Touch(
        table,
        step.position,
        parent,
        extent=Nothing() if is_preserving else Everything(),
        has_new_rows=mark is not None and bool(mark.new_slices),
    )
    if mark is not None and mark is metadata.mark and metadata.touch is not None:
        touch = metadata.touch
    return Version(step.position, parent, mark=mark, touch=touch, is_content_preserving=is_preserving)
