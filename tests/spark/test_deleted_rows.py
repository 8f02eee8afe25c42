"""Commits of other engines that delete rows aside touch the times of exactly those rows, where files tell them."""

from typing import Any

import pytest
from tests.spark.lake import Lake, day

from lamina.project.source import SourceTable
from lamina.values.batch import Pin
from lamina.values.interval import Interval, intersect
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.touch import Everything, Extent, Ranges, Touch
from lamina.warehouse.sources import iceberg
from lamina.warehouse.sources.port import Lake as Sources

pytestmark = pytest.mark.spark

AT = ColumnName("at")


@pytest.fixture
def orders(lake: Lake) -> SourceTable:
    """A table whose one file has rows of four days."""
    lake.sql("CREATE NAMESPACE IF NOT EXISTS lake.ext")
    lake.sql(
        "CREATE TABLE lake.ext.orders (id INT, at TIMESTAMP, status STRING) USING iceberg"
        " TBLPROPERTIES ('format-version' = '2', 'write.delete.mode' = 'merge-on-read',"
        " 'write.update.mode' = 'merge-on-read')"
    )
    rows = ", ".join(f"({number}, TIMESTAMP'2026-01-0{number} 12:00:00', 'new')" for number in range(1, 5))
    lake.sql(f"INSERT INTO lake.ext.orders SELECT /*+ COALESCE(1) */ * FROM VALUES {rows}")
    return lake.add_source("ext.orders", columns="", type="iceberg", location="ext.orders")


def position(lake: Lake) -> Position:
    return lake.warehouse.source_heads(lake.graph.sources)[TableName("ext.orders")].position or Position("")


def newest(lake: Lake, source: SourceTable, since: Position) -> Touch:
    (touch,) = lake.warehouse.changes(source, since, columns=(AT,))
    return touch


def delete_equal(lake: Lake, columns: dict[str, Any]) -> None:
    """Delete rows by their values, as Flink does: Spark itself never writes such files."""
    java, gateway = lake.spark._jvm, lake.spark.sparkContext._gateway
    assert java is not None
    assert gateway is not None
    table = java.org.apache.iceberg.spark.Spark3Util.loadIcebergTable(lake.spark._jsparkSession, "lake.ext.orders")
    schema = table.schema().select(list(columns))
    ids = gateway.new_array(java.int, len(columns))
    for place, name in enumerate(columns):
        ids[place] = table.schema().findField(name).fieldId()
    builder = java.org.apache.iceberg.data.GenericFileWriterFactory.Builder(table)
    parquet = java.org.apache.iceberg.FileFormat.PARQUET
    factory = builder.deleteFileFormat(parquet).equalityFieldIds(ids).equalityDeleteRowSchema(schema).build()
    output = java.org.apache.iceberg.io.OutputFileFactory.builderFor(table, 1, 1).build().newOutputFile()
    writer = factory.newEqualityDeleteWriter(output, table.spec(), None)
    record = java.org.apache.iceberg.data.GenericRecord.create(schema)
    for name, value in columns.items():
        record.setField(name, value)
    writer.write(record)
    writer.close()
    table.newRowDelta().addDeletes(writer.toDeleteFile()).commit()
    lake.sql("REFRESH TABLE lake.ext.orders")


def spans(extent: Extent) -> tuple[Interval, ...]:
    assert isinstance(extent, Ranges)
    (found,) = extent.columns
    assert found.column == AT
    return found.ranges


def reached(extent: Extent) -> list[int]:
    """Return the days of January that an extent reaches."""
    return [number for number in range(1, 6) if intersect(spans(extent), (day(number),))]


def test_deletes_by_place_touch_the_days_of_the_deleted_rows_alone(lake: Lake, orders: SourceTable) -> None:
    since = position(lake)
    lake.sql("DELETE FROM lake.ext.orders WHERE id IN (2, 4)")

    touch = newest(lake, orders, since)

    assert reached(touch.extent) == [2, 4]
    assert not touch.is_append
    assert lake.sql("SELECT content FROM lake.ext.orders.all_delete_files") == [(1,)]


def test_an_update_touches_the_day_a_row_was_in_and_the_one_it_is_in(lake: Lake, orders: SourceTable) -> None:
    since = position(lake)
    lake.sql("UPDATE lake.ext.orders SET at = TIMESTAMP'2026-01-05 12:00:00' WHERE id = 3")

    assert reached(newest(lake, orders, since).extent) == [3, 5]


def test_deletes_by_value_touch_the_times_they_name(lake: Lake, orders: SourceTable) -> None:
    since = position(lake)
    java = lake.spark._jvm
    assert java is not None
    delete_equal(lake, {"at": java.java.time.OffsetDateTime.parse("2026-01-03T12:00:00Z"), "status": "new"})

    touch = newest(lake, orders, since)

    assert lake.sql("SELECT count(*) FROM lake.ext.orders") == [(3,)]
    assert reached(touch.extent) == [3]
    assert not touch.is_append
    assert lake.sql("SELECT content FROM lake.ext.orders.all_delete_files") == [(2,)]


def test_deletes_by_values_of_other_columns_may_have_changed_any_time(lake: Lake, orders: SourceTable) -> None:
    since = position(lake)
    delete_equal(lake, {"id": 2})

    touch = newest(lake, orders, since)

    assert touch.extent == Everything()
    assert lake.sql("SELECT id FROM lake.ext.orders ORDER BY id") == [(1,), (3,), (4,)]


def test_rows_are_read_without_those_that_are_deleted_aside(lake: Lake, orders: SourceTable) -> None:
    lake.sql("DELETE FROM lake.ext.orders WHERE id = 1")
    delete_equal(lake, {"id": 2})
    tables = lake.warehouse._tables
    pin = Pin(input=TableName("ext.orders"), position=position(lake))
    rows = iceberg.read(orders, Sources(lake.settings, tables), lake.spark, pin, None).frame

    assert sorted(row.id for row in rows.collect()) == [3, 4]


def test_a_delete_that_names_a_file_which_is_gone_may_have_changed_anything(lake: Lake, orders: SourceTable) -> None:
    since = position(lake)
    lake.sql("DELETE FROM lake.ext.orders WHERE id = 2")
    for file in (lake.folder / "warehouse" / "ext" / "orders" / "data").glob("*-deletes.parquet"):
        file.unlink()

    assert newest(lake, orders, since).extent == Everything()
