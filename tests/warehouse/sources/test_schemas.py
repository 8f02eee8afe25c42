"""Columns of source tables without a JVM."""

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lamina.project.source import SourceTable
from lamina.values.names import ColumnName, SourceName, TableName
from lamina.values.schema import Column, DataType
from lamina.warehouse.files.partition_folders import partition_columns
from lamina.warehouse.files.widest import widest
from lamina.warehouse.schemas import ConflictingSchema, KnownSchema, SchemaAnswer, UnknownSchema
from lamina.warehouse.sources.kinds import source_schema


def read(root: Path, *, format: Literal["parquet", "csv", "json"] = "parquet") -> SchemaAnswer:
    source = SourceTable(name=SourceName("raw.orders"), type="files", location="orders", format=format)
    return source_schema(source, root, pointers=dict)


def write(path: Path, columns: dict[str, pa.Array]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)


def types_of(answer: SchemaAnswer) -> dict[str, str]:
    assert isinstance(answer, KnownSchema), answer
    return {column.name: column.type for column in answer.columns}


def test_declared_columns_win_over_every_file(tmp_path: Path) -> None:
    columns = (Column(name=ColumnName("id"), type=DataType("bigint"), nullable=False),)
    source = SourceTable(name=SourceName("raw.orders"), type="files", location="nowhere", columns=columns)
    assert source_schema(source, tmp_path, pointers=dict) == KnownSchema(columns=columns)


def test_a_footer_gives_spark_types(tmp_path: Path) -> None:
    now = datetime(2024, 1, 1, tzinfo=UTC)
    write(
        tmp_path / "orders" / "part-0.parquet",
        {
            "id": pa.array([1], pa.int64()),
            "tiny": pa.array([1], pa.int8()),
            "unsigned": pa.array([1], pa.uint64()),
            "amount": pa.array([Decimal("1.50")], pa.decimal128(10, 2)),
            "at": pa.array([now], pa.timestamp("us", "UTC")),
            "local_at": pa.array([now.replace(tzinfo=None)], pa.timestamp("ms")),
            "exact_at": pa.array([now.replace(tzinfo=None)], pa.timestamp("ns")),
            "day": pa.array([now.date()]),
            "tags": pa.array([["a"]]),
            "scores": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int32())),
            "point": pa.array([{"x": 1.5, "y": [{"z": b"a"}]}]),
        },
    )
    assert types_of(read(tmp_path)) == {
        "id": "bigint",
        "tiny": "tinyint",
        "unsigned": "decimal(20,0)",
        "amount": "decimal(10,2)",
        "at": "timestamp",
        "local_at": "timestamp_ntz",
        "exact_at": "unknown",
        "day": "date",
        "tags": "array<string>",
        "scores": "map<string,int>",
        "point": "struct<x:double,y:array<struct<z:binary>>>",
    }


def test_the_schema_that_spark_left_in_a_file_wins(tmp_path: Path) -> None:
    fields = [{"name": "wait", "type": "interval day to second", "nullable": False, "metadata": {}}]
    schema = pa.schema([pa.field("wait", pa.int64())]).with_metadata(
        {"org.apache.spark.sql.parquet.row.metadata": json.dumps({"type": "struct", "fields": fields})}
    )
    (tmp_path / "orders").mkdir()
    pq.write_table(pa.table({"wait": [1]}, schema=schema), tmp_path / "orders" / "a.parquet")
    answer = read(tmp_path)
    assert types_of(answer) == {"wait": "interval day to second"}
    assert isinstance(answer, KnownSchema)
    assert answer.columns[0].nullable


def test_old_timestamps_are_timestamps(tmp_path: Path) -> None:
    (tmp_path / "orders").mkdir()
    table = pa.table({"at": pa.array([datetime(2024, 1, 1)], pa.timestamp("us"))})
    pq.write_table(table, tmp_path / "orders" / "a.parquet", use_deprecated_int96_timestamps=True)
    assert types_of(read(tmp_path)) == {"at": "timestamp"}


def test_columns_of_all_files_are_joined(tmp_path: Path) -> None:
    write(tmp_path / "orders" / "a.parquet", {"id": pa.array([1])})
    write(tmp_path / "orders" / "b.parquet", {"id": pa.array([1]), "note": pa.array(["x"])})
    (tmp_path / "orders" / "_SUCCESS").write_text("")
    assert types_of(read(tmp_path)) == {"id": "bigint", "note": "string"}


def test_files_that_disagree_are_named(tmp_path: Path) -> None:
    write(tmp_path / "orders" / "a.parquet", {"id": pa.array([1])})
    write(tmp_path / "orders" / "b.parquet", {"id": pa.array(["1"])})
    answer = read(tmp_path)
    assert answer == ConflictingSchema(
        column="id", types=(DataType("bigint"), DataType("string")), files=("a.parquet", "b.parquet")
    )
    assert isinstance(answer, ConflictingSchema)
    assert answer.reason == "column `id` is bigint in `a.parquet` and string in `b.parquet`"


def test_types_that_fit_become_the_widest_of_them(tmp_path: Path) -> None:
    write(tmp_path / "orders" / "a.parquet", {"id": pa.array([1], pa.int32()), "v": pa.array([1.5], pa.float32())})
    write(tmp_path / "orders" / "b.parquet", {"id": pa.array([1], pa.int64()), "v": pa.array([1], pa.int16())})
    assert types_of(read(tmp_path)) == {"id": "bigint", "v": "double"}


def test_the_files_that_are_named_are_those_that_do_not_fit(tmp_path: Path) -> None:
    write(tmp_path / "orders" / "a.parquet", {"id": pa.array([1], pa.int32())})
    write(tmp_path / "orders" / "b.parquet", {"id": pa.array([1.5])})
    write(tmp_path / "orders" / "c.parquet", {"id": pa.array([1], pa.int64())})
    answer = read(tmp_path)
    assert isinstance(answer, ConflictingSchema)
    assert answer.reason == "column `id` is double in `b.parquet` and bigint in `c.parquet`"


@pytest.mark.parametrize(
    ("left", "right", "both"),
    [
        ("tinyint", "int", "int"),
        ("bigint", "double", None),
        ("int", "string", None),
        ("date", "timestamp", None),
        ("smallint", "decimal(4,2)", "decimal(12,2)"),
        ("decimal(38,0)", "decimal(38,10)", None),
        ("void", "string", "string"),
        ("map<string,int>", "map<string,bigint>", "map<string,bigint>"),
        ("array<int>", "array<string>", None),
        ("struct<a:int>", "struct<A:bigint,b:string>", "struct<a:bigint,b:string>"),
        ("struct<a:int>", "array<int>", None),
    ],
)
def test_the_widest_type_holds_every_value_of_both(left: str, right: str, both: str | None) -> None:
    assert widest(DataType(left), DataType(right)) == both
    if both is None or "struct" not in both:
        assert widest(DataType(right), DataType(left)) == both


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2"], "int"),
        (["1", "3000000000"], "bigint"),
        (["1", "2.5"], "double"),
        (["2024-01-01", "2024-01-02"], "date"),
        (["2024-01-01", "2024-13-01"], "string"),
        (["2024-01-01 10%3A00%3A00"], "timestamp"),
        (["1", "a"], "string"),
        (["1", "__HIVE_DEFAULT_PARTITION__"], "int"),
        (["__HIVE_DEFAULT_PARTITION__"], "string"),
        (["99999999999999999999"], "decimal(20,0)"),
    ],
)
def test_folder_values_have_the_type_that_holds_them_all(values: list[str], kind: str) -> None:
    (column,) = partition_columns(f"key={value}/a.parquet" for value in values)
    assert (column.name, column.type, column.nullable) == ("key", kind, True)


def test_folders_add_columns_after_the_data(tmp_path: Path) -> None:
    write(tmp_path / "orders" / "year=2024" / "day=2024-01-01" / "a.parquet", {"id": pa.array([1])})
    write(tmp_path / "orders" / "year=2024" / "day=2024-01-02" / "a.parquet", {"id": pa.array([1])})
    assert list(types_of(read(tmp_path)).items()) == [("id", "bigint"), ("year", "int"), ("day", "date")]


@pytest.mark.parametrize("format", ["csv", "json"])
def test_files_without_types_ask_for_declared_columns(tmp_path: Path, format: Literal["csv", "json"]) -> None:
    answer = read(tmp_path, format=format)
    assert isinstance(answer, UnknownSchema)
    assert answer.hint == "declare `columns` for `raw.orders`"


def test_missing_empty_and_broken_folders_are_answered(tmp_path: Path) -> None:
    missing = read(tmp_path)
    (tmp_path / "orders").mkdir()
    empty = read(tmp_path)
    (tmp_path / "orders" / "a.parquet").write_bytes(b"PAR1 is not a whole file")
    broken = read(tmp_path)
    for answer, part in ((missing, "does not exist"), (empty, "no files"), (broken, "`a.parquet` cannot be read")):
        assert isinstance(answer, UnknownSchema)
        assert part in answer.reason


def test_iceberg_columns_come_from_the_metadata_the_catalog_points_at(tmp_path: Path) -> None:
    fields = [
        {"id": 1, "name": "id", "required": True, "type": "long"},
        {"id": 2, "name": "at", "required": False, "type": "timestamptz"},
        {"id": 3, "name": "tags", "required": False, "type": {"type": "list", "element": "string", "element-id": 4}},
    ]
    metadata = {
        "format-version": 2,
        "location": str(tmp_path),
        "schemas": [{"schema-id": 0, "type": "struct", "fields": fields}],
        "current-schema-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "default-spec-id": 0,
        "sort-orders": [{"order-id": 0, "fields": []}],
        "default-sort-order-id": 0,
        "properties": {},
        "snapshots": [],
    }
    path = tmp_path / "v1.metadata.json"
    path.write_text(json.dumps(metadata))
    source = SourceTable(name=SourceName("raw.orders"), type="iceberg", location="raw.orders")
    answer = source_schema(source, tmp_path, pointers=lambda: {TableName("raw.orders"): f"file:{path}"})
    assert types_of(answer) == {"id": "bigint", "at": "timestamp", "tags": "array<string>"}
    assert isinstance(answer, KnownSchema)
    assert [column.nullable for column in answer.columns] == [False, True, True]


def test_an_iceberg_table_that_is_not_there_is_unknown(tmp_path: Path) -> None:
    source = SourceTable(name=SourceName("raw.orders"), type="iceberg", location="raw.orders")
    for known in ({}, {TableName("raw.orders"): f"file:{tmp_path}/gone.json"}):
        assert isinstance(source_schema(source, tmp_path, pointers=known.copy), UnknownSchema)
