"""The warehouse on Spark: looking needs no JVM; the first batch starts one."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.render import Rendering
from lamina.planner.quarantine import quarantine_model
from lamina.planner.renamed_models import names_of
from lamina.planner.stale_inputs import watched_tables
from lamina.planner.time_position import pins_to_compare, span_to_read, time_column, with_seen
from lamina.planner.touches import diff_questions
from lamina.planner.views import is_ours
from lamina.project.model import CheckSettings
from lamina.project.source import SourceTable
from lamina.values import codec
from lamina.values.batch import Batch, CheckResult, Counts, Diff, DiffQuestion, Move, Pin, RowsQuestion, Staged
from lamina.values.coverage import Coverage, Mark
from lamina.values.event import Event
from lamina.values.facts import CatalogView, Head
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, CommitId, ModelName, Position, TableName, beside_of, quarantine_of
from lamina.values.result import Detection, QueryResult
from lamina.values.rows_asked import RowsAsked
from lamina.values.table_diff import TableDiff
from lamina.values.time_position import TimesSeen
from lamina.values.touch import ColumnRanges, Extent, Touch
from lamina.warehouse.catalog.port import stage_of
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.iceberg import ancestry, arrow_rows
from lamina.warehouse.iceberg.column_bounds import may_hold_rows, newest_time
from lamina.warehouse.iceberg.homes import home_of
from lamina.warehouse.iceberg.left_behind import find_left_behind
from lamina.warehouse.iceberg.lost_files import is_short, lost_file, remove_folder
from lamina.warehouse.iceberg.metadata import (
    MARK,
    TOUCH,
    Metadata,
    MetadataUnreadable,
    local_path,
    read_metadata,
    write_properties,
)
from lamina.warehouse.iceberg.named_version import find_version
from lamina.warehouse.iceberg.tables import Tables
from lamina.warehouse.iceberg.view_metadata import read_view
from lamina.warehouse.port import NO_PINS, Comparison, History, Pins, SourceComparison
from lamina.warehouse.renamed import found_mark_now, history_now, pins_now
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
from lamina.warehouse.spark.latest_time import latest_time
from lamina.warehouse.spark.quarantine import Quarantine, quarantined_rows
from lamina.warehouse.spark.query import refuse_writing, run_query
from lamina.warehouse.spark.ranges import rows_inside
from lamina.warehouse.spark.rows_read import rows_read
from lamina.warehouse.spark.session import Application, own_conf
from lamina.warehouse.spark.source_comparison import SourceComparer
from lamina.warehouse.spark.spark_sums import SparkSums
from lamina.warehouse.spark.stage import Stage
from lamina.warehouse.spark.table_diff import diff_tables
from lamina.warehouse.spark.time_reads import reading, replaced_range, see_times
from lamina.warehouse.spark.trials import Trials
from lamina.warehouse.spark.verify import unverifiable, verify_table
from lamina.warehouse.spark.view import view_statement
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
        self._sources = {TableName(source.name): source for source in graph.sources}
        self._watched = watched_tables(graph)
        self._targets = {model.target: model for model in graph.models}
        self._names = names_of(graph)
        self._carried: dict[CommitId, DataFrame] = {}  # of batches that are not published yet
        self._is_owner = application is None
        self._application = application or Application(settings, emit=emit)
        self._lake = Lake(settings, self._tables, self._application.session)
        self._volume = Volume(self._lake)
        self._comparer = SourceComparer(SparkSums(self._lake, self._opened))

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

    def newest(self, name: TableName, column: ColumnName, *, zone: str) -> datetime | None:
        """Return the latest time in a column of a model or source as it is now; None where no row has one."""
        source = self._sources.get(name)
        table = self._graph.model(ModelName(name)).target if source is None else kind_of(source).table_of(source)
        known = None if table is None else newest_time(self._tables.metadata(table), column, zone=zone)
        if known is not None:
            return known[0]
        head = self._tables.heads((table,))[table] if source is None and table else None
        head = self._source_head(source, None) if source is not None else head
        if head is None or head.position is None:
            return None
        session = self._application.session()
        with self._frames(session, name) as frames:
            return latest_time(frames.read(Pin(input=name, position=head.position)), column, zone=zone)

    def pointers(self) -> dict[TableName, str]:
        """Return where the metadata of every table of the catalog is."""
        return self._tables.pointers()

    def history(self, table: TableName, since: Position | None, *, model: CompiledModel | None = None) -> History:
        """Return the ancestry of a managed table after a recorded version."""
        pointer = self._tables.pointer(table)
        if pointer is None:
            return History(versions=(), is_linked=since is None, mark=None)
        model = model or self._targets.get(table)
        return history_now(ancestry.history_of(table, read_metadata(pointer), since, model=model), self._names)

    def lost_file(self, table: TableName) -> str | None:
        """Return a file of a managed table's current version that is missing or damaged; None if there is none."""
        pointer = self._tables.pointer(table)
        found = None if pointer is None else lost_file(pointer)
        return None if found is None else str(local_path(found))

    def left_mark(self, table: TableName, pointer: str | None) -> Mark | None:
        """Return the mark of a table without a row in the catalog, if its files are there."""
        others = self._tables.pointers().values()
        home = table if pointer is None else self.home_of(pointer)
        found = find_left_behind(self._folder, home, recorded=pointer, others=others)
        return None if found is None else found_mark_now(found.mark, self._names)

    def home_of(self, pointer: str) -> TableName:
        """Return the name of the folder that a table's files are in: the name that the table was created with."""
        return home_of(pointer, self._folder)

    def mark_again(self, table: TableName, *, token: int) -> tuple[str, str] | None:
        """Write metadata in which a table's mark has the names of now; None where it has them, or cannot be read."""
        pointer = self._tables.pointer(table)
        try:
            mark = None if pointer is None else read_metadata(pointer).mark
        except MetadataUnreadable:
            return None
        now = found_mark_now(mark, self._names)
        if pointer is None or now is None or now == mark:
            return None
        return pointer, write_properties(pointer, {MARK: codec.to_json(now.replace(token=token)).decode()})

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
                times = self._see_times(frames, model, batch)
                counts, beside, watermark, stage = self._write(frames, model, batch, mark, times)
                added = self._added_ranges(model, batch, stage)
                for finish in frames.after_reading:
                    finish()
        if stage.carried is not None:
            self._carried[batch.commit] = stage.carried
        self._keep_sums(batch)
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
            rows_before=None if batch.base is None or batch.is_base_lost else read_metadata(batch.base).rows,
            rows_after=metadata.rows,
            added=added,
            beside=beside,
            times=times,
        )

    def _opened(self) -> "SparkSession":
        self.open()
        return self._application.session()

    def _keep_sums(self, batch: Batch) -> None:
        """Keep the checksums of sources that a batch has read and that are compared by them."""
        sources = {pin.input: (self._sources.get(pin.input), pin.position) for pin in batch.pins}
        for name, (source, position) in sorted(sources.items()):
            if source is not None and source.is_compared:
                readers = tuple(model for model in self._graph.models if not model.is_ephemeral)
                self._comparer.keep(source, position, diff_questions(name, readers, coverages={}))

    def _see_times(self, frames: Frames, model: CompiledModel, batch: Batch) -> TimesSeen | None:
        """Look at a driver that is read by its timestamps, before any row of it is taken."""
        read = batch.by_time
        driver = None if read is None else next(pin for pin in batch.pins if pin.input == read.input)
        if read is None or driver is None:
            return None
        seen = see_times(frames.read(driver), model, read)
        frames.after_reading.clear()  # its rows are still to be taken
        return seen

    def _write(
        self, frames: Frames, model: CompiledModel, batch: Batch, mark: Mark, times: TimesSeen | None
    ) -> tuple[Counts, tuple[Staged, ...], str | None, Stage]:
        """Write a batch, and what its checks sort out beside it; return what was counted, and the watermark."""
        session = self._application.session()
        span = None if batch.by_time is None or times is None else span_to_read(batch.by_time, times)
        replaced = None if span is None else replaced_range(span)
        stage = Stage(
            session, settings=self._settings, tables=self._tables, model=model, batch=batch, replaced=replaced
        )
        if batch.mode == "rewrite":
            return stage.rewrite(mark), (), None, stage
        mark = with_seen(mark, batch, times)
        quarantine = Quarantine(
            session,
            settings=self._settings,
            tables=self._tables,
            model=model,
            batch=batch,
            mark=mark,
            home=stage.home(mark),
            replaced=replaced,
        )
        counts, beside = quarantine.write(stage, frames.result(model, batch if span is None else reading(batch, span)))
        watermark = watermark_of(frames, model, batch) if times is None else mark.coverage.watermark
        return counts, beside, watermark, stage

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
            found = checks.run_checks(rows, model, around, unproven=unproven, slices=batch.slices)
            for beside in staged.beside:
                bad = quarantined_rows(session, self._settings.catalog, beside, model)
                found = checks.with_quarantined(found, bad, model, around, slices=batch.slices)
            return found

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
        coverage = metadata.mark.coverage if metadata.mark else Coverage()
        read = pins_to_compare(model, coverage, pins)
        if read is None:
            return unverifiable("which versions of its driver rows were taken from is not known any more")
        try:
            for pin in read:
                self._recheck({pin.input: pin.position})
            with translated(model.name, folder=self._folder):
                session = self._application.session()
                name = relation(self._settings.catalog, model.target)
                with self._frames(session, model.name) as frames:
                    found = verify_table(
                        frames,
                        model,
                        session.table(name),
                        columns=metadata.columns,
                        slices=slices,
                        pins=read,
                        parameters=coverage.parameters,
                        former=coverage.former,
                        built=coverage.built,
                        is_one_batch=pins_now(ancestry.only_pins(metadata), self._names) == pins,
                        quarantine=self._table_if_there(session, quarantine_of(model.target)),
                    )
            return self._if_repeatable(found, pins)
        except WarehouseFailure as error:
            if error.kind not in ("not_found", "conflict"):
                raise
            return unverifiable(error.message)

    def prepare_publish(self, staged: Staged, mark: Mark, touch: Touch) -> Move:
        """Write the late facts onto the stage and return the pointer move that publishes it."""
        self._recheck({pin.input: pin.position for pin in staged.batch.pins})
        return self._move(staged, mark, touch, self._graph.model(staged.batch.model))

    def prepare_beside(self, staged: Staged, mark: Mark, touch: Touch) -> tuple[Move, ...]:
        """Write the late facts onto what is staged beside a batch, and return the pointer moves that publish it."""
        model = quarantine_model(self._graph.model(staged.batch.model))
        return tuple(
            self._move(item, mark, touch.replace(table=model.target, position=item.position), model)
            for item in staged.beside
        )

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
        before, size = staged.counts, sum(item.counts.bytes_written for item in staged.beside)
        counts = Counts(read=before.read, carried=before.carried, quarantined=before.quarantined, bytes_written=size)
        counts = counts.replace(unchanged=before.unchanged, duplicate=before.duplicate if before.unchanged else 0)
        marked = staged.replace(pointer=metadata.pointer, position=metadata.position, counts=counts)
        return marked, self._move(marked, mark, touch.replace(position=marked.position), self._graph.model(batch.model))

    def views(self, tables: Sequence[TableName] | None = None) -> dict[TableName, CatalogView]:
        """Return the views of the catalog among some names, or all of them."""
        found = self._tables.views()
        return {name: read_view(found[name]) for name in sorted(found) if tables is None or name in tables}

    def stage_view(self, model: CompiledModel, commit: CommitId, *, base: str | None, view: CatalogView) -> Move:
        """Define a view aside, for the tables as they are; return the pointer move that puts it in its place."""
        self._tables.make_stage_namespace()
        session = self._application.session()
        with self._frames(session, model.name) as frames:
            statement = view_statement(model, self._graph, settings=self._settings, commit=commit, view=view)
            frames.written = statement
            frames.query(statement.sql)
        stage = stage_of(commit)
        return Move(target=model.target, base=base, pointer=self._tables.pointer(stage) or "", stage=stage)

    def discard(self, commit: CommitId) -> None:
        """Forget an abandoned stage; its files are orphans, shared ones stay."""
        self._carried.pop(commit, None)
        for stage in (commit, beside_of(commit)):
            self._tables.set_stage(stage, None)

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

    def version(self, table: TableName, text: str | None) -> Position:
        """Return the version of a table that a person names; None is the current one."""
        return find_version(table, self._tables.metadata(table), text)

    def diff_tables(
        self,
        left: tuple[TableName, Position],
        right: tuple[TableName, Position],
        *,
        keys: tuple[str, ...],
        limit: int,
    ) -> TableDiff:
        """Compare two tables, each at a version, by their keys or as bags of rows."""
        with translated("diff", folder=self._folder):
            session = self._application.session()
            sides = [
                read_snapshot(session, relation(self._settings.catalog, table), position)
                for table, position in (left, right)
            ]
            return diff_tables(*sides, table=left[0], keys=keys, limit=limit)

    def trials(self) -> Trials:
        """Return what computes models over given rows, in the session that this warehouse owns."""
        return Trials(self._application, lake=self._lake, graph=self._graph)

    def close(self) -> None:
        """Release what is held: the session and the connection to the catalog."""
        if self._is_owner:
            self._application.stop()
        self._tables.close()

    def _source_head(self, source: SourceTable, pin: Position | None) -> Head:
        watched = self._watched.get(TableName(source.name))
        others = (source.time_column, None if watched is None else watched.column)
        columns = self._filter_columns(TableName(source.name), others)
        return kind_of(source).head(source, self._lake, pin, columns)

    def _filter_columns(self, table: TableName, others: tuple[ColumnName | None, ...]) -> tuple[ColumnName, ...]:
        """Return the time columns of a table whose ranges readers may ask for."""
        uses = [(model, use) for model in self._graph.models for use in model.inputs if use.name == table]
        named = {use.filter_column for _, use in uses} | set(others)
        named |= {time_column(model) for model, use in uses if use.is_driver}
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

    def _move(self, staged: Staged, mark: Mark, touch: Touch, model: CompiledModel) -> Move:
        self._carried.pop(staged.batch.commit, None)
        late = {MARK: codec.to_json(mark).decode(), TOUCH: codec.to_json(touch).decode()}
        # A description is no reason to rebuild: a new one is written with the next batch.
        if description := model.settings.description:
            late["comment"] = description
        with translated(staged.batch.model, folder=self._folder):
            pointer = write_properties(staged.pointer, late)
            stage = self._tables.set_stage(staged.batch.commit, pointer)
        view = None if staged.batch.base is not None else self._own_view(model.target, mark)
        home = self.home_of(pointer)
        return Move(target=model.target, base=staged.batch.base, pointer=pointer, stage=stage, view=view, home=home)

    def _own_view(self, table: TableName, mark: Mark) -> str | None:
        """Return the view in the place of a new table, if the same project defined it."""
        found = self.views((table,)).get(table)
        if found is None or not is_ours(found, project=mark.project, store=mark.store, environment=mark.environment):
            return None
        return found.pointer

    def _table_if_there(self, session: "SparkSession", table: TableName) -> "DataFrame | None":
        is_there = self._tables.pointer(table) is not None
        return session.table(relation(self._settings.catalog, table)) if is_there else None

    def _recheck(self, pins: dict[TableName, Position]) -> None:
        """Raise if what was read of a source is not what was pinned."""
        for name, position in pins.items():
            if (source := self._sources.get(name)) is not None:
                kind_of(source).recheck(source, self._lake, position)

    def _if_repeatable(self, found: Comparison, pins: dict[TableName, Position]) -> Comparison:
        """Return a comparison whose differences prove nothing where a source may have changed without a trace."""
        read = ((self._sources[name], position) for name, position in sorted(pins.items()) if name in self._sources)
        reasons = [reason for item, position in read if (reason := kind_of(item).unrepeatable(item, position))]
        is_different = found.unverifiable is None and (found.missing or found.extra)
        return found.replace(unverifiable=reasons[0]) if reasons and is_different else found

    @property
    def _folder(self) -> Path:
        return Path(self._settings.warehouse)
