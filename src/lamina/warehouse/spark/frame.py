"""A batch's result as a lazy frame: SQL, Python and seeds over pinned inputs, each under a name of its own."""

import csv
import io
from collections.abc import Callable
from functools import partial, reduce
from typing import TYPE_CHECKING

from lamina.compiler.graph import CompiledModel, Graph, InputUse
from lamina.compiler.link.parameters import variable_values
from lamina.compiler.render import Rendering, render
from lamina.planner.axis import grid_of
from lamina.planner.parameters import parameter_values
from lamina.planner.staleness import keeps_older_code
from lamina.project.source import SourceTable
from lamina.values.batch import Batch, Pin
from lamina.values.diagnostic import Place
from lamina.values.grid import each_unit, next_unit
from lamina.values.interval import Interval
from lamina.values.names import ModelName, TableName, folded
from lamina.values.schema import UNKNOWN, DataType
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.iceberg.filled import each_filled, filled_slices
from lamina.warehouse.iceberg.versions import newest_loaded, require_kept, steps_between
from lamina.warehouse.sources.kinds import kind_of
from lamina.warehouse.sources.port import ForSlices, Lake
from lamina.warehouse.sources.table_frames import below, read_snapshot, read_table
from lamina.warehouse.spark.error_place import python_place, sql_place
from lamina.warehouse.spark.new_rows import is_rewritten, rows_not_before
from lamina.warehouse.spark.python_model import ModelInputs, run_python_model
from lamina.warehouse.spark.ranges import predicate, rows_in_reach, rows_inside, time_ranges
from lamina.warehouse.spark.time_reads import condition
from lamina.warehouse.sql import ddl, quote, relation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Frames:
    """Builds the frames of batches in one session."""

    def __init__(self, session: "SparkSession", *, lake: Lake, graph: Graph) -> None:
        self._session = session
        self._lake = lake
        self._settings = lake.settings
        self._graph = graph
        self._views: list[str] = []
        self.after_reading: list[Callable[[], None]] = []  # what sources want done once their rows were read
        self.written: Rendering | CompiledModel | None = None  # what is being evaluated, as its author wrote it

    def close(self) -> None:
        """Drop the views that queries read; their results must have been used by now."""
        for view in self._views:
            self._session.catalog.dropTempView(view)
        self._views.clear()

    def read(self, pin: Pin) -> "DataFrame":
        """Return one input at its pinned version, or only what was appended up to it, or lies in a span of times."""
        frame = self._read_whole(pin)
        return frame if pin.span is None else frame.where(condition(pin.span))

    def _read_whole(self, pin: Pin) -> "DataFrame":
        source = source_of(self._graph, pin.input)
        if source is not None:
            return self._read_source(source, pin, wanted=None)
        driver = self._graph.model(ModelName(pin.input))
        return _with_new_columns(self._read_model(driver, pin), driver)

    def _read_model(self, driver: CompiledModel, pin: Pin) -> "DataFrame":
        """Return the rows of a model's table; marks say which slices were filled and which rows were only replaced."""
        table, name = driver.target, relation(self._settings.catalog, driver.target)
        metadata = self._lake.tables.metadata(table)
        if pin.since is None:
            return read_table(self._session, name, pin, table=table, metadata=metadata)
        since = newest_loaded(table, metadata, pin) if pin.is_past_changes else pin.since
        steps = steps_between(table, metadata, since=since, until=pin.position)
        if pin.is_past_changes and is_rewritten(driver, steps):
            require_kept(table, metadata, since)
            whole, old = (read_snapshot(self._session, name, position) for position in (pin.position, since))
            return rows_not_before(whole, old, driver)
        slices = each_filled(steps) if pin.is_past_changes else filled_slices(steps)
        if not slices:
            return read_table(self._session, name, pin, table=table, metadata=metadata)
        filled = rows_inside(read_snapshot(self._session, name, pin.position), driver, slices)
        if not pin.is_past_changes:
            return filled
        return below(read_table(self._session, name, pin, table=table, metadata=metadata), filled)

    def _read_source(self, source: SourceTable, pin: Pin, *, wanted: ForSlices | None) -> "DataFrame":
        rows = kind_of(source).read(source, self._lake, self._session, pin, wanted)
        self.after_reading.append(rows.after_reading)
        return rows.frame

    def _read_slices(self, model: CompiledModel, batch: Batch, pin: Pin) -> "DataFrame":
        """Return what a batch can see of one input."""
        source, wanted = source_of(self._graph, pin.input), slices_of(model, batch)
        if wanted is None:
            return self.read(pin)
        frame = self.read(pin) if source is None else self._read_source(source, pin, wanted=wanted)
        use = wanted.use_of(pin.input)
        # A Python model may ask for an input whole.
        return frame if use is None or model.kind != "sql" else rows_in_reach(frame, wanted, use)

    def result(self, model: CompiledModel, batch: Batch) -> "DataFrame":
        """Return the rows that a batch writes, before its strategy looks at them."""
        if model.kind == "seed":
            return self._seed(model)
        frames: dict[TableName, DataFrame] = {}
        for pin in batch.pins:
            rows = self._read_slices(model, batch, pin)
            # A table may hold rows of several versions of its driver, each in a span of times of its own.
            others = frames.get(pin.input)
            frames[pin.input] = rows if others is None else others.unionByName(rows, allowMissingColumns=True)
        if model.reads_itself and TableName(model.name) not in frames:
            frames[TableName(model.name)] = self._session.createDataFrame([], ddl(model.columns or ()))
        return self.evaluate(model, batch, frames)

    def evaluate(self, model: CompiledModel, batch: Batch, frames: dict[TableName, "DataFrame"]) -> "DataFrame":
        """Return what a model gives for a batch, with these rows of its inputs."""
        if model.kind == "python":
            parts = [self._python(model, batch, frames, span=span) for span in self._at_once(model, batch)]
            return reduce(_united, parts)
        views: dict[TableName, str] = {}
        for number, (name, frame) in enumerate(sorted(frames.items())):
            views[name] = f"lamina_{batch.commit}_{number}".replace("-", "_")
            self.name(views[name], frame)
        return reduce(_united, [self._sql(model, batch, views, span=span) for span in self._at_once(model, batch)])

    def _at_once(self, model: CompiledModel, batch: Batch) -> tuple[Interval, ...]:
        """Return the ranges of a batch that are computed each by itself: units, where rows of two must not meet."""
        # Imported here: it needs the parser, which commands that only look at tables do not.
        from lamina.compiler.explanation import meets_slices

        grid, span = grid_of(model), _bounds(batch)
        if grid is None or next_unit(grid, span.start) >= span.end or not meets_slices(self._graph, model):
            return (span,)
        return tuple(each_unit(grid, span))

    def _sql(self, model: CompiledModel, batch: Batch, views: dict[TableName, str], *, span: Interval) -> "DataFrame":
        parameters = {
            **variable_values(self._settings.variables),
            **parameter_values(model, batch.parameters, span=span),
        }
        self.written = render(self._graph, model, relations=views, parameters=parameters)
        return self._session.sql(self.written.sql)

    def query(self, sql: str) -> "DataFrame":
        """Return what a query over named frames gives."""
        return self._session.sql(sql)

    def name(self, view: str, frame: "DataFrame") -> None:
        """Let queries read a frame by a name, until these frames are closed."""
        frame.createOrReplaceTempView(view)
        self._views.append(view)

    def place_of(self, error: BaseException) -> Place | None:
        """Return where in the project's files the cause of an exception was written, if Spark knows."""
        match self.written:
            case Rendering():
                return sql_place(error, self.written)
            case CompiledModel():
                return python_place(error, path=self.written.path, root=self._settings.root)
            case None:
                return None

    def _seed(self, model: CompiledModel) -> "DataFrame":
        rows = [row for row in csv.reader(io.StringIO(model.text)) if row]
        if not rows:
            raise WarehouseFailure(f"the seed `{model.name}` is empty", kind="data_rejected", hint="give it a header")
        header, body = rows[0], [tuple(value or None for value in row) for row in rows[1:]]
        if any(len(row) != len(header) for row in body):
            raise WarehouseFailure(
                f"a row of the seed `{model.name}` has a different number of values than its header",
                kind="data_rejected",
            )
        kinds = {folded(column.name): column.type for column in model.columns or ()}
        frame = self._session.createDataFrame(body, ", ".join(f"{quote(name)} string" for name in header))
        return frame.selectExpr(*(_cast(name, kinds.get(folded(name), DataType("string"))) for name in header))

    def _python(
        self, model: CompiledModel, batch: Batch, frames: dict[TableName, "DataFrame"], *, span: Interval
    ) -> "DataFrame":
        bounds = span if model.traits.slices is not None else None
        uses, zone = {use.name: use for use in model.inputs}, model.settings.timezone
        inputs = ModelInputs(
            self._session,
            name=model.name,
            readers={
                name: partial(self._filtered, frame, uses.get(name), bounds, zone) for name, frame in frames.items()
            },
            whole_readers={name: partial(_same, frame) for name, frame in frames.items()},
            start=None if bounds is None else bounds.start,
            end=None if bounds is None else bounds.end,
            parameters=batch.parameters,
            environment=self._settings.environment,
            variables={variable.name: variable.value for variable in self._settings.variables},
        )
        self.written = model
        return run_python_model(model.name, model.text, path=model.path, root=self._settings.root, inputs=inputs)

    def _filtered(self, frame: "DataFrame", use: InputUse | None, bounds: Interval | None, zone: str) -> "DataFrame":
        column = self._time_column(use)
        if bounds is None or use is None or column is None:
            return frame
        kind = dict(frame.dtypes).get(column, "timestamp")
        return frame.where(predicate(time_ranges(column, kind, (bounds,), zone=zone)))

    def _time_column(self, use: InputUse | None) -> str | None:
        if use is None or use.filter_column is not None:
            return None if use is None else use.filter_column
        source = source_of(self._graph, use.name)
        if source is not None:
            return source.time_column
        slices = self._graph.model(ModelName(use.name)).traits.slices
        return slices.time_column if slices is not None else None


def _with_new_columns(frame: "DataFrame", model: CompiledModel) -> "DataFrame":
    """Add columns that came with code of which no slice is built yet: null, as in all slices of older code."""
    if not keeps_older_code(model):
        return frame
    there = {folded(name) for name in frame.columns}
    added = (item for item in model.columns or () if folded(item.name) not in there and item.type != UNKNOWN)
    return frame.selectExpr("*", *(f"CAST(NULL AS {item.type}) AS {quote(item.name)}" for item in added))


def _united(first: "DataFrame", second: "DataFrame") -> "DataFrame":
    return first.unionByName(second)


def slices_of(model: CompiledModel, batch: Batch) -> ForSlices | None:
    """Return which slices a batch reads for; None where it reads everything.

    A recompute does: it is what shows whether slices were built from all they needed.
    """
    return ForSlices(model=model, span=_bounds(batch)) if batch.mode == "replace_slices" else None


def _bounds(batch: Batch) -> Interval:
    return Interval(min(span.start for span in batch.slices), max(span.end for span in batch.slices))


def source_of(graph: Graph, name: TableName) -> SourceTable | None:
    """Return the source that an input is; None: it is a model."""
    return next((source for source in graph.sources if TableName(source.name) == name), None)


def _cast(name: str, kind: DataType) -> str:
    return f"CAST({quote(name)} AS {kind}) AS {quote(name)}"


def _same(frame: "DataFrame") -> "DataFrame":
    return frame
