"""The warehouse on Spark: looking needs no JVM; the first batch starts one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.render import Rendering
from lamina.project.model import CheckSettings
from lamina.project.source import SourceTable
from lamina.values import codec
from lamina.values.batch import Batch, CheckResult, Counts, Diff, DiffQuestion, Move, Pin, RowsQuestion, Staged
from lamina.values.coverage import Mark
from lamina.values.event import Event
from lamina.values.facts import Head
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, CommitId, ModelName, Position, TableName
from lamina.values.result import Detection, QueryResult
from lamina.values.rows_asked import RowsAsked
from lamina.values.touch import ColumnRanges, Touch
from lamina.warehouse.catalog.port import stage_of
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.iceberg import ancestry, arrow_rows
from lamina.warehouse.iceberg.column_bounds import may_hold_rows
from lamina.warehouse.iceberg.left_behind import find_left_behind
from lamina.warehouse.iceberg.lost_files import is_short, lost_file, remove_folder
from lamina.warehouse.iceberg.metadata import (
    MARK,
    TOUCH,
    Metadata,
    local_path,
    read_metadata,
    write_properties,
)
from lamina.warehouse.iceberg.tables import Tables
from lamina.warehouse.port import NO_PINS, Comparison, History, Pins
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.sources.iceberg import ranges_of_step
from lamina.warehouse.sources.kinds import kind_of
from lamina.warehouse.sources.port import Lake
from lamina.warehouse.sources.table_frames import read_changed, read_snapshot
from lamina.warehouse.spark import checks, writes
from lamina.warehouse.spark.check_reads import CheckReads
from lamina.warehouse.spark.checked_rows import all_rows, checked_rows
from lamina.warehouse.spark.diff import diff_sides, of_changes, of_versions
from lamina.warehouse.spark.diff_by_files import diff_by_files
from lamina.warehouse.spark.errors import translated
from lamina.warehouse.spark.frame import Frames
from lamina.warehouse.spark.query import refuse_writing, run_query
from lamina.warehouse.spark.ranges import rows_inside
from lamina.warehouse.spark.rows_read import rows_read
from lamina.warehouse.spark.session import Application, own_conf
from lamina.warehouse.spark.stage import Stage
from lamina.warehouse.spark.trials import Trials
from lamina.warehouse.spark.verify import unverifiable, verify_table
from lamina.warehouse.spark.volume import Volume
from lamina.warehouse.spark.watch import watched
from lamina.warehouse.spark.watermark import watermark_of
from lamina.warehouse.sql import relation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

NO_VIEWS: Mapping[str, Pin] = {}


class SparkWarehouse:
    """Tables in an Iceberg catalog, written by Spark; implements the warehouse port."""

    def __init__(
        self,
        settings: WarehouseSettings,
        graph: Graph,
        *,
        emit: Callable[[Event], None],
        application: Application | None = None,
    ) -> None:
        self._settings = settings
        self._graph = graph
        self._emit = emit
        self._tables = Tables(settings)
        self._lake = Lake(settings, self._tables)
        self._sources = {TableName(source.name): source for source in graph.sources}
        self._targets = {model.target: model for model in graph.models}
        self._carried: dict[CommitId, DataFrame] = {}  # of batches that are not published yet
        self._volume = Volume(self._lake)
        self._is_owner = application is None
        self._application = application or Application(settings, emit=emit)

    def heads(self, tables: Sequence[TableName]) -> dict[TableName, Head]:
        """Return the current heads of managed tables, cheaply."""
        return self._tables.heads(tuple(tables))

    def source_heads(self, sources: Sequence[SourceTable], pins: Pins = NO_PINS) -> dict[TableName, Head]:
        """Return the current heads of sources; a pinned one as of its pin, if it can still be read like that."""
        heads = {TableName(item.name): self._source_head(item, pins.get(TableName(item.name))) for item in sources}
        for source in sources:
            self._volume.see(source, heads[TableName(source.name)].position)
        return heads

    def changes(
        self, source: SourceTable, since: Position, *, columns: tuple[ColumnName, ...], until: Position | None = None
    ) -> tuple[Touch, ...]:
        """Return what changed in a source after `since`, up to `until` or the head as it is now."""
        self._volume.change(source, since)
        return kind_of(source).changes(source, self._lake, since, columns=columns, until=until)

    def detection(self, source: SourceTable, since: Position | None, *, until: Position) -> Detection:
        """Return which files or versions of a source were added, changed or removed between two positions."""
        return kind_of(source).detection(source, self._lake, since, until=until)

    def is_emptied(self, source: SourceTable, since: Position, *, until: Position) -> bool:
        """Return whether a listing of a source is empty that was not, or is not known, at an earlier position."""
        return kind_of(source).is_emptied(source, self._lake, since, until=until)

    def may_hold(self, question: RowsQuestion) -> bool:
        """Return whether a version of an input may have rows in a range; so it may where its files do not say."""
        if (source := self._sources.get(question.input)) is not None:
            return kind_of(source).may_hold(source, self._lake, question)
        table = self._graph.model(ModelName(question.input)).target
        return may_hold_rows(self._tables.metadata(table), question)

    def history(self, table: TableName, since: Position | None) -> History:
        """Return the ancestry of a managed table after a recorded version."""
        pointer = self._tables.pointer(table)
        if pointer is None:
            return History(versions=(), is_linked=since is None, mark=None)
        return ancestry.history_of(table, read_metadata(pointer), since, model=self._targets.get(table))

    def lost_file(self, table: TableName) -> str | None:
        """Return a file of a managed table's current version that is missing or damaged; None if there is none."""
        pointer = self._tables.pointer(table)
        found = None if pointer is None else lost_file(pointer)
        return None if found is None else str(local_path(found))

    def left_mark(self, table: TableName, pointer: str | None) -> Mark | None:
        """Return the mark of a table without a row in the catalog, if its files are there."""
        others = self._tables.pointers().values()
        found = find_left_behind(self._folder, table, recorded=pointer, others=others)
        return None if found is None else found.mark

    def table_at(self, pointer: str | None) -> TableName | None:
        """Return the table that a pointer belongs to."""
        return next((name for name, found in self._tables.pointers().items() if found == pointer), None)

    def remove_files(self, table: TableName, pointer: str) -> None:
        """Remove the folder of a table that was just dropped, unless it is shared or outside the warehouse."""
        others = (local_path(found) for name, found in self._tables.pointers().items() if name != table)
        remove_folder(local_path(pointer).parent.parent, inside=self._folder, others=tuple(others))

    def open(self) -> None:
        """Start Spark, unless it runs already."""
        if not self._application.is_started:
            self._application.expected_bytes = self._volume.estimate(tuple(self._targets))
        self._application.session()

    def stage(self, batch: Batch, model: CompiledModel, mark: Mark) -> Staged:
        """Write a batch aside on its base, with the mark in its snapshot; readers see nothing."""
        self._require_files(batch)
        with translated(model.name, folder=self._folder), watched(self._application, model.name, self._emit):
            session = self._application.session()
            with own_conf(session, model.settings.conf), self._frames(session, model.name) as frames:
                stage = Stage(session, settings=self._settings, tables=self._tables, model=model, batch=batch)
                is_rewrite = batch.mode == "rewrite"
                counts = stage.rewrite(mark) if is_rewrite else stage.write(frames.result(model, batch), mark)
                watermark = None if is_rewrite else watermark_of(frames, model, batch)
                added = self._added_ranges(model, batch, stage)
                for finish in frames.after_reading:
                    finish()
        if stage.carried is not None:
            self._carried[batch.commit] = stage.carried
        metadata = stage.metadata()
        return Staged(
            batch=batch,
            pointer=metadata.pointer,
            position=metadata.position or Position(""),
            counts=counts.replace(read=rows_read(self._graph, self._lake, model, batch)),
            columns=metadata.columns,
            watermark=watermark,
            drift=stage.drift,
            retained=stage.retained,
            former=stage.former,
            is_relaid=stage.is_relaid,
            added=added,
        )

    def check(
        self,
        staged: Staged,
        model: CompiledModel,
        *,
        outdated: tuple[Interval, ...],
        unproven: tuple[CheckSettings, ...],
        execution_time: datetime,
    ) -> tuple[CheckResult, ...]:
        """Run the model's checks over the staged rows; rows of `outdated` slices will be replaced and do not stay."""
        name, batch = relation(self._settings.catalog, stage_of(staged.batch.commit)), staged.batch
        session, carried = self._application.session(), self._carried.get(batch.commit)
        with self._frames(session, model.name) as frames:
            rows = checked_rows(session, name, staged, model=model, outdated=outdated, carried=carried)
            around = CheckReads(self._lake, self._graph, frames, pins=batch.pins, moment=execution_time)
            return checks.run_checks(rows, model, around, unproven=unproven, slices=batch.slices)

    def check_table(self, model: CompiledModel, *, execution_time: datetime) -> tuple[CheckResult, ...]:
        """Run the model's checks over all rows of its published table."""
        session, name = self._application.session(), relation(self._settings.catalog, model.target)
        with self._frames(session, model.name) as frames:
            around = CheckReads(self._lake, self._graph, frames, pins=(), moment=execution_time)
            return checks.run_checks(all_rows(session, name), model, around, unproven=(), slices=())

    def diff(self, staged: Staged, questions: tuple[DiffQuestion, ...]) -> Diff:
        """Compare the slices of the base with the staged ones."""
        base = None if staged.batch.base is None else read_metadata(staged.batch.base)
        if base is None or base.position is None:
            return Diff(is_equal=False, refinements=())
        model = self._graph.model(staged.batch.model)
        name = relation(self._settings.catalog, stage_of(staged.batch.commit))
        is_one_step = self._is_one_step(staged, base)
        known = diff_by_files(read_metadata(staged.pointer), questions, before=base.columns) if is_one_step else None
        if known is not None:
            return known
        with translated(model.name, folder=self._folder):
            session = self._application.session()
            if staged.batch.mode != "replace_slices" and is_one_step:
                # Rows of files that both versions have are equal.
                sides = of_changes(read_changed(session, name, since=base.position, until=staged.position))
            else:
                old, new = read_snapshot(session, name, base.position), self._staged_rows(staged)
                if staged.batch.mode == "replace_slices":
                    old, new = (rows_inside(frame, model, staged.batch.slices) for frame in (old, new))
                sides = of_versions(old, new)
            return diff_sides(sides, questions, before=base.columns, after=staged.columns)

    def compare(
        self, model: CompiledModel, slices: tuple[Interval, ...], pins: dict[TableName, Position]
    ) -> Comparison:
        """Recompute slices over pinned inputs and compare them with the table."""
        metadata = self._tables.metadata(model.target)
        try:
            self._recheck(pins)
            with translated(model.name, folder=self._folder):
                session = self._application.session()
                name = relation(self._settings.catalog, model.target)
                with self._frames(session, model.name) as frames:
                    return verify_table(
                        frames,
                        model,
                        session.table(name),
                        columns=metadata.columns,
                        slices=slices,
                        pins=pins,
                        parameters=metadata.mark.coverage.parameters if metadata.mark else {},
                        former=metadata.mark.coverage.former if metadata.mark else (),
                        inserted_from=ancestry.only_pins(metadata),
                    )
        except WarehouseFailure as error:
            if error.kind not in ("not_found", "conflict"):
                raise
            return unverifiable(error.message)

    def prepare_publish(self, staged: Staged, mark: Mark, touch: Touch) -> Move:
        """Write the late facts onto the stage and return the pointer move that publishes it."""
        self._recheck({pin.input: pin.position for pin in staged.batch.pins})
        return self._move(staged, mark, touch)

    def prepare_mark(self, staged: Staged, mark: Mark, touch: Touch) -> tuple[Staged, Move]:
        """Stage a snapshot without files in place of an equal result, and return the pointer move that publishes it."""
        self._recheck({pin.input: pin.position for pin in staged.batch.pins})
        batch = staged.batch
        with translated(batch.model, folder=self._folder):
            stage = self._tables.set_stage(batch.commit, batch.base)
            session = self._application.session()
            name = relation(self._settings.catalog, stage)
            writes.append(session.table(name).limit(0), name, {MARK: codec.to_json(mark).decode()})
        metadata = self._tables.metadata(stage)
        counts = Counts(read=staged.counts.read, carried=staged.counts.carried)
        marked = staged.replace(pointer=metadata.pointer, position=metadata.position, counts=counts)
        return marked, self._move(marked, mark, touch.replace(position=marked.position))

    def discard(self, commit: CommitId) -> None:
        """Forget an abandoned stage; its files are orphans, shared ones stay."""
        self._carried.pop(commit, None)
        self._tables.set_stage(commit, None)

    def cancel(self) -> None:
        """Stop the Spark jobs of every thread."""
        self._application.interrupt()

    def query(self, asked: Rendering, *, limit: int, views: Mapping[str, Pin] = NO_VIEWS) -> QueryResult:
        """Answer a user's query over the catalog's tables, and over inputs under the names it has for them."""
        refuse_writing(asked.sql)
        with translated("query", folder=self._folder):
            session = self._application.session()
            with self._frames(session, "query") as frames:
                for name, pin in views.items():
                    frames.name(name, frames.read(pin))
                frames.written = asked
                return run_query(session, asked.sql, catalog=self._settings.catalog, limit=limit)

    def read_rows(self, table: TableName, asked: RowsAsked, *, limit: int) -> QueryResult | None:
        """Answer a plain question about one table without Spark; None where only Spark surely reads it right."""
        return arrow_rows.read_rows(self._tables.metadata(table), asked, limit=limit)

    def trials(self) -> Trials:
        """Return what computes models over given rows, in the session that this warehouse owns."""
        return Trials(self._application, lake=self._lake, graph=self._graph)

    def close(self) -> None:
        """Release what is held: the session and the connection to the catalog."""
        if self._is_owner:
            self._application.stop()
        self._tables.close()

    def _source_head(self, source: SourceTable, pin: Position | None) -> Head:
        columns = self._filter_columns(TableName(source.name), (source.time_column,))
        return kind_of(source).head(source, self._lake, pin, columns)

    def _filter_columns(self, table: TableName, others: tuple[ColumnName | None, ...]) -> tuple[ColumnName, ...]:
        """Return the time columns of a table whose ranges readers may ask for."""
        uses = (use for model in self._graph.models for use in model.inputs if use.name == table)
        named = {use.filter_column for use in uses} | set(others)
        return tuple(sorted(column for column in named if column is not None))

    def _require_files(self, batch: Batch) -> None:
        """Raise if files of the version a batch is written on are missing: an append would not notice."""
        if batch.base is None or batch.is_base_lost or not is_short(batch.base):
            return
        if (file := lost_file(batch.base)) is not None:
            raise WarehouseFailure(f"`{local_path(file)}` cannot be read", kind="not_found")

    def _staged_rows(self, staged: Staged) -> "DataFrame":
        name = relation(self._settings.catalog, stage_of(staged.batch.commit))
        return read_snapshot(self._application.session(), name, staged.position)

    def _is_one_step(self, staged: Staged, base: Metadata) -> bool:
        """Return whether a stage is one commit on its base, of whole files: then what changed lies in these files."""
        step = read_metadata(staged.pointer).snapshot
        if step is None or step.parent != base.position or base.snapshot is None:
            return False
        deletes = ("added-delete-files", "removed-delete-files")
        has_deletes = base.snapshot.count("total-delete-files") or any(step.count(key) for key in deletes)
        return not has_deletes and step.summary.get("operation") != "replace"

    @contextmanager
    def _frames(self, session: "SparkSession", name: str) -> Iterator[Frames]:
        frames = Frames(session, lake=self._lake, graph=self._graph)
        try:
            with translated(name, folder=self._folder, place=frames.place_of):
                yield frames
        finally:
            frames.close()

    def _added_ranges(self, model: CompiledModel, batch: Batch, stage: Stage) -> tuple[ColumnRanges, ...]:
        """Return where appended rows lie on the columns that readers filter by."""
        columns = self._filter_columns(TableName(model.name), ())
        snapshot = stage.metadata().snapshot
        if batch.mode != "append" or not columns or snapshot is None:
            return ()
        return ranges_of_step(snapshot, columns)

    def _move(self, staged: Staged, mark: Mark, touch: Touch) -> Move:
        self._carried.pop(staged.batch.commit, None)
        late = {MARK: codec.to_json(mark).decode(), TOUCH: codec.to_json(touch).decode()}
        # A description is no reason to rebuild: a new one is written with the next batch.
        if description := self._graph.model(staged.batch.model).settings.description:
            late["comment"] = description
        with translated(staged.batch.model, folder=self._folder):
            pointer = write_properties(staged.pointer, late)
            stage = self._tables.set_stage(staged.batch.commit, pointer)
        target = self._graph.model(staged.batch.model).target
        return Move(target=target, base=staged.batch.base, pointer=pointer, stage=stage)

    def _recheck(self, pins: dict[TableName, Position]) -> None:
        """Raise if what was read of a source is not what was pinned."""
        for name, position in pins.items():
            if (source := self._sources.get(name)) is not None:
                kind_of(source).recheck(source, self._lake, position)

    @property
    def _folder(self) -> Path:
        return Path(self._settings.warehouse)
