"""The behaviour of the warehouse port, on rows in memory."""

from collections.abc import Sequence

import pytest
from tests.behaviour.bench import COLUMNS, FILES, TABLE
from tests.behaviour.detector_behaviour import DetectorBehaviour
from tests.behaviour.warehouse_behaviour import WarehouseBehaviour
from tests.simulation.algebra import Expression, Relation, Row
from tests.simulation.lake import Lake
from tests.simulation.memory_warehouse import MemoryWarehouse

from lamina.compiler.graph import Graph
from lamina.values.batch import Move
from lamina.values.names import Fingerprint, TableName
from lamina.warehouse.port import Warehouse

EVENTS = TableName(TABLE.location)


class MemoryBench:
    """The bench over a lake in memory."""

    files = FILES
    table = TABLE

    def __init__(self, lake: Lake) -> None:
        self.lake = lake

    def open(self, graph: Graph, queries: dict[Fingerprint, Expression]) -> Warehouse:
        return MemoryWarehouse(self.lake, graph, queries)

    def put_file(self, name: str, rows: Sequence[Row]) -> None:
        self.lake.put_file(FILES.location, name, relation=Relation(COLUMNS, tuple(rows)))

    def remove_file(self, name: str) -> None:
        self.lake.remove_file(FILES.location, name)

    def append_rows(self, rows: Sequence[Row]) -> None:
        self.append_foreign(EVENTS, rows)

    def delete_rows(self, key: str) -> None:
        metadata = self.lake.table(EVENTS)
        assert metadata is not None
        kept = tuple(row for row in metadata.head.relation.rows if row[2] != key)
        self.lake.commit(EVENTS, Relation(COLUMNS, kept), "overwrite")

    def compact(self) -> None:
        self.lake.compact(EVENTS)

    def publish(self, move: Move) -> None:
        with self.lake.catalog.writing() as transaction:
            assert self.lake.catalog.publish(transaction, (move,)) is None

    def append_foreign(self, table: TableName, rows: Sequence[Row]) -> None:
        metadata = self.lake.table(table)
        before = () if metadata is None else metadata.head.relation.rows
        self.lake.commit(table, Relation(COLUMNS, (*before, *rows)), "append")

    def drop(self, table: TableName) -> None:
        self.lake.drop(table)

    def purge(self, table: TableName) -> None:
        self.lake.purge(table)

    def rows_of(self, table: TableName) -> list[Row]:
        metadata = self.lake.table(table)
        return [] if metadata is None else sorted(metadata.head.relation.rows)


@pytest.fixture
def bench() -> MemoryBench:
    """A bench over an empty lake."""
    return MemoryBench(Lake())


class TestMemoryWarehouse(WarehouseBehaviour):
    """Bags of rows."""


class TestMemoryDetectors(DetectorBehaviour):
    """Changes between bags of rows."""
