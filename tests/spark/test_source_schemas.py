"""Columns read from footers and folders are those Spark reads."""

from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.spark.lake import Lake

from lamina.project.source import SourceTable
from lamina.values.names import SourceName
from lamina.warehouse.schemas import KnownSchema
from lamina.warehouse.sources.file_types import FilesDisagree
from lamina.warehouse.sources.kinds import source_schema

pytestmark = pytest.mark.spark


def assert_agrees(spark: Any, root: Path) -> None:
    source = SourceTable(name=SourceName("raw.data"), type="files", location="data")
    answer = source_schema(source, root, pointers=dict)
    assert isinstance(answer, KnownSchema), answer
    theirs = spark.read.option("mergeSchema", "true").parquet(str(root / "data")).schema
    assert [(item.name, item.type, item.nullable) for item in answer.columns] == [
        (field.name, field.dataType.simpleString(), field.nullable) for field in theirs
    ]


def test_foreign_files_agree(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    table = pa.table(
        {
            "tiny": pa.array([1], pa.int8()),
            "unsigned_tiny": pa.array([1], pa.uint8()),
            "unsigned": pa.array([1], pa.uint32()),
            "huge": pa.array([1], pa.uint64()),
            "text": pa.array(["x"], pa.large_string()),
            "word": pa.array(["x"]).dictionary_encode(),
            "amount": pa.array([Decimal("1.50")], pa.decimal128(25, 3)),
            "at": pa.array([datetime(2024, 1, 1)], pa.timestamp("us", "Europe/Stockholm")),
            "local_at": pa.array([datetime(2024, 1, 1)], pa.timestamp("ms")),
            "day": pa.array([date(2024, 1, 1)]),
            "single": pa.array([1.5], pa.float32()),
            "flag": pa.array([True]),
            "bytes": pa.array([b"x"]),
            "lists": pa.array([[[1]]], pa.list_(pa.list_(pa.int16()))),
            "map": pa.array([[("a", {"b": 1})]], pa.map_(pa.string(), pa.struct([("b", pa.int32())]))),
        }
    )
    pq.write_table(table, tmp_path / "data" / "a.parquet")
    pq.write_table(table.append_column("added", pa.array([1])), tmp_path / "data" / "b.parquet")
    assert_agrees(spark, tmp_path)


def test_old_timestamps_agree(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    table = pa.table({"at": pa.array([datetime(2024, 1, 1)], pa.timestamp("us"))})
    pq.write_table(table, tmp_path / "data" / "a.parquet", use_deprecated_int96_timestamps=True)
    assert_agrees(spark, tmp_path)


def test_spark_files_agree(spark: Any, tmp_path: Path) -> None:
    query = (
        "SELECT 1Y AS a, 1.50 AS b, timestamp '2024-01-01' AS c, timestamp_ntz '2024-01-01' AS d, interval 1 day AS e,"
        " interval 1 month AS f, named_struct('x', array(map('k', 1L))) AS g, cast('x' AS varchar(5)) AS h"
    )
    spark.sql(query).write.parquet(str(tmp_path / "data"))
    assert_agrees(spark, tmp_path)


@pytest.mark.parametrize(
    "values",
    [
        ["1", "2"],
        ["1", "3000000000"],
        ["1", "2.5"],
        ["007", "8"],
        ["-5", "+6"],
        ["2024-01-01", "2024-02-29"],
        ["2024-01-01", "2023-02-29"],
        ["2024-1-1"],
        ["2024-01-01", "1"],
        ["2024-01-01 10%3A00%3A00"],
        ["2024-01-01", "2024-01-01 10%3A00%3A00"],
        ["1", "a"],
        ["1", "__HIVE_DEFAULT_PARTITION__"],
        ["99999999999999999999"],
        ["1", "99999999999999999999"],
        ["1e5"],
        ["true"],
        ["20240101"],
        ["1.0d"],
        ["1.5e3", "2"],
        ["1e-5"],
        ["NaN"],
        ["a%20b"],
    ],
)
def test_folder_columns_agree(spark: Any, tmp_path: Path, values: list[str]) -> None:
    for value in values:
        folder = tmp_path / "data" / f"key={value}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"id": [1]}), folder / "a.parquet")
    assert_agrees(spark, tmp_path)


def test_files_that_disagree_are_named_when_they_are_read(lake: Lake) -> None:
    folder = lake.folder / "raw" / "orders"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"id": pa.array([1])}), folder / "a.parquet")
    pq.write_table(pa.table({"id": pa.array(["1"])}), folder / "b.parquet")
    lake.add_source("raw.orders")
    model = lake.add_model("sales.orders", "SELECT id FROM raw.orders", inputs=("raw.orders",))

    with pytest.raises(FilesDisagree) as caught:
        lake.stage(model)

    assert (caught.value.code, caught.value.kind) == ("L631", "data_rejected")
    assert "`id` is bigint in `a.parquet` and string in `b.parquet`" in caught.value.message
    assert caught.value.hint == "write the files again with one type, or declare `columns` for the table"


def test_files_that_spark_can_read_together_are_read(lake: Lake) -> None:
    folder = lake.folder / "raw" / "orders"
    folder.mkdir(parents=True)
    pq.write_table(pa.table({"at": pa.array([{"x": 1}])}), folder / "a.parquet")
    pq.write_table(pa.table({"at": pa.array([{"x": 1, "y": 2}])}), folder / "b.parquet")
    lake.add_source("raw.orders")
    model = lake.add_model("sales.orders", "SELECT at.x AS x, at.y AS y FROM raw.orders", inputs=("raw.orders",))

    lake.build(model)

    assert lake.sql("SELECT x, y FROM lake.sales.orders ORDER BY y") == [(1, None), (1, 2)]
