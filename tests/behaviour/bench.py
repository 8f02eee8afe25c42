"""A bench to try a warehouse on: two sources that tests change from outside, and batches made by hand."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Protocol

from tests.simulation.algebra import Expression, Read, Row
from tests.simulation.models import simulated_graph, simulated_model, simulated_source

from lamina.compiler.graph import CompiledModel, Graph
from lamina.project.model import CheckSettings
from lamina.project.source import SourceTable
from lamina.project.strategy import FullRefresh, Strategy, TimeInterval
from lamina.values.batch import Batch, Move, Pin, Staged
from lamina.values.coverage import Coverage, Mark
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName, CommitId, Fingerprint, Position, TableName
from lamina.values.plan import Mode
from lamina.values.touch import Everything, Touch
from lamina.warehouse.port import Warehouse

COLUMNS = ("id", "ts", "key", "status", "amount")
FILES = simulated_source("raw.files", COLUMNS, is_files=True)
TABLE = simulated_source("raw.events", COLUMNS, is_files=False)
BY_DAY = TimeInterval(time_column=ColumnName("ts"))

_numbers = count(1)


class Bench(Protocol):
    """A warehouse and the hands that change what it sees; each implementation gives its own."""

    files: SourceTable  # FILES at the bench's own location
    table: SourceTable  # TABLE at the bench's own location

    def open(self, graph: Graph, queries: dict[Fingerprint, Expression]) -> Warehouse:
        """Return a warehouse that knows these models, over the same tables."""

    def put_file(self, name: str, rows: Sequence[Row]) -> None:
        """Write a file of the file source, or another version of it."""

    def remove_file(self, name: str) -> None:
        """Delete a file of the file source."""

    def append_rows(self, rows: Sequence[Row]) -> None:
        """Append to the table source, which the first call creates."""

    def delete_rows(self, key: str) -> None:
        """Delete the rows of a key from the table source."""

    def compact(self) -> None:
        """Rewrite the files of the table source into fewer, with the same rows."""

    def publish(self, move: Move) -> None:
        """Apply a move as the state store does."""

    def append_foreign(self, table: TableName, rows: Sequence[Row]) -> None:
        """Append to a managed table behind lamina's back."""

    def drop(self, table: TableName) -> None:
        """Drop a managed table behind lamina's back, and leave its files."""

    def purge(self, table: TableName) -> None:
        """Drop a managed table with its files."""

    def rows_of(self, table: TableName) -> list[Row]:
        """Return the visible rows of a managed table, sorted; none if it does not exist."""


def day(number: int, *, hour: int = 0) -> datetime:
    """Return an instant of April 2026."""
    return datetime(2026, 4, number, hour, tzinfo=UTC)


def span(first: int, last: int) -> Interval:
    """Return the days from the first up to, not with, the last."""
    return Interval(day(first), day(last))


def event(number: int, on: int, *, key: str = "a", status: str = "new", amount: int = 1) -> Row:
    """Return a row of a source, at noon of a day."""
    return (number, day(on, hour=12), key, status, amount)


class Trial:
    """One model on a bench: builds batches of it and publishes them."""

    def __init__(
        self,
        bench: Bench,
        query: Expression | None = None,
        *,
        strategy: Strategy = BY_DAY,
        checks: tuple[CheckSettings, ...] = (),
    ) -> None:
        self.bench = bench
        by = "ts" if isinstance(strategy, TimeInterval) else None
        self.query = query or Read("raw.events", COLUMNS, by=by)
        self.model: CompiledModel = simulated_model(
            "sales.orders", self.query, strategy=strategy, start="2026-04-01", checks=checks
        )
        graph = simulated_graph((self.model,), (bench.files, bench.table))
        self.warehouse = bench.open(graph, {self.model.fingerprint: self.query})
        self.target = self.model.target

    def pins(self, **since: Position) -> tuple[Pin, ...]:
        """Pin every source the model reads at its head."""
        read = {use.name for use in self.model.inputs}
        sources = [source for source in (self.bench.files, self.bench.table) if TableName(source.name) in read]
        heads = self.warehouse.source_heads(sources)
        found = {name: head.position for name, head in heads.items() if head.position is not None}
        return tuple(Pin(name, position, since.get("since")) for name, position in sorted(found.items()))

    def pointer(self) -> str | None:
        """Return where the table is."""
        return self.warehouse.heads((self.target,))[self.target].pointer

    def position(self) -> Position:
        """Return the table's version."""
        found = self.warehouse.heads((self.target,))[self.target].position
        assert found is not None
        return found

    def batch(self, *slices: Interval, mode: Mode = "replace_slices", pins: tuple[Pin, ...] | None = None) -> Batch:
        """Return a batch on the current head."""
        return Batch(
            commit=CommitId(f"c{next(_numbers):06d}"),
            model=self.model.name,
            mode=mode,
            slices=slices or (WHOLE,),
            pins=self.pins() if pins is None else pins,
            base=self.pointer(),
            parameters={},
        )

    def mark(self, batch: Batch) -> Mark:
        """Return the mark of a batch."""
        return Mark(
            commit=batch.commit,
            run_id="run-1",
            token=1,
            project="simulation",
            environment="prod",
            store="here",
            model=self.model.name,
            fingerprint=self.model.fingerprint,
            slices=batch.slices,
            pins={pin.input: pin.position for pin in batch.pins},
            coverage=Coverage(watermark=batch.commit),
        )

    def touch(self, staged: Staged) -> Touch:
        """Return a touch that says the least."""
        return Touch(TableName(self.model.name), staged.position, None, extent=Everything(), rows_added=7)

    def stage(self, batch: Batch) -> Staged:
        """Stage a batch."""
        return self.warehouse.stage(batch, self.model, self.mark(batch))

    def publish(self, staged: Staged) -> None:
        """Publish what is staged."""
        self.bench.publish(self.warehouse.prepare_publish(staged, self.mark(staged.batch), self.touch(staged)))

    def build(self, *slices: Interval, mode: Mode = "replace_slices", pins: tuple[Pin, ...] | None = None) -> Staged:
        """Stage and publish a batch."""
        staged = self.stage(self.batch(*slices, mode=mode, pins=pins))
        self.publish(staged)
        return staged

    def rows(self) -> list[Row]:
        """Return what readers see."""
        return self.bench.rows_of(self.target)


def whole(bench: Bench, query: Expression | None = None) -> Trial:
    """Return a trial of a whole-table model."""
    return Trial(bench, query or Read("raw.events", COLUMNS), strategy=FullRefresh())
