"""Reading in the memory warehouse: every input at its pin, and the query of a model over them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from tests.simulation.algebra import Expression, Read, Relation, Row, columns_of, evaluate, unsorted
from tests.simulation.lake import Lake, Metadata, Snapshot, bag
from tests.simulation.memory_times import see_times, within
from tests.simulation.row_writes import aligned, cut_rows
from tests.simulation.table_versions import steps_since

from lamina.compiler.graph import CompiledModel, Graph
from lamina.planner.staleness import keeps_older_code
from lamina.project.source import SourceTable
from lamina.values.batch import Batch, Pin
from lamina.values.interval import WHOLE, Interval, merge
from lamina.values.names import Fingerprint, Position, TableName
from lamina.values.time_position import TimesSeen
from lamina.warehouse.failure import FailureKind, RebuildNeeded, WarehouseFailure


class MemoryReads:
    """Rows of inputs as of their pins."""

    def __init__(self, lake: Lake, graph: Graph, queries: Mapping[Fingerprint, Expression]) -> None:
        self._lake = lake
        self._queries = queries
        self._models = {TableName(model.name): model for model in graph.models}
        self._sources = {TableName(source.name): source for source in graph.sources}

    def columns(self, model: CompiledModel) -> tuple[str, ...]:
        """Return the columns that a model's query gives."""
        return columns_of(self._queries[model.fingerprint])

    def compute(
        self,
        model: CompiledModel,
        slices: tuple[Interval, ...],
        pins: Mapping[TableName, Pin],
        *,
        is_unsorted: bool = False,
    ) -> Relation:
        """Return the rows that a model's query gives for some slices, perhaps with those that checks sort out."""
        query = self._queries[model.fingerprint]
        query = unsorted(query) if is_unsorted else query

        def read(reader: Read) -> Relation:
            return self.read_version(TableName(reader.table), pins.get(TableName(reader.table)), reader=reader)

        parts = [evaluate(query, read, span) for span in merge(slices)]
        return Relation(parts[0].columns, tuple(row for part in parts for row in part.rows))

    def see_times(self, batch: Batch, model: CompiledModel) -> TimesSeen | None:
        """Return what a driver has that is read by its timestamps."""
        read = batch.by_time
        if read is None:
            return None
        pin = next(pin for pin in batch.pins if pin.input == read.input)
        use = next(use for use in model.inputs if use.name == read.input)
        columns = tuple(sorted({*map(str, use.read_set or ()), str(read.column)}))
        rows = self.read_version(read.input, pin, reader=Read(str(read.input), columns))
        return see_times(rows, read, columns)

    def read_version(self, name: TableName, pin: Pin | None, *, reader: Read) -> Relation:
        """Return the rows of an input; columns of code that has built nothing yet are null."""
        found = self._read_version(name, pin, reader=reader)
        found = found if pin is None or pin.span is None else within(found, pin.span)
        model = self._models.get(name)
        if model is None or not keeps_older_code(model):
            return found
        return aligned(found, tuple(dict.fromkeys((*found.columns, *self.columns(model)))))

    def _read_version(self, name: TableName, pin: Pin | None, *, reader: Read) -> Relation:
        if pin is None:
            return Relation(reader.columns, ())
        source = self._sources.get(name)
        if source is not None and (fault := self._lake.broken.get(source.location)) is not None:
            kind: FailureKind = "resources" if fault == "memory" else "not_found"
            raise WarehouseFailure(f"rows of `{name}` cannot be read", kind=kind)
        if source is not None and source.type == "files":
            return self._read_files(source, pin)
        table = TableName(source.location) if source is not None else self._models[name].target
        self._require_files(table)
        metadata = self._lake.table(table)
        pinned = None if metadata is None else metadata.snapshot(int(pin.position))
        if metadata is None or pinned is None:
            raise WarehouseFailure(f"version {pin.position} of `{name}` is gone", kind="not_found")
        if pin.since is None:
            return pinned.relation
        if pin.is_past_changes:
            return self._new_rows(name, metadata, pinned, since=pin.since)
        return appended(self._lake, metadata, pinned, since=pin.since)

    def _new_rows(self, name: TableName, metadata: Metadata, pinned: Snapshot, *, since: Position) -> Relation:
        """Return the rows of slices that were not built before some steps, and those that other steps appended."""
        steps = steps_since(replace(metadata, current=pinned.number), since)
        if steps is None:
            raise RebuildNeeded(f"version {since} is no ancestor of {pinned.position} any more", kind="conflict")
        driver = self._models.get(name)
        spans = tuple(span for step in steps for span in self._new_slices(step, driver)) if driver is not None else ()
        rows = [] if driver is None else list(cut_rows(pinned.relation, driver, merge(spans)).rows if spans else ())
        for step in steps:
            if step.operation == "append":
                before = Relation((), ()) if step.parent is None else self._lake.archive[step.parent]
                rows += (bag(step.relation) - bag(before)).elements()
        return Relation(pinned.relation.columns, tuple(rows))

    def _new_slices(self, step: Snapshot, driver: CompiledModel) -> tuple[Interval, ...]:
        """Return the slices of a step that were not built before, or that had no rows."""
        mark = step.mark
        if mark is None or WHOLE in mark.slices or step.operation in ("replace", "mark"):
            return ()
        before = None if step.parent is None else self._lake.archive[step.parent]
        is_fill = before is not None and not cut_rows(before, driver, mark.slices).rows
        return mark.slices if is_fill else mark.new_slices or ()

    def _read_files(self, source: SourceTable, pin: Pin) -> Relation:
        if not self._lake.is_current(source.location, pin.position):
            raise WarehouseFailure(f"files of `{source.name}` changed after they were listed", kind="not_found")
        files = self._lake.manifests[pin.position]
        before = {} if pin.since is None else self._lake.manifests[pin.since]
        is_changed = any(files.get(name) != version for name, version in before.items())
        if is_changed and not pin.is_past_changes:
            raise RebuildNeeded(f"files of `{source.name}` were not only added since {pin.since}", kind="conflict")
        earlier = {item for position in pin.loaded for item in self._lake.manifests[position].items()}
        came = (item for item in sorted(files.items()) if item[0] not in before)
        new = [version for name, version in came if (name, version) not in earlier]
        return self._lake.file_rows(new, columns=tuple(column.name for column in source.columns))

    def _require_files(self, table: TableName) -> None:
        if (file := self._lake.lost_file(table)) is not None:
            raise WarehouseFailure(f"`{file}` cannot be read", kind="not_found")

    def recheck(self, pins: tuple[Pin, ...]) -> None:
        """Raise if files that were read are no longer those that were pinned."""
        for pin in pins:
            source = self._sources.get(pin.input)
            is_files = source is not None and source.type == "files"
            if is_files and not self._lake.is_current(self._sources[pin.input].location, pin.position):
                raise WarehouseFailure(f"files of `{pin.input}` changed while they were read", kind="not_found")


def appended(lake: Lake, metadata: Metadata, pinned: Snapshot, *, since: Position) -> Relation:
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
