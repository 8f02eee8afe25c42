"""Changes of a table that others write, read from its own files; a file that is damaged is a matter of its readers."""

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.table import Table
from pyiceberg.types import LongType, NestedField, TimestamptzType

from lamina.project.source import SourceTable
from lamina.values.names import ColumnName, Position, SourceName
from lamina.values.touch import Everything, Extent, Ranges
from lamina.warehouse.iceberg.lost_files import lost_file
from lamina.warehouse.iceberg.metadata import local_path, read_metadata
from lamina.warehouse.sources.iceberg import table_changes

SOURCE = SourceTable(name=SourceName("raw.orders"), type="iceberg", location="raw.orders")


def day(number: int) -> datetime:
    return datetime(2026, 1, number, tzinfo=UTC)


@pytest.fixture
def orders(tmp_path: Path) -> Table:
    """A table of two versions with a row each, on the first and on the second day."""
    catalog = SqlCatalog("lake", uri="sqlite:///:memory:", warehouse=f"file://{tmp_path}")
    catalog.create_namespace("raw")
    fields = (NestedField(1, "id", LongType()), NestedField(2, "at", TimestamptzType()))
    table = catalog.create_table("raw.orders", schema=Schema(*fields))
    for number in (1, 2):
        table.append(pa.table({"id": [number], "at": pa.array([day(number)], pa.timestamp("us", "UTC"))}))
    return table


def newest_extent(table: Table) -> Extent:
    first = table.history()[0].snapshot_id
    metadata = read_metadata(table.metadata_location)
    (touch,) = table_changes(SOURCE, metadata, Position(str(first)), columns=(ColumnName("at"),))
    return touch.extent


def newest_file(table: Table, kind: str) -> Path:
    snapshot = table.current_snapshot()
    assert snapshot is not None
    if kind == "manifest list":
        return local_path(snapshot.manifest_list)
    manifest = next(item for item in snapshot.manifests(table.io) if item.added_snapshot_id == snapshot.snapshot_id)
    if kind == "manifest":
        return local_path(manifest.manifest_path)
    return local_path(manifest.fetch_manifest_entry(table.io)[0].data_file.file_path)


def test_a_version_touches_the_days_of_its_rows(orders: Table) -> None:
    extent = newest_extent(orders)
    assert isinstance(extent, Ranges)
    assert [(item.column, item.ranges[0].start) for item in extent.columns] == [("at", day(2))]


@pytest.mark.parametrize("kind", ["manifest list", "manifest", "data file"])
@pytest.mark.parametrize("left", [None, 0.0, 0.5, 0.9])
def test_a_version_whose_files_are_lost_or_damaged_may_have_changed_anything(
    orders: Table, kind: str, left: float | None
) -> None:
    file = newest_file(orders, kind)
    whole = file.read_bytes()
    file.unlink()
    if left is not None:
        file.write_bytes(whole[: int(len(whole) * left)])
    assert newest_extent(orders) == Everything()


@pytest.mark.parametrize("kind", ["manifest list", "manifest"])
def test_a_damaged_file_is_found_although_its_size_is_right(orders: Table, kind: str) -> None:
    assert lost_file(orders.metadata_location) is None
    file = newest_file(orders, kind)
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2] + bytes(len(whole) - len(whole) // 2))
    found = lost_file(orders.metadata_location)
    assert found is not None
    assert local_path(found) == file
