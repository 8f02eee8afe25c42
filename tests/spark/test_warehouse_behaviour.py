"""The behaviour of the warehouse port, on Spark and Iceberg."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from tests.behaviour.bench import COLUMNS, FILES, TABLE
from tests.behaviour.detector_behaviour import DetectorBehaviour
from tests.behaviour.warehouse_behaviour import WarehouseBehaviour
from tests.simulation.algebra import Expression, Row, type_of
from tests.spark.lake import Lake

from lamina.compiler.graph import Graph
from lamina.values.batch import Move
from lamina.values.names import Fingerprint, TableName
from lamina.warehouse.port import Warehouse
from lamina.warehouse.spark.warehouse import SparkWarehouse

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EVENTS = TableName("raw.events")
SCHEMA = ", ".join(f"{name} {type_of(name)}" for name in COLUMNS)


class SparkBench:
    """The bench over a catalog of its own in the shared application."""

    files = FILES.replace(location="raw/files", format="parquet")
    table = TABLE

    def __init__(self, lake: Lake) -> None:
        self.lake = lake
        self.opened: list[SparkWarehouse] = []
        (lake.folder / "raw" / "files").mkdir(parents=True)

    def open(self, graph: Graph, queries: dict[Fingerprint, Expression]) -> Warehouse:
        warehouse = SparkWarehouse(self.lake.settings, graph, emit=lambda _: None, application=self.lake.application)
        self.opened.append(warehouse)
        return warehouse

    def put_file(self, name: str, rows: Sequence[Row]) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        kinds = {"bigint": pa.int64(), "string": pa.string(), "timestamp": pa.timestamp("us", tz="UTC")}
        columns = {
            column: pa.array([row[place] for row in rows], kinds[type_of(column)])
            for place, column in enumerate(COLUMNS)
        }
        pq.write_table(pa.table(columns), self.lake.folder / "raw" / "files" / f"{name}.parquet")

    def remove_file(self, name: str) -> None:
        (self.lake.folder / "raw" / "files" / f"{name}.parquet").unlink()

    def append_rows(self, rows: Sequence[Row]) -> None:
        self.lake.sql(f"CREATE TABLE IF NOT EXISTS {self._full(EVENTS)} ({SCHEMA}) USING iceberg")
        self.append_foreign(EVENTS, rows)

    def delete_rows(self, key: str) -> None:
        self.lake.sql(f"DELETE FROM {self._full(EVENTS)} WHERE key = '{key}'")

    def compact(self) -> None:
        catalog = self.lake.settings.catalog
        self.lake.sql(
            f"CALL {catalog}.system.rewrite_data_files(table => '{EVENTS}', options => map('rewrite-all', 'true'))"
        )

    def publish(self, move: Move) -> None:
        self.lake.apply(move)

    def append_foreign(self, table: TableName, rows: Sequence[Row]) -> None:
        self._frame(rows).coalesce(1).writeTo(self._full(table)).append()

    def drop(self, table: TableName) -> None:
        self.lake.sql(f"DROP TABLE {self._full(table)}")

    def purge(self, table: TableName) -> None:
        self.lake.sql(f"DROP TABLE {self._full(table)} PURGE")

    def rows_of(self, table: TableName) -> list[Row]:
        if self.opened[-1].heads([table])[table].pointer is None:
            return []
        return sorted(_aware(row) for row in self.lake.sql(f"SELECT * FROM {self._full(table)}"))

    def _full(self, table: TableName) -> str:
        return f"{self.lake.settings.catalog}.{table}"

    def _frame(self, rows: Sequence[Row]) -> "DataFrame":
        return self.lake.spark.createDataFrame([tuple(row) for row in rows], SCHEMA)


def _aware(row: tuple[object, ...]) -> Row:
    return tuple(cell.astimezone(UTC) if isinstance(cell, datetime) else cell for cell in row)  # type: ignore[misc]  # cells of the three types


@pytest.fixture
def bench(lake: Lake) -> Iterator[SparkBench]:
    """A bench over an empty catalog."""
    bench = SparkBench(lake)
    yield bench
    for warehouse in bench.opened:
        warehouse.close()


@pytest.mark.spark
class TestSparkWarehouse(WarehouseBehaviour):
    """Iceberg tables."""


@pytest.mark.spark
class TestSparkDetectors(DetectorBehaviour):
    """Files and Iceberg snapshots."""
