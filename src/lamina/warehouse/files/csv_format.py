"""CSV: columns from the values, as Spark would take them from each file alone, and times by reading a column."""

import csv
from pathlib import Path

from lamina.project.source import SourceTable
from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType, Schema
from lamina.warehouse.files.csv_files import by_layout, is_plain, opened, separator_of
from lamina.warehouse.files.file_format import FileFormat, Ranges
from lamina.warehouse.files.json_format import EXACT
from lamina.warehouse.files.partition_folders import kind_of
from lamina.warehouse.files.time_ranges import ranges_of
from lamina.warehouse.files.widest import widest

# Doubled quotes are Spark's escape only if it is named; its own default is the backslash. Where columns are pruned, a
# row with too few or too many values is not noticed.
RFC_4180 = {"escape": '"', "header": "true", "columnPruning": "false"}
# Options of Spark's reader that say nothing about how times are written, or the same to both readers.
_PLAIN_OPTIONS = {"header", "sep", "delimiter"}
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


def _wider(left: DataType, right: DataType) -> DataType | None:
    """Return what holds both; text of a day is read as the time at which it begins."""
    return DataType("timestamp") if {left, right} == {"date", "timestamp"} else widest(left, right)


def _ranges(path: Path, source: SourceTable, column: str) -> Ranges:
    import pyarrow
    import pyarrow.csv

    if not set(source.options) <= _PLAIN_OPTIONS:
        return None
    has_header = source.options.get("header", "true") == "true"
    if not has_header and not source.columns:
        return None
    names = None if has_header else [item.name for item in source.columns]
    read = pyarrow.csv.ReadOptions(column_names=names)
    separator = source.options.get("sep") or source.options.get("delimiter") or ","
    kind = next((item.type for item in source.columns if item.name == column), None)
    known = {"date": pyarrow.date32(), "timestamp": None}.get(kind or "")
    convert = pyarrow.csv.ConvertOptions(
        include_columns=[column], column_types={column: known} if known else None, strings_can_be_null=True
    )
    parse = pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True)
    table = pyarrow.csv.read_csv(path, read_options=read, parse_options=parse, convert_options=convert)
    return ranges_of(table.column(0))


def _options(source: SourceTable) -> dict[str, str]:
    # Without `enforceSchema = false` Spark takes declared columns by place, whatever the header says.
    columns = {"enforceSchema": "false"} if source.columns else {"inferSchema": "true"}
    return {"mode": "FAILFAST"} | RFC_4180 | columns


CSV = FileFormat(
    code=__file__,
    columns=read_csv,
    ranges=_ranges,
    range_types=frozenset({"date", "timestamp"}),
    names_types=False,
    can_infer=can_read,
    wider=_wider,
    options=_options,
    reading=2,
    by_layout=by_layout,
)
