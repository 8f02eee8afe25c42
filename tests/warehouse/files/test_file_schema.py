"""Columns of files in every format: the widest type of all files, or the two that do not fit together."""

import gzip
import io
import json
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest
from pyarrow import orc

from lamina.project.source import SourceTable
from lamina.values.names import SourceName
from lamina.warehouse.avro import write_bytes, write_long
from lamina.warehouse.files.file_schema import files_schema
from lamina.warehouse.schemas import ConflictingSchema, KnownSchema, UnknownSchema

Format = Literal["parquet", "csv", "json", "orc", "avro"]


def source(kind: Format, **options: str) -> SourceTable:
    return SourceTable(name=SourceName("raw.data"), type="files", location="data", format=kind, options=options)


def said(root: Path, kind: Format, **options: str) -> dict[str, str] | str:
    answer = files_schema(source(kind, **options), root)
    if isinstance(answer, KnownSchema):
        return {column.name: column.type for column in answer.columns}
    return answer.reason


def write_orc(path: Path, values: Any) -> None:
    orc.write_table(pa.table({"v": values}), path)


def write_avro(path: Path, kind: Any) -> None:
    schema = {"type": "record", "name": "row", "fields": [{"name": "v", "type": kind}]}
    out = io.BytesIO()
    out.write(b"Obj\x01")
    write_long(out, 1)
    write_bytes(out, b"avro.schema")
    write_bytes(out, json.dumps(schema).encode())
    write_long(out, 0)
    out.write(b"s" * 16)
    path.write_bytes(out.getvalue())


def write_json(path: Path, values: list[Any]) -> None:
    path.write_text("".join(f"{json.dumps({'v': value})}\n" for value in values))


def write_csv(path: Path, values: list[str]) -> None:
    path.write_text("".join(f"{value}\n" for value in ["v", *values]))


WRITERS: dict[Format, Callable[[Path, Any], None]] = {
    "orc": write_orc,
    "avro": write_avro,
    "json": write_json,
    "csv": write_csv,
}

CASES: list[tuple[Format, Any, Any, str]] = [
    ("orc", pa.array([1], pa.int32()), pa.array([2], pa.int64()), "bigint"),
    ("orc", pa.array([1.5], pa.float32()), pa.array([2.5]), "double"),
    ("orc", pa.array([Decimal("1.5")]), pa.array([Decimal("2.55")]), "decimal(3,2)"),
    ("orc", pa.array([[1]], pa.list_(pa.int32())), pa.array([[2]]), "array<bigint>"),
    ("orc", pa.array([1]), pa.array(["x"]), "column `v` is bigint in `a` and string in `b`"),
    ("avro", "int", ["null", "long"], "bigint"),
    ("avro", "float", "double", "double"),
    ("avro", {"type": "int", "logicalType": "date"}, {"type": "int", "logicalType": "date"}, "date"),
    ("avro", {"type": "array", "items": "long"}, {"type": "array", "items": "long"}, "array<bigint>"),
    ("avro", "long", "string", "column `v` is bigint in `a` and string in `b`"),
    ("avro", ["string", "int"], ["string", "int"], "unknown"),
    ("json", [1], [5_000_000_000], "bigint"),
    ("json", [1, None], [2.5], "double"),
    ("json", [1, 2.5], [3], "double"),
    ("json", [None], ["x"], "string"),
    ("json", [{"b": 1, "a": [1]}], [{"a": [2.5], "c": None}], "struct<a:array<double>,b:bigint,c:string>"),
    ("json", [2**63], [1], "decimal(19,0)"),
    ("json", [2**53 + 1], [2.5], "column `v` is bigint in `a` and double in `b`"),
    ("json", [1], ["7"], "column `v` is bigint in `a` and string in `b`"),
    ("json", [1], [True], "column `v` is bigint in `a` and boolean in `b`"),
    ("json", [{"two words": 1}], [{"two words": 2}], "unknown"),
    ("csv", ["1"], ["2.5"], "double"),
    ("csv", ["2026-01-01"], ["2026-01-01 03:00:00"], "timestamp"),
    ("csv", ["", ""], ["x"], "string"),
    ("csv", ["1"], ["x"], "column `v` is int in `a` and string in `b`"),
    ("csv", ["true"], ["x"], "column `v` is boolean in `a` and string in `b`"),
]


@pytest.mark.parametrize(("kind", "first", "second", "expected"), CASES)
def test_files_have_the_widest_type_or_are_named(
    tmp_path: Path, kind: Format, first: Any, second: Any, expected: str
) -> None:
    (tmp_path / "data").mkdir()
    for name, values in (("a", first), ("b", second)):
        WRITERS[kind](tmp_path / "data" / name, values)

    found = said(tmp_path, kind)

    assert found == (expected if expected.startswith("column") else {"v": expected})
    assert said(tmp_path, kind) == found  # as it is kept


def test_a_type_without_a_name_comes_with_a_file_that_has_it(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    write_json(tmp_path / "data" / "a", [None])
    write_json(tmp_path / "data" / "b", [{"two words": 1}])
    answer = files_schema(source("json"), tmp_path)
    assert isinstance(answer, KnownSchema)
    assert answer.unnamed == {"v": "b"}


def test_compressed_and_nested_json_is_read(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.json.gz").write_bytes(gzip.compress(b'[{"z": 1}, {"a": "x"}]\n\n{"z": 2}\n'))
    assert said(tmp_path, "json") == {"a": "string", "z": "bigint"}


@pytest.mark.parametrize(
    ("kind", "content", "options"),
    [
        ("json", "not json", {}),
        ("json", "3", {}),
        ("orc", "ORC", {}),
        ("avro", "Obj", {}),
        ("json", '{"v": 1}', {"multiLine": "true"}),
        ("csv", "v\n1", {"nullValue": "-"}),
    ],
)
def test_what_is_not_known_is_left_to_spark(
    tmp_path: Path, kind: Format, content: str, options: dict[str, str]
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a").write_text(content)
    answer = files_schema(source(kind, **options), tmp_path)
    assert isinstance(answer, UnknownSchema)
    assert answer.file == ("" if options else "a")


def test_a_source_that_is_read_in_another_way_is_looked_at_again(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a").write_text("a;b\n1;x\n")
    assert said(tmp_path, "csv") == {"a;b": "string"}
    assert said(tmp_path, "csv", sep=";") == {"a": "int", "b": "string"}


def test_a_conflict_is_a_value(tmp_path: Path) -> None:
    declared = ConflictingSchema(column="v", types=("int", "bigint"), files=("", "b.orc"))  # type: ignore[arg-type]
    assert declared.reason == "column `v` is declared as int and bigint in `b.orc`"
