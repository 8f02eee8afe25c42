"""The warehouse port over bags of rows: the second implementation, on which schedules run by the thousand."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tests.simulation.algebra import Expression, Read, Relation, Row, evaluate, type_of
from tests.simulation.differences import compare_files, extent_of, refine
from tests.simulation.lake import CATALOG, Lake, Metadata, Operation, Snapshot, bag
from tests.simulation.row_checks import run_checks
from tests.simulation.row_writes import aligned, cut_rows, refuse_strays, written

from lamina.compiler.graph import CompiledModel, Graph
from lamina.project.source import SourceTable
from lamina.values.batch import Batch, CheckResult, Diff, DiffQuestion, Move, Pin, Staged
from lamina.values.coverage import Mark
from lamina.values.facts import Head, Version
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName, CommitId, Fingerprint, Position, TableName
from lamina.values.result import Detection
from lamina.values.schema import Column, DataType, Schema
from lamina.values.touch import Everything, Nothing, Touch
from lamina.warehouse import catalog
from lamina.warehouse.failure import RebuildNeeded, WarehouseFailure
from lamina.warehouse.port import NO_PINS, Comparison, History, Pins


class MemoryWarehouse:
    """One process's view of the lake; it may be thrown away at any moment."""

    def __init__(self, lake: Lake, graph: Graph, queries: Mapping[Fingerprint, Expression]) -> None:
        self._lake = lake
        self._queries = queries
        self._targets = {TableName(model.name): model.target for model in graph.models}
        self._sources = {TableName(source.name): source for source in graph.sources}

    # Looking

    def heads(self, tables: Sequence[TableName]) -> dict[TableName, Head]:
        """Return the current heads of managed tables."""
        pointers = catalog.pointers(self._lake.connection, CATALOG)
        return {table: self._head(table, pointers.get(table)) for table in tables}

    def source_heads(self, sources: Sequence[SourceTable], pins: Pins = NO_PINS) -> dict[TableName, Head]:
        """Return the current heads of sources; a pinned one as of its pin, if it can still be read like that."""
        heads = {TableName(source.name): self._source_head(source) for source in sources}
        kept = {TableName(source.name) for source in sources if self._can_pin(source, pins.get(TableName(source.name)))}
        return {name: head.replace(position=pins[name]) if name in kept else head for name, head in heads.items()}

    def _can_pin(self, source: SourceTable, pin: Position | None) -> bool:
        if pin is None:
            return False
        if source.type == "files":
            before = self._lake.manifests.get(pin)
            now = self._lake.manifests[self._lake.manifest(source.location)]
            return before is not None and before.items() <= now.items()
        metadata = self._lake.table(TableName(source.location))
        return metadata is not None and any(step.position == pin for step in metadata.ancestry())

    def _source_head(self, source: SourceTable) -> Head:
        name = TableName(source.name)
        if source.type == "files":
            return Head(name, pointer=None, position=self._lake.manifest(source.location), columns=source.columns)
        location = TableName(source.location)
        pointer = self._lake.pointer(location)
        if pointer is None:
            raise WarehouseFailure(f"table `{location}` is not in the catalog", kind="not_found")
        return self._head(location, pointer).replace(table=name)

    def _head(self, table: TableName, pointer: str | None) -> Head:
        if pointer is None:
            return Head(table, pointer=None, position=None)
        head = self._lake.metadata[pointer].head
        return Head(table, pointer=pointer, position=head.position, columns=_schema(head.relation.columns))

    def changes(
        self, source: SourceTable, since: Position, *, columns: tuple[ColumnName, ...], until: Position | None = None
    ) -> tuple[Touch, ...]:
        """Return what changed in a source after `since`, up to `until` or the head as it is now."""
        head = until or self._source_head(source).position
        if head is None or head == since:
            return ()
        if source.type == "files":
            return (self._file_touch(source, since, columns=columns, head=head),)
        metadata = self._lake.table(TableName(source.location))
        steps = None if metadata is None else _steps(metadata, since)
        if metadata is None or steps is None:
            return (Touch(TableName(source.name), position=head or since, parent=since, extent=Everything()),)
        positions = [step.position for step in steps]
        wanted = steps[: positions.index(head) + 1] if head in positions else steps
        return tuple(_step_touch(TableName(source.name), metadata, step, columns=columns) for step in wanted)

    def _file_touch(
        self, source: SourceTable, since: Position, *, columns: tuple[ColumnName, ...], head: Position
    ) -> Touch:
        name = TableName(source.name)
        before, after = self._lake.manifests.get(since), self._lake.manifests[head]
        if before is None:
            return Touch(name, position=head, parent=since, extent=Everything())
        names = _names(source.columns)
        gone = [version for file, version in sorted(before.items()) if after.get(file) != version]
        new = [version for file, version in sorted(after.items()) if before.get(file) != version]
        removed = self._lake.file_rows(gone, columns=names)
        added = self._lake.file_rows(new, columns=names)
        return Touch(
            name,
            position=head,
            parent=since,
            extent=extent_of(added, removed, columns=columns) if gone or new else Nothing(),
            is_append=not gone,
            rows_added=len(added.rows),
        )

    def detection(self, source: SourceTable, since: Position | None, *, until: Position) -> Detection:
        """Return which files or versions of a source came, changed and went between two positions."""
        if source.type == "files":
            before = {} if since is None else self._lake.manifests.get(since, {})
            return compare_files(source.name, before, self._lake.manifests[until])
        metadata = self._lake.table(TableName(source.location))
        assert metadata is not None, "only a source that is there is looked at"
        return _compare_versions(source.name, replace(metadata, current=int(until)), since)

    def history(self, table: TableName, since: Position | None) -> History:
        """Return the ancestry of a managed table after a recorded version."""
        metadata = self._lake.table(table)
        if metadata is None:
            return History(versions=(), is_linked=since is None, mark=None)
        steps = None if since is None else _steps(metadata, since)
        listed = tuple(reversed(metadata.ancestry())) if steps is None else steps
        marked = next((item for item in metadata.ancestry() if item.mark is not None), None)
        mark = metadata.mark if marked is None else _late_mark(metadata, marked)
        return History(
            versions=tuple(_version(table, metadata, step) for step in listed), is_linked=steps is not None, mark=mark
        )

    # Reading

    def _read(self, name: TableName, pin: Pin | None, *, reader: Read) -> Relation:
        if pin is None:
            return Relation(reader.columns, ())
        source = self._sources.get(name)
        if source is not None and source.type == "files":
            return self._read_files(source, pin)
        table = TableName(source.location) if source is not None else self._targets[name]
        metadata = self._lake.table(table)
        pinned = None if metadata is None else metadata.snapshot(int(pin.position))
        if metadata is None or pinned is None:
            raise WarehouseFailure(f"version {pin.position} of `{name}` is gone", kind="not_found")
        return pinned.relation if pin.since is None else _appended(self._lake, metadata, pinned, since=pin.since)

    def _read_files(self, source: SourceTable, pin: Pin) -> Relation:
        if not self._lake.is_current(source.location, pin.position):
            raise WarehouseFailure(f"files of `{source.name}` changed after they were listed", kind="not_found")
        files = self._lake.manifests[pin.position]
        before = {} if pin.since is None else self._lake.manifests[pin.since]
        if any(files.get(name) != version for name, version in before.items()):
            raise RebuildNeeded(f"files of `{source.name}` were not only added since {pin.since}", kind="conflict")
        new = [version for name, version in sorted(files.items()) if name not in before]
        return self._lake.file_rows(new, columns=_names(source.columns))

    def _compute(self, model: CompiledModel, slices: tuple[Interval, ...], pins: Mapping[TableName, Pin]) -> Relation:
        query = self._queries[model.fingerprint]

        def read(reader: Read) -> Relation:
            return self._read(TableName(reader.table), pins.get(TableName(reader.table)), reader=reader)

        parts = [evaluate(query, read, span) for span in merge(slices)]
        return Relation(parts[0].columns, tuple(row for part in parts for row in part.rows))

    # Writing

    def open(self) -> None:
        """Need nothing."""

    def stage(self, batch: Batch, model: CompiledModel, mark: Mark) -> Staged:
        """Write a batch aside on its base."""
        result = self._compute(model, batch.slices, {pin.input: pin for pin in batch.pins})
        refuse_strays(batch, model, result)
        base = None if batch.base is None else self._lake.metadata[batch.base]
        old = Relation(result.columns, ()) if base is None else aligned(base.head.relation, result.columns)
        rows, counts = written(batch, model, old, result)
        operation: Operation = "append" if batch.mode == "append" else "overwrite"
        relation = Relation(result.columns, rows)
        snapshot = Snapshot(next(self._lake.numbers), _parent(base), relation, operation, mark)
        pointer = self._put_stage(batch, base, snapshot)
        return Staged(batch, pointer, snapshot.position, counts, _schema(result.columns))

    def _put_stage(self, batch: Batch, base: Metadata | None, snapshot: Snapshot) -> str:
        kept = () if base is None else base.snapshots
        properties = (None, None) if base is None else (base.mark, base.touch)
        pointer = self._lake.write(Metadata(snapshot.number, (*kept, snapshot), *properties))
        stage = catalog.stage_of(batch.commit)
        catalog.drop_table(self._lake.connection, CATALOG, table=stage)
        catalog.add_table(self._lake.connection, CATALOG, table=stage, pointer=pointer)
        return pointer

    def check(self, staged: Staged, model: CompiledModel) -> tuple[CheckResult, ...]:
        """Run the model's checks over the staged rows."""
        relation = cut_rows(self._lake.metadata[staged.pointer].head.relation, model, staged.batch.slices)
        return run_checks(relation, model, staged.batch.slices)

    def diff(self, staged: Staged, questions: tuple[DiffQuestion, ...]) -> Diff:
        """Compare the base with the staged rows; rows outside the slices are equal anyway."""
        assert staged.batch.base is not None, "a first build is not compared"
        old = self._lake.metadata[staged.batch.base].head.relation
        new = self._lake.metadata[staged.pointer].head.relation
        answers = (refine(old, new, question) for question in questions)
        return Diff(
            is_equal=old.columns == new.columns and bag(old) == bag(new),
            refinements=tuple(answer for answer in answers if answer is not None),
        )

    def prepare_publish(self, staged: Staged, mark: Mark, touch: Touch) -> Move:
        """Write the late facts onto the stage and return the pointer move that publishes it."""
        self._recheck_files(staged)
        metadata = self._lake.metadata[staged.pointer]
        return self._move(staged.batch, mark, Metadata(metadata.current, metadata.snapshots, mark, touch))

    def prepare_mark(self, staged: Staged, mark: Mark, touch: Touch) -> tuple[Staged, Move]:
        """Stage a snapshot that changes no row in place of an equal result."""
        self._recheck_files(staged)
        assert staged.batch.base is not None, "only a rebuild can be equal"
        base = self._lake.metadata[staged.batch.base]
        snapshot = Snapshot(next(self._lake.numbers), base.current, base.head.relation, "mark", mark)
        touch = touch.replace(position=snapshot.position)
        move = self._move(staged.batch, mark, Metadata(snapshot.number, (*base.snapshots, snapshot), mark, touch))
        return staged.replace(pointer=move.pointer, position=snapshot.position), move

    def _move(self, batch: Batch, mark: Mark, metadata: Metadata) -> Move:
        pointer = self._lake.write(metadata)
        stage = catalog.stage_of(batch.commit)
        catalog.drop_table(self._lake.connection, CATALOG, table=stage)
        catalog.add_table(self._lake.connection, CATALOG, table=stage, pointer=pointer)
        return Move(self._targets[TableName(batch.model)], base=batch.base, pointer=pointer, stage=stage)

    def _recheck_files(self, staged: Staged) -> None:
        for pin in staged.batch.pins:
            source = self._sources.get(pin.input)
            is_files = source is not None and source.type == "files"
            if is_files and not self._lake.is_current(self._sources[pin.input].location, pin.position):
                raise WarehouseFailure(f"files of `{pin.input}` changed while they were read", kind="not_found")

    def discard(self, commit: CommitId) -> None:
        """Forget an abandoned stage."""
        catalog.drop_table(self._lake.connection, CATALOG, table=catalog.stage_of(commit))

    def compare(
        self, model: CompiledModel, slices: tuple[Interval, ...], pins: dict[TableName, Position]
    ) -> Comparison:
        """Recompute slices over pinned inputs and compare them with the table."""
        metadata = self._lake.table(model.target)
        assert metadata is not None, "only a built table is compared"
        actual = cut_rows(metadata.head.relation, model, slices)
        try:
            pinned = {name: Pin(name, position) for name, position in pins.items()}
            expected = self._compute(model, slices, pinned)
        except WarehouseFailure as error:
            return Comparison(0, len(actual.rows), missing=0, extra=0, unverifiable=error.message)
        missing, extra = bag(expected) - bag(actual), bag(actual) - bag(expected)
        return Comparison(len(expected.rows), len(actual.rows), missing=missing.total(), extra=extra.total())

    def close(self) -> None:
        """Release nothing: the lake outlives its warehouses."""


def _schema(columns: tuple[str, ...]) -> Schema:
    return tuple(Column(ColumnName(name), DataType(type_of(name))) for name in columns)


def _names(schema: Schema) -> tuple[str, ...]:
    return tuple(column.name for column in schema)


def _parent(base: Metadata | None) -> int | None:
    return None if base is None else base.current


def _steps(metadata: Metadata, since: Position) -> tuple[Snapshot, ...] | None:
    """Return the ancestry after a version, oldest first, or None when that is no ancestor."""
    steps: list[Snapshot] = []
    for snapshot in metadata.ancestry():
        if snapshot.position == since:
            return tuple(reversed(steps))
        steps.append(snapshot)
    # The parent's id outlives the parent.
    return tuple(reversed(steps)) if str(steps[-1].parent) == since else None


def _step_touch(name: TableName, metadata: Metadata, step: Snapshot, *, columns: tuple[ColumnName, ...]) -> Touch:
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
    )


def _compare_versions(name: str, metadata: Metadata, since: Position | None) -> Detection:
    linked = None if since is None else _steps(metadata, since)
    steps = tuple(reversed(metadata.ancestry())) if linked is None else linked
    touches = [_step_touch(TableName(name), metadata, step, columns=()) for step in steps]
    told = [touch for touch in touches if not isinstance(touch.extent, Nothing)]
    return Detection(
        name,
        "version",
        changed=tuple(touch.position for touch in told if not touch.is_append),
        added=tuple(touch.position for touch in told if touch.is_append),
        removed=() if since is None or linked is not None else (since,),
    )


def _late_mark(metadata: Metadata, snapshot: Snapshot) -> Mark | None:
    late = metadata.mark
    return late if late and snapshot.mark and late.commit == snapshot.mark.commit else snapshot.mark


def _version(table: TableName, metadata: Metadata, step: Snapshot) -> Version:
    mark = _late_mark(metadata, step) if step.mark is not None else None
    is_preserving = step.operation in ("replace", "mark")
    parent = None if step.parent is None else Position(str(step.parent))
    touch = Touch(table, step.position, parent, extent=Nothing() if is_preserving else Everything())
    if mark is not None and mark is metadata.mark and metadata.touch is not None:
        touch = metadata.touch
    return Version(step.position, parent, mark=mark, touch=touch, is_content_preserving=is_preserving)


def _appended(lake: Lake, metadata: Metadata, pinned: Snapshot, *, since: Position) -> Relation:
    """Return the rows added from one version to another, between which rows were only added."""
    rows: Counter[Row] = Counter()
    step = pinned
    while step.position != since:
        before = None if step.parent is None else metadata.snapshot(step.parent)
        if before is None and str(step.parent) != since:
            raise RebuildNeeded(f"version {since} is no ancestor of {pinned.position} any more", kind="conflict")
        # The files that a snapshot added are listed in it, also when its parent has expired.
        old = bag(lake.archive[int(since)] if before is None else before.relation)
        if old - bag(step.relation):
            raise RebuildNeeded(f"rows were not only added since version {since}", kind="conflict")
        rows += bag(step.relation) - old
        if before is None:
            break
        step = before
    return Relation(pinned.relation.columns, tuple(rows.elements()))
