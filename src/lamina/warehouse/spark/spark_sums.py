"""Rows of sources summed by Spark, and their checksums kept in files."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.project.source import SourceTable
from lamina.values.batch import Pin
from lamina.values.interval import Interval
from lamina.values.names import Position, TableName
from lamina.values.schema import Schema
from lamina.values.source_sums import Grouping, SourceSums
from lamina.warehouse.sources.kinds import kind_of
from lamina.warehouse.sources.port import Lake
from lamina.warehouse.spark.errors import translated
from lamina.warehouse.spark.kept_sums import load_sums, store_sums
from lamina.warehouse.spark.source_sums import SumsPlan, rows_to_sum, schema_of, sum_groupings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class SparkSums:
    """Knows where sources are, and starts Spark only where rows must be read."""

    def __init__(self, lake: Lake, session: Callable[[], "SparkSession"]) -> None:
        self._lake = lake
        self._session = session

    def load(self, source: SourceTable, position: Position) -> SourceSums | None:
        """Return the checksums of a position, if they are kept."""
        return load_sums(self._lake.settings, source, position)

    def store(self, source: SourceTable, position: Position, sums: SourceSums) -> None:
        """Keep the checksums of a position."""
        store_sums(self._lake.settings, source, position, sums)

    def read(self, source: SourceTable, position: Position) -> "SparkRows":
        """Return the rows at a position; raise where they cannot be read as they were."""
        kind = kind_of(source)
        kind.recheck(source, self._lake, position)
        with translated(source.name, folder=Path(self._lake.settings.warehouse)):
            pin = Pin(input=TableName(source.name), position=position)
            rows = kind.read(source, self._lake, self._session(), pin, None).frame
            return SparkRows(schema_of(rows), rows, source, position, self._lake)


@dataclass(frozen=True)
class SparkRows:
    """A frame of a source at one position."""

    columns: Schema
    frame: "DataFrame"
    source: SourceTable
    position: Position
    lake: Lake

    def sum(self, plan: SumsPlan, spans: tuple[Interval, ...] | None) -> tuple[Grouping, ...]:
        """Return checksums of the rows in some ranges, or of all; raise if they are no longer those of the position."""
        with translated(self.source.name, folder=Path(self.lake.settings.warehouse)):
            rows = self.frame if spans is None else rows_to_sum(self.frame, plan, spans)
            found = sum_groupings(rows, plan)
        # Sums of rows that came meanwhile would be kept under a position that does not have them.
        kind_of(self.source).recheck(self.source, self.lake, self.position)
        return found
