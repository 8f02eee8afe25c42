"""The warehouse port over bags of rows: the second implementation, on which schedules run by the thousand."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from tests.simulation.algebra import Expression, Read, Relation
from tests.simulation.differences import extent_of, refine
from tests.simulation.lake import Lake, Metadata, Operation, Snapshot, bag
from tests.simulation.memory_reads import MemoryReads
from tests.simulation.memory_sources import MemorySources
from tests.simulation.row_checks import run_checks
from tests.simulation.row_writes import (
    aligned,
    carries_rows,
    cut_rows,
    expected_rows,
    kept_rows,
    refuse_strays,
    without_empty,
    written,
)
from tests.simulation.table_versions import head_of, history_of, schema_of

from lamina.compiler.graph import CompiledModel, Graph
from lamina.project.model import CheckSettings
from lamina.project.source import SourceTable
from lamina.values.batch import Batch, CheckResult, Counts, Diff, DiffQuestion, Move, Pin, RowsQuestion, Staged
from lamina.values.coverage import Mark
from lamina.values.facts import Head
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName, CommitId, Fingerprint, Position, TableName
from lamina.values.result import Detection
from lamina.values.touch import ColumnRanges, Ranges, Touch
from lamina.warehouse.catalog.port import stage_of
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.port import NO_PINS, Comparison, History, Pins


class MemoryWarehouse:
    """One process's view of the lake; it may be thrown away at any moment."""

    def __init__(self, lake: Lake, graph: Graph, queries: Mapping[Fingerprint, Expression]) -> None:
        self._lake = lake
        self._sources = MemorySources(lake)
        self._reads = MemoryReads(lake, graph, queries)
        self._targets = {TableName(model.name): model.target for model in graph.models}

    # Looking

    def heads(self, tables: Sequence[TableName]) -> dict[TableName, Head]:
        """Return the current heads of managed tables."""
        pointers = self._lake.pointers()
        return {table: self._head(table, pointers.get(table)) for table in tables}

    def source_heads(self, sources: Sequence[SourceTable], pins: Pins = NO_PINS) -> dict[TableName, Head]:
        """Return the current heads of sources; a pinned one as of its pin, if it can still be read like that."""
        names = {TableName(source.name): source for source in sources}
        return {name: self._sources.head(source, pins.get(name)) for name, source in names.items()}

    def _head(self, table: TableName, pointer: str | None) -> Head:
        if pointer is None:
            return Head(table, pointer=None, position=None)
        if pointer in self._lake.lost and self._lake.lost[pointer] == "metadata":
            return Head(table, pointer=pointer, position=None, fault=f"`{pointer}` cannot be read")
        return head_of(table, self._lake.metadata[pointer], pointer=pointer)

    def changes(
        self, source: SourceTable, since: Position, *, columns: tuple[ColumnName, ...], until: Position | None = None
    ) -> tuple[Touch, ...]:
        """Return what changed in a source after `since`, up to `until` or the head as it is now."""
        return self._sources.changes(source, since, columns=columns, until=until)

    def detection(self, source: SourceTable, since: Position | None, *, until: Position) -> Detection:
        """Return which files or versions of a source were added, changed or removed between two positions."""
        return self._sources.detection(source, since, until=until)

    def is_emptied(self, source: SourceTable, since: Position, *, until: Position) -> bool:
        """Return whether a folder is empty that was not, or is not known, at an earlier position."""
        return self._sources.is_emptied(source, since, until=until)

    def may_hold(self, question: RowsQuestion) -> bool:
        """Return whether a version of an input has a row in a range."""
        pin, by = Pin(question.input, question.position), str(question.column)
        relation = self._reads.read_version(question.input, pin, reader=Read(question.input, (by,), by=by))
        cells = [row[relation.place(by)] for row in relation.rows]
        return any(isinstance(cell, datetime) and question.span.start <= cell < question.span.end for cell in cells)

    def history(self, table: TableName, since: Position | None) -> History:
        """Return the ancestry of a managed table after a recorded version."""
        metadata = self._lake.table(table)
        if metadata is None:
            return History(versions=(), is_linked=since is None, mark=None)
        if self._lake.lost.get(self._lake.pointer(table) or "") == "metadata":
            raise WarehouseFailure(f"the metadata of `{table}` cannot be read", kind="not_found")
        return history_of(table, metadata, since)

    def lost_file(self, table: TableName) -> str | None:
        """Return the pointer of a table whose metadata or rows are lost."""
        return self._lake.lost_file(table)

    def left_mark(self, table: TableName, pointer: str | None) -> Mark | None:
        """Return the mark of a table without a row in the catalog, if its files are there."""
        found = (
            item.mark
            for item in self._lake.found({} if pointer is None else {table: pointer}, {})
            if item.table == table
        )
        return next(found, None)

    def table_at(self, pointer: str | None) -> TableName | None:
        """Return the table that a pointer belongs to."""
        found = self._lake.pointers()
        return next((name for name, there in found.items() if there == pointer), None)

    def remove_files(self, table: TableName, pointer: str) -> None:
        """Remove nothing: rows in memory take no space."""

    # Writing

    def open(self) -> None:
        """Need nothing."""

    def stage(self, batch: Batch, model: CompiledModel, mark: Mark) -> Staged:
        """Write a batch aside on its base."""
        if batch.base in self._lake.lost and not batch.is_base_lost:
            raise WarehouseFailure(f"`{batch.base}` cannot be read", kind="not_found")
        base = None if batch.base is None or batch.is_base_lost else self._lake.metadata[batch.base]
        if batch.mode == "rewrite":
            assert base is not None, "only a table that is there is written again"
            relation, counts = base.head.relation, Counts(copied=len(base.head.relation.rows))
        else:
            relation, counts = self._result(batch, model, base)
        operation: Operation = "append" if batch.mode == "append" else "overwrite"
        is_whole = base is None or batch.mode in ("replace_all", "rewrite")
        layout = model.layout["partitioned_by"] if base is None or is_whole else base.head.layout
        snapshot = Snapshot(next(self._lake.numbers), _parent(base), relation, operation, mark, layout)
        pointer = self._put_stage(batch, base, snapshot)
        return Staged(
            batch,
            pointer,
            snapshot.position,
            counts,
            schema_of(relation.columns),
            is_relaid=base is not None and base.head.layout != layout,
            added=_added(base, relation) if batch.mode == "append" else (),
            retained=_retained(batch, model, relation, counts),
            former=tuple(ColumnName(name) for name in relation.columns if name not in self._reads.columns(model)),
        )

    def _result(self, batch: Batch, model: CompiledModel, base: Metadata | None) -> tuple[Relation, Counts]:
        """Return the rows of a table after a batch; what a rebuild carries over is as lamina left it."""
        result = self._reads.compute(model, batch.slices, {pin.input: pin for pin in batch.pins})
        refuse_strays(batch, model, result)
        own = None if base is None or batch.carried_from is None else base.snapshot(int(batch.carried_from))
        if own is None and batch.carried_from is not None and carries_rows(batch, model):
            raise WarehouseFailure("rows that only the table holds cannot be reported from others", kind="conflict")
        there = own if own is not None and batch.mode == "replace_all" else None if base is None else base.head
        if there is None:
            rows, counts = written(batch, model, Relation(result.columns, ()), result)
            return Relation(result.columns, rows), counts
        # A column that left the query stays for rows that have values there and stay themselves.
        others = () if batch.is_from_nothing else there.relation.columns
        gone = tuple(name for name in others if name not in result.columns)
        columns = (*result.columns, *gone)
        rows, counts = written(batch, model, aligned(there.relation, columns), aligned(result, columns))
        return without_empty(Relation(columns, rows), gone), counts

    def _put_stage(self, batch: Batch, base: Metadata | None, snapshot: Snapshot) -> str:
        kept = () if base is None else base.snapshots
        properties = (None, None) if base is None else (base.mark, base.touch)
        staged = Metadata(snapshot.number, (*kept, snapshot), *properties)
        pointer = self._lake.write(staged, self._targets[TableName(batch.model)], batch.base)
        self._lake.set_stage(batch.commit, pointer)
        return pointer

    def check(
        self,
        staged: Staged,
        model: CompiledModel,
        *,
        outdated: tuple[Interval, ...],
        unproven: tuple[CheckSettings, ...],
        execution_time: datetime,
    ) -> tuple[CheckResult, ...]:
        """Run the model's checks over the staged rows; rows of `outdated` slices do not stay."""
        relation = self._lake.metadata[staged.pointer].head.relation
        batch, written = staged.batch, cut_rows(relation, model, staged.batch.slices)
        if batch.mode == "append" and batch.base is not None:
            staying = aligned(self._lake.metadata[batch.base].head.relation, relation.columns)
            written = Relation(relation.columns, tuple((bag(relation) - bag(staying)).elements()))
        else:
            there = cut_rows(relation, model, merge((*batch.slices, *outdated)))
            staying = Relation(relation.columns, tuple((bag(relation) - bag(there)).elements()))
        pins = {pin.input: pin.position for pin in batch.pins}
        known = {name: self._looked_up(name, pins.get(name)) for name in model.others_looked_up}
        return run_checks(written, staying, model, batch.slices, unproven=unproven, known=known)

    def check_table(self, model: CompiledModel, *, execution_time: datetime) -> tuple[CheckResult, ...]:
        """Run the model's checks over all rows of its published table."""
        metadata = self._lake.table(model.target)
        assert metadata is not None, "only a built table is checked"
        relation = metadata.head.relation
        known = {name: self._looked_up(name, None) for name in model.others_looked_up}
        none = Relation(relation.columns, ())
        return run_checks(relation, none, model, (), unproven=(), known=known)

    def _looked_up(self, name: TableName, position: Position | None) -> Relation | None:
        """Return the rows of a table that checks look values up in, as they were read or are now; None: none yet."""
        metadata = self._lake.table(self._targets[name])
        if metadata is None:
            return None
        snapshot = metadata.head if position is None else metadata.snapshot(int(position))
        return None if snapshot is None else snapshot.relation

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
        self._reads.recheck(staged.batch.pins)
        metadata = self._lake.metadata[staged.pointer]
        return self._move(staged.batch, mark, Metadata(metadata.current, metadata.snapshots, mark, touch))

    def prepare_mark(self, staged: Staged, mark: Mark, touch: Touch) -> tuple[Staged, Move]:
        """Stage a snapshot that changes no row in place of an equal result."""
        self._reads.recheck(staged.batch.pins)
        assert staged.batch.base is not None, "only a rebuild can be equal"
        base = self._lake.metadata[staged.batch.base]
        head = base.head
        snapshot = Snapshot(next(self._lake.numbers), base.current, head.relation, "mark", mark, head.layout)
        touch = touch.replace(position=snapshot.position)
        move = self._move(staged.batch, mark, Metadata(snapshot.number, (*base.snapshots, snapshot), mark, touch))
        return staged.replace(pointer=move.pointer, position=snapshot.position), move

    def _move(self, batch: Batch, mark: Mark, metadata: Metadata) -> Move:
        pointer = self._lake.write(metadata, self._targets[TableName(batch.model)], batch.base)
        stage = self._lake.set_stage(batch.commit, pointer)
        return Move(self._targets[TableName(batch.model)], base=batch.base, pointer=pointer, stage=stage)

    def discard(self, commit: CommitId) -> None:
        """Forget an abandoned stage."""
        self._lake.drop(stage_of(commit))

    def compare(
        self, model: CompiledModel, slices: tuple[Interval, ...], pins: dict[TableName, Position]
    ) -> Comparison:
        """Recompute slices over pinned inputs and compare them with the table."""
        metadata = self._lake.table(model.target)
        assert metadata is not None, "only a built table is compared"
        actual = cut_rows(metadata.head.relation, model, slices)
        try:
            pinned = {name: Pin(name, position) for name, position in pins.items()}
            expected = expected_rows(model, self._reads.compute(model, slices, pinned))
            # Columns that left the query are null in what it gives.
            columns = (*expected.columns, *(name for name in actual.columns if name not in expected.columns))
            expected, actual = aligned(expected, columns), aligned(actual, columns)
        except WarehouseFailure as error:
            return Comparison(0, len(actual.rows), missing=0, extra=0, unverifiable=error.message)
        kept = kept_rows(model, actual, expected)
        missing, extra = bag(expected) - bag(actual), bag(actual) - bag(expected) - Counter(kept)
        return Comparison(
            len(expected.rows), len(actual.rows), missing=missing.total(), extra=extra.total(), retained=len(kept)
        )

    def close(self) -> None:
        """Release nothing: the lake outlives its warehouses."""


def _parent(base: Metadata | None) -> int | None:
    return None if base is None else base.current


def _added(base: Metadata | None, relation: Relation) -> tuple[ColumnRanges, ...]:
    """Return where the rows lie that an append puts behind those of its base."""
    new = relation.rows[len(base.head.relation.rows) :] if base is not None else relation.rows
    columns = tuple(ColumnName(name) for name in relation.columns)
    extent = extent_of(Relation(relation.columns, new), Relation(relation.columns, ()), columns=columns)
    return extent.columns if isinstance(extent, Ranges) else ()


def _retained(batch: Batch, model: CompiledModel, relation: Relation, counts: Counts) -> int | None:
    """Return how many rows only the table holds after a batch; None where the batch does not know."""
    if batch.base is None:
        return 0
    if batch.mode == "replace_all":
        return counts.carried if model.traits.kept_by else 0
    is_whole = batch.mode == "merge" and all(pin.since is None for pin in batch.pins)
    return len(relation.rows) - counts.inserted - counts.replaced if is_whole else None
