"""Parquet: footers in Spark's words, as Spark itself left them or as the types spell them, and bounds of times."""

import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamina.project.source import SourceTable
from lamina.values.names import ColumnName
from lamina.values.schema import UNKNOWN, Column, DataType, Schema, parse_type
from lamina.warehouse.files.file_format import FileFormat, Ranges
from lamina.warehouse.files.time_ranges import FEW_UNITS, ranges_of, span_of

if TYPE_CHECKING:
    import pyarrow
    from pyarrow.parquet import ColumnSchema, FileMetaData

_SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"


def read_footer(path: Path) -> Schema:
    """Return the columns of one file; Spark takes every column of a file to be nullable."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        written = (file.metadata.metadata or {}).get(_SPARK_SCHEMA)
        if written is not None:
            return _schema_of_spark(json.loads(written))
        return _schema_of_types(file.metadata, file.schema_arrow)


def _rows(path: Path) -> int:
    from pyarrow.parquet import read_metadata

    return int(read_metadata(path).num_rows)


def _schema_of_spark(document: dict[str, Any]) -> Schema:
    return tuple(
        Column(name=ColumnName(field["name"]), type=_known(type_of_spark_json(field["type"])))
        for field in document["fields"]
    )


def type_of_spark_json(kind: Any) -> DataType:
    """Return a type from the JSON that Spark writes for it.

    >>> type_of_spark_json({"type": "array", "elementType": "long", "containsNull": True})
    'array<bigint>'
    """
    if isinstance(kind, str):
        return parse_type(kind) or UNKNOWN
    match kind["type"]:
        case "array":
            return DataType(f"array<{type_of_spark_json(kind['elementType'])}>")
        case "map":
            return DataType(f"map<{type_of_spark_json(kind['keyType'])},{type_of_spark_json(kind['valueType'])}>")
        case "struct":
            fields = [f"{field['name']}:{type_of_spark_json(field['type'])}" for field in kind["fields"]]
            return DataType(f"struct<{','.join(fields)}>")
        case _:
            return UNKNOWN


def _schema_of_types(metadata: "FileMetaData", shape: "pyarrow.Schema") -> Schema:
    """Take the nesting from Arrow's view of the file and every leaf from the file's own types, which say more."""
    leaves = iter([_leaf_type(metadata.schema.column(at)) for at in range(metadata.num_columns)])
    return tuple(Column(name=ColumnName(field.name), type=_nested(field.type, leaves)) for field in shape)


def _nested(kind: "pyarrow.DataType", leaves: Any) -> DataType:
    from pyarrow import types

    if types.is_map(kind):
        key = _nested(kind.key_type, leaves)
        return _known(f"map<{key},{_nested(kind.item_type, leaves)}>")
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _known(f"array<{_nested(kind.value_type, leaves)}>")
    if types.is_struct(kind):
        return _known(f"struct<{','.join(f'{field.name}:{_nested(field.type, leaves)}' for field in kind)}>")
    leaf: DataType = next(leaves)
    return leaf


def _known(text: str) -> DataType:
    """A nested type with an unknown part, or a name that no type can be read with, is unknown as a whole."""
    return parse_type(text) or UNKNOWN


_PLAIN = {
    "BOOLEAN": "boolean",
    "INT32": "int",
    "INT64": "bigint",
    "INT96": "timestamp",
    "FLOAT": "float",
    "DOUBLE": "double",
    "BYTE_ARRAY": "binary",
    "FIXED_LEN_BYTE_ARRAY": "binary",
}
# An unsigned number needs the next larger signed type.
_INTEGERS = {
    (8, True): "tinyint",
    (16, True): "smallint",
    (32, True): "int",
    (64, True): "bigint",
    (8, False): "smallint",
    (16, False): "int",
    (32, False): "bigint",
    (64, False): "decimal(20,0)",
}


def _leaf_type(column: "ColumnSchema") -> DataType:
    logical = json.loads(column.logical_type.to_json())
    match logical["Type"].upper():
        case "NONE" | "UNDEFINED":
            return DataType(_PLAIN.get(column.physical_type, UNKNOWN))
        case "NULL":
            return DataType("void")  # as pandas writes a column without values
        case "STRING" | "ENUM" | "JSON":
            return DataType("string")
        case "BSON":
            return DataType("binary")
        case "DATE":
            return DataType("date")
        case "DECIMAL":
            return DataType(f"decimal({logical['precision']},{logical['scale']})")
        case "INT":
            return DataType(_INTEGERS.get((logical["bitWidth"], logical["isSigned"]), UNKNOWN))
        case "TIMESTAMP" if logical["timeUnit"] in ("milliseconds", "microseconds"):
            return DataType("timestamp" if logical["isAdjustedToUTC"] else "timestamp_ntz")
        case _:
            return UNKNOWN


def parquet_ranges(path: Path, column: str) -> Ranges:
    """Return the times of a column in a Parquet file, or None if it has no such column of times, or is gone."""
    import pyarrow.parquet

    if not path.is_file():
        return None
    with suppress(OverflowError), pyarrow.parquet.ParquetFile(path) as file:
        if column not in file.schema_arrow.names or not _is_time(file.schema_arrow.field(column).type):
            return None
        bounds = _footer_bounds(file, column)
        if bounds is not None:
            span = span_of(*bounds)
            if span.end - span.start <= FEW_UNITS:
                return (span,)
        return ranges_of(file.read(columns=[column]).column(0))
    return None  # a time outside of Python's calendar


def _is_time(kind: "pyarrow.DataType") -> bool:
    import pyarrow

    return bool(pyarrow.types.is_date(kind) or pyarrow.types.is_timestamp(kind))


def _footer_bounds(file: Any, column: str) -> tuple[Any, Any] | None:
    """Return the least and greatest value, if the footer has them for every row group."""
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    chunks = [
        chunk
        for group in groups
        for chunk in (group.column(place) for place in range(group.num_columns))
        if chunk.path_in_schema == column and group.num_rows
    ]
    known = [chunk.statistics for chunk in chunks if chunk.statistics is not None and chunk.statistics.has_min_max]
    if not known or len(known) != len(chunks):
        return None
    return min(item.min for item in known), max(item.max for item in known)


def _options(source: SourceTable) -> dict[str, str]:
    return {} if source.columns else {"mergeSchema": "true"}


PARQUET = FileFormat(
    code=__file__,
    columns=lambda path, _: read_footer(path),
    rows=_rows,
    ranges=lambda path, _, column: parquet_ranges(path, column),
    range_types=frozenset({"date", "timestamp", "timestamp_ntz"}),
    options=_options,
    has_empty_columns=True,
)
