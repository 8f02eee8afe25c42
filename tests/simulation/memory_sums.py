"""Checksums of sources in memory: the same sums that Spark makes, of rows that are tuples."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b

from tests.simulation.algebra import Cell, Read, Relation, Row
from tests.simulation.lake import Lake
from tests.simulation.memory_reads import MemoryReads

from lamina.project.source import SourceTable
from lamina.values.batch import Pin
from lamina.values.grid import Unit
from lamina.values.interval import Interval
from lamina.values.names import Position, TableName
from lamina.values.schema import Column, Schema
from lamina.values.source_sums import Grouping, Partition, SourceSums
from lamina.warehouse.spark.diff_units import microsecond_of, unit_around
from lamina.warehouse.spark.source_sums import SumsPlan


class MemorySums:
    """What a comparison of sources needs of the lake."""

    def __init__(self, lake: Lake, reads: MemoryReads) -> None:
        self._lake = lake
        self._reads = reads

    def load(self, source: SourceTable, position: Position) -> SourceSums | None:
        """Return the checksums of a position, if they are kept."""
        return self._lake.sums.get((source.location, position))

    def store(self, source: SourceTable, position: Position, sums: SourceSums) -> None:
        """Keep the checksums of a position."""
        self._lake.sums[source.location, position] = sums

    def read(self, source: SourceTable, position: Position) -> "MemoryRows":
        """Return the rows at a position; raise where they cannot be read as they were."""
        names = tuple(column.name for column in source.columns)
        reader, pin = Read(str(source.name), names), Pin(TableName(source.name), position)
        columns = tuple(Column(name=column.name, type=column.type) for column in source.columns)
        return MemoryRows(columns, self._reads.read_version(TableName(source.name), pin, reader=reader))


@dataclass(frozen=True)
class MemoryRows:
    """The rows of a source at one position."""

    columns: Schema
    relation: Relation

    def sum(self, plan: SumsPlan, spans: tuple[Interval, ...] | None) -> tuple[Grouping, ...]:
        """Return checksums of the rows, of some ranges and of those without a time, or of all."""
        if spans is None:
            return tuple(self._grouping(self.relation.rows, plan, by, unit) for by, unit in plan.cuts)
        ((by, unit),) = plan.cuts
        place = self.relation.place(by[0])
        rows = tuple(row for row in self.relation.rows if _is_inside(row[place], spans))
        return (self._grouping(rows, plan, by, unit),)

    def _grouping(self, rows: tuple[Row, ...], plan: SumsPlan, by: tuple[str, ...], unit: Unit | None) -> Grouping:
        parts: dict[int | str | None, list[Row]] = {}
        for row in rows:
            cells = [row[self.relation.place(name)] for name in by]
            parts.setdefault(_key(cells, by, unit), []).append(row)
        if not by:
            parts.setdefault(None, [])
        partitions = tuple(
            Partition(
                key=key,
                rows=len(items),
                sums=tuple(self._sums(items, columns) for columns in plan.sets),
                spans=tuple(self._span(items, name) for name in plan.times),
            )
            for key, items in parts.items()
        )
        return Grouping(by=by, unit=unit, times=plan.times, partitions=partitions)

    def _sums(self, rows: list[Row], columns: Schema) -> tuple[int, ...]:
        places = [self.relation.place(column.name) for column in columns]
        hashes = [hash_of(tuple(row[place] for place in places)) for row in rows]
        return (sum(item & 0xFFFFFFFF for item in hashes), sum(item >> 32 for item in hashes))

    def _span(self, rows: list[Row], name: str) -> tuple[int, int] | None:
        cells = (row[self.relation.place(name)] for row in rows)
        times = [microsecond_of(cell) for cell in cells if isinstance(cell, datetime)]
        return (min(times), max(times)) if times else None


def hash_of(cells: tuple[Cell, ...]) -> int:
    """Return one hash of all values of a row together: a value that moves to another row is another hash."""
    return int.from_bytes(blake2b(repr(cells).encode(), digest_size=8).digest())


def _key(cells: list[Cell], by: Iterable[str], unit: Unit | None) -> int | str | None:
    if unit is None:
        return ", ".join(f"{name}={cell}" for name, cell in zip(by, cells, strict=True)) or None
    (cell,) = cells
    return microsecond_of(unit_around(microsecond_of(cell), unit).start) if isinstance(cell, datetime) else None


def _is_inside(cell: Cell, spans: tuple[Interval, ...]) -> bool:
    return not isinstance(cell, datetime) or any(span.start <= cell < span.end for span in spans)
