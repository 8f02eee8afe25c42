"""Pinned inputs: a version, exactly these files, or only what was appended."""

import os
from pathlib import Path

import pytest
from tests.rewriting import move_ctime, rewrite
from tests.spark.lake import Lake, day

from lamina.project.strategy import Incremental, TimeInterval
from lamina.values.batch import Pin
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.schema import Column, DataType
from lamina.values.touch import Everything, Nothing, Ranges
from lamina.warehouse.failure import NotAppended, WarehouseFailure
from lamina.warehouse.files.manifest import SourceChanged
from lamina.warehouse.iceberg.versions import VersionGone

pytestmark = pytest.mark.spark

RAW = TableName("raw.orders")


def test_files_that_came_after_the_pin_are_not_read(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="id bigint", format="csv")
    lake.write_csv("raw/orders/a.csv", "id\n1\n")
    model = lake.add_model("i.t", "SELECT id FROM raw.orders", inputs=("raw.orders",))
    pins = lake.pins(model)
    lake.write_csv("raw/orders/b.csv", "id\n2\n")

    lake.build(model, pins=pins)

    assert lake.sql("SELECT id FROM lake.i.t") == [(1,)]


def test_only_appended_files_are_read(lake: Lake) -> None:
    source = lake.add_source("raw.orders", columns="id bigint, ts timestamp", format="csv")
    lake.write_csv("raw/orders/a.csv", "id,ts\n1,2026-01-01T00:00:00Z\n")
    model = lake.add_model(
        "i.t",
        "SELECT id FROM raw.orders",
        inputs=("raw.orders",),
        strategy=Incremental(timestamp_column=ColumnName("ts")),
    )
    (first,) = lake.pins(model)
    lake.build(model)
    lake.write_csv("raw/orders/b.csv", "id,ts\n2,2026-01-02T00:00:00.5Z\n")
    (second,) = lake.pins(model)

    staged = lake.build(model, "append", pins=(second.replace(since=first.position),))

    assert lake.sql("SELECT id FROM lake.i.t ORDER BY id") == [(1,), (2,)]
    assert staged.watermark == "2026-01-02T00:00:00.5Z"
    Path(lake.folder, source.location, "a.csv").unlink()
    (third,) = lake.pins(model)
    with pytest.raises(NotAppended):
        lake.stage(model, "append", pins=(third.replace(since=first.position),))


def test_file_that_changes_under_a_batch_keeps_it_from_being_published(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="id bigint", format="csv")
    lake.write_csv("raw/orders/a.csv", "id\n1\n")
    file = lake.folder / "raw/orders/a.csv"
    model = lake.add_model("i.t", "SELECT id FROM raw.orders", inputs=("raw.orders",))
    staged = lake.stage(model)
    move_ctime(file)
    lake.publish(staged)
    for data, modified_ns in ((b"id\n2\n", file.stat().st_mtime_ns), (b"id\n3\n", 1)):
        staged = lake.stage(model)
        rewrite(file, data)
        os.utime(file, ns=(1, modified_ns))
        with pytest.raises(SourceChanged):
            lake.publish(staged)

    assert lake.sql("SELECT id FROM lake.i.t") == [(1,)]


@pytest.mark.parametrize(
    ("format", "content"),
    [("csv", "id\nmany\n"), ("csv", "other\n1\n"), ("json", '{"id": "many"}\n'), ("parquet", "no parquet")],
)
def test_file_against_the_declared_columns_is_rejected_data(lake: Lake, format: str, content: str) -> None:
    lake.add_source("raw.orders", columns="id bigint", format=format)
    lake.write_csv("raw/orders/a", content)
    model = lake.add_model("i.t", "SELECT id FROM raw.orders", inputs=("raw.orders",))

    with pytest.raises(WarehouseFailure) as caught:
        lake.stage(model)

    assert caught.value.kind == "data_rejected", caught.value
    assert "\n" not in caught.value.message


def test_folder_without_files_is_a_table_without_rows(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="id bigint", format="parquet")
    (lake.folder / "raw/orders").mkdir(parents=True)
    model = lake.add_model("i.t", "SELECT id FROM raw.orders", inputs=("raw.orders",))

    assert lake.build(model).counts.written == 0
    assert lake.sql("SELECT * FROM lake.i.t") == []


def test_folder_without_files_needs_declared_columns(lake: Lake) -> None:
    lake.add_source("raw.orders", format="parquet")
    (lake.folder / "raw/orders").mkdir(parents=True)
    model = lake.add_model("i.t", "SELECT id FROM raw.orders", inputs=("raw.orders",))

    with pytest.raises(WarehouseFailure) as caught:
        lake.stage(model)

    assert (caught.value.code, caught.value.kind) == ("L622", "not_found")
    assert caught.value.hint == "declare `columns` for `raw.orders`, or put files there"


def test_columns_of_partition_folders_are_read(lake: Lake) -> None:
    lake.add_source("raw.orders", format="csv")
    lake.write_csv("raw/orders/d=2026-01-01/a.csv", "id\n1\n")
    lake.write_csv("raw/orders/d=2026-01-02/a.csv", "id\n2\n")
    model = lake.add_model("i.t", "SELECT id, d FROM raw.orders", inputs=("raw.orders",))

    lake.build(model)

    assert [(row[0], str(row[1])) for row in lake.sql("SELECT * FROM lake.i.t ORDER BY id")] == [
        (1, "2026-01-01"),
        (2, "2026-01-02"),
    ]


def test_table_is_read_at_its_pinned_version(lake: Lake) -> None:
    upstream = lake.add_model("i.up", "SELECT id FROM range(2)")
    lake.build(upstream)
    model = lake.add_model("i.t", "SELECT id FROM i.up", inputs=("i.up",))
    pins = lake.pins(model)
    lake.build(lake.add_model("i.up", "SELECT id FROM range(5)"))

    staged = lake.build(model, pins=pins)

    assert lake.sql("SELECT count(*) FROM lake.i.t") == [(2,)]
    assert staged.counts.read == 2
    with pytest.raises(VersionGone):
        lake.stage(model, pins=(Pin(input=TableName("i.up"), position=Position("42")),))


def test_appends_compaction_and_deletes_of_a_foreign_table_are_distinguished(lake: Lake) -> None:
    lake.sql("CREATE NAMESPACE lake.ext")
    lake.sql("CREATE TABLE lake.ext.orders (id INT, ts TIMESTAMP) USING iceberg")
    lake.sql("INSERT INTO lake.ext.orders VALUES (1, TIMESTAMP '2026-01-01 10:00:00')")
    source = lake.add_source("raw.orders", type="iceberg", location="ext.orders")
    column = ColumnName("ts")
    since = lake.warehouse.source_heads([source])[RAW].position or Position("")
    lake.sql("INSERT INTO lake.ext.orders VALUES (2, TIMESTAMP '2026-01-02 10:00:00')")
    lake.sql("CALL lake.system.rewrite_data_files(table => 'ext.orders', options => map('min-input-files', '2'))")
    lake.sql("DELETE FROM lake.ext.orders WHERE id = 1")

    appended, compacted, deleted = lake.warehouse.changes(source, since, columns=(column,))

    assert appended.is_append
    assert isinstance(appended.extent, Ranges)
    assert appended.extent.columns[0].ranges[0].start == day(2).start.replace(hour=10)
    assert compacted.extent == Nothing()
    assert not deleted.is_append
    assert isinstance(deleted.extent, Ranges)
    assert deleted.extent.columns[0].ranges[0].start == day(1).start.replace(hour=10)
    (unknown,) = lake.warehouse.changes(source, Position("42"), columns=(column,))
    assert unknown.extent == Everything()
    model = lake.add_model("i.t", "SELECT id FROM raw.orders", inputs=("raw.orders",))
    feed = Pin(input=RAW, position=appended.position, since=since)
    lake.build(model, pins=(feed,))
    assert lake.sql("SELECT * FROM lake.i.t") == [(2,)]
    with pytest.raises(NotAppended):
        lake.stage(model, "append", pins=(Pin(input=RAW, position=deleted.position, since=since),))


def test_python_model_reads_its_inputs_filtered_to_the_batch(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="id int, ts timestamp", format="csv", time_column=ColumnName("ts"))
    lake.write_csv("raw/orders/a.csv", "id,ts\n1,2026-01-01T00:00:00Z\n2,2026-01-02T00:00:00Z\n")
    model = lake.add_model(
        "i.t",
        "def model(ctx):\n"
        "    whole = ctx.table('raw.orders', whole=True).count()\n"
        "    return ctx.table('raw.orders').selectExpr('id', 'ts', f'{whole} AS n', f\"'{ctx.run_id}' AS run\")\n",
        kind="python",
        inputs=("raw.orders",),
        strategy=TimeInterval(time_column=ColumnName("ts")),
    )

    lake.build(model, "replace_slices", slices=(day(2),), parameters={"run_id": "run-7"})

    assert lake.sql("SELECT id, n, run FROM lake.i.t") == [(2, 2, "run-7")]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = 1", "no function `model`"),
        ("def model(ctx):\n    return 1", "returned int"),
        ("def model(ctx):\n    return ctx.table('a.b')", "has no .depends_on"),
        ("def model(ctx):\n    return 1 / 0", "ZeroDivisionError"),
        ("def model(ctx)", "SyntaxError"),
    ],
)
def test_python_model_that_is_none_says_why(lake: Lake, text: str, said: str) -> None:
    model = lake.add_model("i.t", text, kind="python")

    with pytest.raises(WarehouseFailure, match=said) as caught:
        lake.stage(model)

    assert caught.value.kind == "query_rejected"


def test_seed_has_its_fixed_types(lake: Lake) -> None:
    text = 'id,name,since\n1,"a, b",2026-01-01\n2,,\n'
    lake.build(lake.add_model("i.t", text, kind="seed", columns="id bigint, name string, since date"))

    assert [(row[0], row[1], str(row[2])) for row in lake.sql("SELECT * FROM lake.i.t ORDER BY id")] == [
        (1, "a, b", "2026-01-01"),
        (2, None, "None"),
    ]
    with pytest.raises(WarehouseFailure) as caught:
        lake.stage(lake.add_model("i.t", "id\nmany\n", kind="seed", columns="id bigint"))
    assert caught.value.kind == "data_rejected"


def test_declared_types_are_those_of_the_table(lake: Lake) -> None:
    declared = (Column(name=ColumnName("id"), type=DataType("bigint")),)
    lake.add_source("raw.orders", columns="id bigint", format="json")
    lake.write_csv("raw/orders/a.json", '{"id": 5000000000, "more": true}\n')
    model = lake.add_model("i.t", "SELECT * FROM raw.orders", inputs=("raw.orders",))

    assert lake.build(model).columns == declared
