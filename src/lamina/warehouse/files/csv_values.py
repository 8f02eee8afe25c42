"""The columns of CSV files that declare none, from their values: what Spark would take from each file alone."""

import csv
from pathlib import Path

from lamina.project.source import SourceTable
from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType, Schema
from lamina.warehouse.files.csv_files import is_plain, opened, separator_of
from lamina.warehouse.files.json_values import EXACT
from lamina.warehouse.files.partition_folders import kind_of

# Python's reader is not asked about such files: Spark unpacks them.
COMPRESSED = (".gz", ".bz2", ".zst", ".lz4", ".snappy", ".deflate")
_NUMBERS = ("int", "bigint", "decimal", "double")  # each holds the values of those before it, or nearly so


def can_read(source: SourceTable) -> bool:
    """Say whether the values are written as they are without options of the source, below a header."""
    return {key.lower() for key in source.options} <= {"sep", "delimiter"} and is_plain(source)


def read_csv(path: Path, source: SourceTable) -> Schema:
    """Return the columns of a file; `int` is a whole number that a double holds exactly."""
    if path.suffix in COMPRESSED:
        raise ValueError("it is compressed")
    with opened(path) as file:
        rows = csv.reader(file, delimiter=separator_of(source))
        header = next((row for row in rows if row), [])
        kinds: list[set[str]] = [set() for _ in header]
        for row in rows:
            for found, value in zip(kinds, row, strict=False):
                if value and "string" not in found:
                    found.add(_kind(value))
    return tuple(Column(name=ColumnName(name), type=_common(found)) for name, found in zip(header, kinds, strict=True))


def _kind(value: str) -> str:
    if value.lower() in ("true", "false"):
        return "boolean"
    kind = kind_of(value)
    return "int" if kind == "bigint" and abs(int(value)) <= EXACT else kind


def _common(kinds: set[str]) -> DataType:
    if not kinds:
        return DataType("void")
    if kinds <= set(_NUMBERS):
        kind = max(kinds, key=_NUMBERS.index)
        return DataType("decimal(38,0)" if kind == "decimal" else kind)
    if kinds <= {"date", "timestamp"}:
        return DataType("timestamp" if "timestamp" in kinds else "date")
    return DataType(kinds.pop() if len(kinds) == 1 else "string")
