"""The warehouse port over bags of rows: the second implementation, on which schedules run by the thousand."""

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from tests.simulation.algebra import Expression, Read, Relation
from tests.simulation.differences import extent_of, refine
from tests.simulation.lake import Lake, Metadata, Operation, Snapshot, bag
from tests.simulation.memory_histories import VALID, folded_history, written_history
from tests.simulation.memory_quarantines import MemoryQuarantines
from tests.simulation.memory_reads import MemoryReads
from tests.simulation.memory_sources import MemorySources
from tests.simulation.memory_sums import MemorySums
from tests.simulation.memory_times import without_start
from tests.simulation.row_checks import run_checks, sorted_rows
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
from lamina.planner.quarantine import marked_beside
from lamina.planner.renamed_models import names_of
from lamina.planner.time_position import pins_to_compare, span_to_read, with_seen
from lamina.planner.touches import diff_questions
from lamina.planner.views import is_ours
from lamina.project.model import CheckSettings
from lamina.project.source import SourceTable
from lamina.values.batch import Batch, CheckResult, Counts, Diff, DiffQuestion, Move, Pin, RowsQuestion, Staged
from lamina.values.coverage import Coverage, Mark
from lamina.values.facts import CatalogView, Head
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName, CommitId, Fingerprint, Position, TableName, beside_of
from lamina.values.result import Detection
from lamina.values.time_position import TimeSpan
from lamina.values.touch import ColumnRanges, Extent, Ranges, Touch
from lamina.warehouse.catalog.port import stage_of
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.port import NO_PINS, Comparison, History, Pins, SourceComparison
from lamina.warehouse.renamed import found_mark_now, history_now
from lamina.warehouse.spark.source_comparison import SourceComparer


class MemoryWarehouse:
    """One process's view of the lake; it may be thrown away at any moment."""

    def __init__(self, lake: Lake, graph: Graph, queries: Mapping[Fingerprint, Expression]) -> None:
        self._lake = lake
        self._sources = MemorySources(lake)
        self._reads = MemoryReads(lake, graph, queries)
        self._quarantines = MemoryQuarantines(lake)
        self._comparer = SourceComparer(MemorySums(lake, self._reads))
        self._graph = graph
        self._targets = {TableName(model.name): model.target for model in graph.models}
        self._names = {model.target: TableName(model.name) for model in graph.models}
        self._renamed = names_of(graph)

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

    def compare_source(
        self,
        source: SourceTable,
        since: Position,
        *,
        until: Position,
        extent: Extent,
        questions: tuple[DiffQuestion, ...],
    ) -> SourceComparison:
        """Compare the rows of a source at two positions, between which at most `extent` changed."""
        return self._comparer.compare(source, since, until=until, extent=extent, questions=questions)

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

    def newest(self, name: TableName, column: ColumnName, *, zone: str) -> datetime | None:
        """Return the latest time in a column of a model's table."""
        metadata = self._lake.table(self._targets[name])
        assert metadata is not None, "only a built table is asked"
        place = metadata.head.relation.place(str(column))
        cells = (row[place] for row in metadata.head.relation.rows)
        return max((cell for cell in cells if isinstance(cell, datetime)), default=None)

    def pointers(self) -> dict[TableName, str]:
        """Return where the metadata of every table is."""
        return self._lake.pointers()

    def history(self, table: TableName, since: Position | None, *, model: CompiledModel | None = None) -> History:
        """Return the ancestry of a managed table after a recorded version."""
        metadata = self._lake.table(table)
        if metadata is None:
            return History(versions=(), is_linked=since is None, mark=None)
        if self._lake.lost.get(self._lake.pointer(table) or "") == "metadata":
            raise WarehouseFailure(f"the metadata of `{table}` cannot be read", kind="not_found")
        name = self._names.get(table, table) if model is None else TableName(model.name)
        return history_now(history_of(name, metadata, since), self._renamed)

    def lost_file(self, table: TableName) -> str | None:
        """Return the pointer of a table whose metadata or rows are lost."""
        return self._lake.lost_file(table)

    def left_mark(self, table: TableName, pointer: str | None) -> Mark | None:
        """Return the mark of a table without a row in the catalog, if its files are there."""
        home = table if pointer is None else self.home_of(pointer)
        if any(self.home_of(other) == home for other in self._lake.pointers().values()):
            return None  # it has another name: its rows are under that
        known = {} if pointer is None else {home: pointer}
        found = (item.mark for item in self._lake.found(known, {}) if item.table == home)
        return found_mark_now(next(found, None), self._renamed)

    def mark_again(self, table: TableName, *, token: int) -> tuple[str, str] | None:
        """Write metadata in which the mark of a table has the names that models have now."""
        pointer = self._lake.pointer(table)
        if pointer is None or self._lake.lost.get(pointer) == "metadata":
            return None
        metadata = self._lake.metadata[pointer]
        now = found_mark_now(metadata.mark, self._renamed)
        if now is None or now == metadata.mark:
            return None
        return pointer, self._lake.write(
            dataclasses.replace(metadata, mark=now.replace(token=token)), self._lake.home_of(pointer), pointer
        )

    def home_of(self, pointer: str) -> TableName:
        """Return the name of the folder that a table's files are in."""
        return self._lake.home_of(pointer)

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
        self._lake.modes[batch.commit] = batch.mode
        times = self._reads.see_times(batch, model)
        span = None if batch.by_time is None or times is None else span_to_read(batch.by_time, times)
        mark = with_seen(mark, batch, times)
        if batch.mode == "rewrite":
            assert base is not None, "only a table that is there is written again"
            relation, counts = base.head.relation, Counts(copied=len(base.head.relation.rows))
            retained: int | None = None
            beside: tuple[Staged, ...] = ()
        else:
            good, bad = self._sorted(batch, model, span)
            beside = self._quarantines.stage(batch, model, mark, bad, home=self._home(batch, mark))
            mark = marked_beside(mark, beside)
            relation, counts, retained = self._result(batch, model, base, good, span)
            counts = counts.replace(quarantined=len(bad.rows))
        self._keep_sums(batch)
        is_added = batch.mode == "append" and not counts.deleted
        operation: Operation = "append" if is_added else "overwrite"
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
            rows_before=None if base is None else len(base.head.relation.rows),
            rows_after=len(relation.rows),
            added=_added(base, relation) if is_added else (),
            retained=retained,
            former=_former(relation, self._reads.columns(model)),
            beside=beside,
            times=times,
        )

    def _keep_sums(self, batch: Batch) -> None:
        """Keep the checksums of sources that a batch has read and that are compared by them."""
        sources = {TableName(source.name): source for source in self._graph.sources if source.is_compared}
        for pin in (pin for pin in batch.pins if pin.input in sources):
            questions = diff_questions(pin.input, self._graph.models, coverages={})
            self._comparer.keep(sources[pin.input], pin.position, questions)

    def _sorted(self, batch: Batch, model: CompiledModel, span: TimeSpan | None) -> tuple[Relation, Relation]:
        """Return the rows that a batch computes, those for the table and those for its quarantine."""
        pins = {pin.input: pin for pin in batch.pins}
        if batch.by_time is not None:
            pins[batch.by_time.input] = pins[batch.by_time.input].replace(span=span)
        result = self._reads.compute(model, batch.slices, pins, is_unsorted=True)
        refuse_strays(batch, model, result)
        return sorted_rows(result, model)

    def _result(
        self, batch: Batch, model: CompiledModel, base: Metadata | None, result: Relation, span: TimeSpan | None
    ) -> tuple[Relation, Counts, int | None]:
        """Return the rows of a table after a batch; what a rebuild carries over is as lamina left it."""
        own = None if base is None or batch.carried_from is None else base.snapshot(int(batch.carried_from))
        if own is None and batch.carried_from is not None and carries_rows(batch, model):
            raise WarehouseFailure("rows that only the table holds cannot be reported from others", kind="conflict")
        there = own if own is not None and batch.mode == "replace_all" else None if base is None else base.head
        if model.traits.versions is not None:
            return written_history(batch, model, None if there is None else there.relation, result)
        if there is None:
            rows, counts = written(batch, model, Relation(result.columns, ()), result)
            relation = Relation(result.columns, rows)
            return relation, counts, _retained(batch, model, relation, counts)
        # A column that left the query stays for rows that have values there and stay themselves.
        others = () if batch.is_from_nothing else there.relation.columns
        gone = tuple(name for name in others if name not in result.columns)
        columns = (*result.columns, *gone)
        old = aligned(there.relation, columns)
        kept = without_start(old, span)
        rows, counts = written(batch, model, kept, aligned(result, columns))
        counts = counts.replace(deleted=counts.deleted + len(old.rows) - len(kept.rows))
        relation = without_empty(Relation(columns, rows), gone)
        return relation, counts, _retained(batch, model, relation, counts)

    def _put_stage(self, batch: Batch, base: Metadata | None, snapshot: Snapshot) -> str:
        kept = () if base is None else base.snapshots
        properties = (None, None) if base is None else (base.mark, base.touch)
        staged = Metadata(snapshot.number, (*kept, snapshot), *properties)
        assert snapshot.mark is not None, "every batch is marked"
        pointer = self._lake.write(staged, self._home(batch, snapshot.mark), batch.base)
        self._lake.set_stage(batch.commit, pointer)
        return pointer

    def _home(self, batch: Batch, mark: Mark) -> TableName:
        """Return the folder that the table of a batch is in, or is created in."""
        if batch.base is not None and not batch.is_base_lost:
            return self._lake.home_of(batch.base)
        return self._lake.free_home(self._targets[TableName(batch.model)], mark)

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
            before = aligned(self._lake.metadata[batch.base].head.relation, relation.columns)
            written = Relation(relation.columns, tuple((bag(relation) - bag(before)).elements()))
            staying = Relation(relation.columns, tuple((bag(relation) - bag(written)).elements()))
        else:
            there = cut_rows(relation, model, merge((*batch.slices, *outdated)))
            staying = Relation(relation.columns, tuple((bag(relation) - bag(there)).elements()))
        pins = {pin.input: pin.position for pin in batch.pins}
        known = {name: self._looked_up(name, pins.get(name)) for name in model.others_looked_up}
        found = run_checks(written, staying, model, batch.slices, unproven=unproven, known=known)
        return self._quarantines.judged(found, staged, model)

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
        return self._move(staged, mark, Metadata(metadata.current, metadata.snapshots, mark, touch))

    def prepare_beside(self, staged: Staged, mark: Mark, touch: Touch) -> tuple[Move, ...]:
        """Write the late facts onto what is staged beside a batch, and return the pointer moves that publish it."""
        return self._quarantines.prepare(staged, mark, touch, self._targets[TableName(staged.batch.model)])

    def prepare_mark(self, staged: Staged, mark: Mark, touch: Touch) -> tuple[Staged, Move]:
        """Stage a snapshot that changes no row in place of an equal result."""
        self._reads.recheck(staged.batch.pins)
        assert staged.batch.base is not None, "only a rebuild can be equal"
        base = self._lake.metadata[staged.batch.base]
        head = base.head
        snapshot = Snapshot(next(self._lake.numbers), base.current, head.relation, "mark", mark, head.layout)
        touch = touch.replace(position=snapshot.position)
        move = self._move(staged, mark, Metadata(snapshot.number, (*base.snapshots, snapshot), mark, touch))
        return staged.replace(pointer=move.pointer, position=snapshot.position), move

    def _move(self, staged: Staged, mark: Mark, metadata: Metadata) -> Move:
        batch, home = staged.batch, self._lake.home_of(staged.pointer)
        pointer = self._lake.write(metadata, home, batch.base)
        stage = self._lake.set_stage(batch.commit, pointer)
        target = self._targets[TableName(batch.model)]
        view = self._lake.views().get(target) if batch.base is None else None
        is_own = view is not None and is_ours(
            view, project=mark.project, store=mark.store, environment=mark.environment
        )
        replaced = view.pointer if view is not None and is_own else None
        return Move(target, base=batch.base, pointer=pointer, stage=stage, view=replaced, home=home)

    def views(self, tables: Sequence[TableName] | None = None) -> dict[TableName, CatalogView]:
        """Return the views of the catalog among some names, or all of them."""
        return {name: view for name, view in self._lake.views().items() if tables is None or name in tables}

    def stage_view(self, model: CompiledModel, commit: CommitId, *, base: str | None, view: CatalogView) -> Move:
        """Define a view aside; a table that it reads must be there, as Spark would see."""
        for use in model.inputs:
            if use.is_model and self._lake.pointer(self._targets[use.name]) is None:
                raise WarehouseFailure(f"table `{use.name}` does not exist", kind="not_found")
        pointer = self._lake.define(commit, view)
        return Move(target=model.target, base=base, pointer=pointer, stage=stage_of(commit))

    def discard(self, commit: CommitId) -> None:
        """Forget an abandoned stage, and what is staged beside it."""
        for stage in (commit, beside_of(commit)):
            self._lake.drop(stage_of(stage))

    def compare(
        self, model: CompiledModel, slices: tuple[Interval, ...], pins: dict[TableName, Position]
    ) -> Comparison:
        """Recompute slices over pinned inputs and compare them with the table."""
        metadata = self._lake.table(model.target)
        assert metadata is not None, "only a built table is compared"
        actual = cut_rows(metadata.head.relation, model, slices)
        try:
            coverage = metadata.mark.coverage if metadata.mark else Coverage()
            if model.traits.versions is not None:
                pinned = {name: Pin(name, position) for name, position in pins.items()}
                return self._compare_history(model, metadata, self._reads.compute(model, slices, pinned))
            expected = expected_rows(model, self._recompute(model, slices, coverage, pins))
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

    def _recompute(
        self,
        model: CompiledModel,
        slices: tuple[Interval, ...],
        coverage: Coverage,
        pins: dict[TableName, Position],
    ) -> Relation:
        """Return what a model gives of its inputs; of several versions of a driver, the rows of each together."""
        read = pins_to_compare(model, coverage, pins)
        if read is None:
            raise WarehouseFailure("which versions rows were taken from is not known any more", kind="not_found")
        parts: list[Pin | None] = [pin for pin in read if pin.span is not None]
        others = {pin.input: pin for pin in read if pin.span is None}
        made = [
            self._reads.compute(model, slices, others if part is None else {**others, part.input: part})
            for part in parts or [None]
        ]
        return Relation(made[0].columns, tuple(row for part in made for row in part.rows))

    def _compare_history(self, model: CompiledModel, metadata: Metadata, result: Relation) -> Comparison:
        """Compare a history with itself after one more look at its source."""
        actual, mark = metadata.head.relation, metadata.mark
        assert mark is not None, "only a table of this project is compared"
        at = datetime.fromisoformat(str(mark.coverage.built))
        expected, folded = folded_history(model, actual, result, at)
        columns = tuple(dict.fromkeys((*expected.columns, *actual.columns)))
        before, after = bag(aligned(actual, columns)), bag(aligned(expected, columns))
        missing, extra = (after - before).total(), (before - after).total()
        return Comparison(len(expected.rows), len(actual.rows), missing=missing, extra=extra, retained=folded.retained)

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


def _former(relation: Relation, given: tuple[str, ...]) -> tuple[ColumnName, ...]:
    return tuple(ColumnName(name) for name in relation.columns if name not in (*given, *VALID))


def _retained(batch: Batch, model: CompiledModel, relation: Relation, counts: Counts) -> int | None:
    """Return how many rows only the table holds after a batch; None where the batch does not know."""
    if batch.base is None:
        return 0
    if batch.mode == "replace_all":
        return counts.carried if model.traits.kept_by else 0
    is_whole = batch.mode == "merge" and all(pin.since is None for pin in batch.pins)
    return len(relation.rows) - counts.inserted - counts.replaced if is_whole else None
