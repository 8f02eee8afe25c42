"""The files of a table are listed as another implementation of Iceberg lists them."""

from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DoubleType, LongType, NestedField, StringType

from lamina.warehouse.iceberg.data_files import added_files, changed_files, data_files, records_of
from lamina.warehouse.iceberg.lost_files import lost_file
from lamina.warehouse.iceberg.metadata import local_path, read_metadata


def test_files_are_listed_as_pyiceberg_lists_them(tmp_path: Path) -> None:
    catalog = SqlCatalog("lake", uri="sqlite:///:memory:", warehouse=f"file://{tmp_path}/my lake [1]")
    catalog.create_namespace("sales")
    fields = (NestedField(1, "id", LongType()), NestedField(2, "day", StringType()), NestedField(3, "x", DoubleType()))
    spec = PartitionSpec(PartitionField(source_id=2, field_id=1000, transform=IdentityTransform(), name="day"))
    table = catalog.create_table("sales.orders", schema=Schema(*fields), partition_spec=spec)
    assert data_files(read_metadata(table.metadata_location)) == ()
    for number in range(3):
        table.append(pa.table({"id": [number, number + 10], "day": ["a", f"b{number}"], "x": [0.5, None]}))
    table.delete("day = 'b1'")
    expected = {(task.file.file_path, task.file.record_count) for task in table.scan().plan_files()}
    found = data_files(read_metadata(table.metadata_location))
    assert found is not None
    assert {(file.path, file.rows) for file in found} == expected
    assert len(found) == len(expected) == 5


def test_files_of_one_step_and_lost_ones_are_found_in_a_folder_with_any_name(tmp_path: Path) -> None:
    catalog = SqlCatalog("lake", uri="sqlite:///:memory:", warehouse=f"file://{tmp_path}/my lake [1]")
    catalog.create_namespace("sales")
    table = catalog.create_table("sales.orders", schema=Schema(NestedField(1, "id", LongType())))
    table.append(pa.table({"id": [1]}))
    (first,) = (task.file.file_path for task in table.scan().plan_files())
    table.overwrite(pa.table({"id": [2]}))
    (second,) = (task.file.file_path for task in table.scan().plan_files())
    metadata = read_metadata(table.metadata_location)
    changes = sorted(
        (added_files(step), tuple(file["file_path"] for file in changed_files(step)))
        for step in metadata.snapshots.values()
    )

    assert changes == sorted([((first,), (first,)), ((), (first,)), ((second,), (second,))])
    assert lost_file(table.metadata_location) is None
    local_path(second).unlink()
    assert lost_file(table.metadata_location) == second
    snapshot = metadata.snapshot
    assert snapshot is not None
    damaged = records_of(snapshot.manifest_list)[0]["manifest_path"]
    local_path(damaged).write_bytes(bytes(local_path(damaged).stat().st_size))
    assert lost_file(table.metadata_location) == damaged
