"""JSON: columns from the values, as Spark would take them from each file alone, and times by reading a column.

Only whole numbers are distinguished further: `int` is one that a double holds exactly, so that files with and without
fractions go together. `as_spark` turns it into the type that Spark has for both.
"""

import bz2
import gzip
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from lamina.compiler.types.spark_types import array_of, element_of, fields_of, struct_of
from lamina.project.source import SourceTable
from lamina.values import codec
from lamina.values.names import ColumnName
from lamina.values.schema import UNKNOWN, Column, DataType, Schema, parse_type
from lamina.warehouse.files.file_format import FileFormat, Ranges
from lamina.warehouse.files.time_ranges import ranges_of
from lamina.warehouse.files.widest import widest

if TYPE_CHECKING:
    import pyarrow

_WRITTEN_DATE = r"^\d{4}-\d{2}-\d{2}([ T]|$)"
EXACT = 2**53  # a double holds every whole number up to here
_LONG = 2**63

_NUMBERS = ("int", "bigint", "double")
_PLAIN = {bool: "boolean", float: "double", str: "string", type(None): "void"}


def read_json(path: Path) -> Schema:
    """Return the columns of a file with one value in each line, by name as Spark orders them."""
    kinds: dict[str, set[DataType]] = {}
    for record in _records(path):
        for name, value in record.items():
            kinds.setdefault(name, set()).add(_type_of(value))
    merged = {name: reduce(_together, sorted(found)) for name, found in kinds.items()}
    return tuple(Column(name=ColumnName(name), type=_spelled(merged[name])) for name in sorted(merged))


def as_spark(kind: DataType) -> DataType:
    """Return the type that Spark gives to values: it has one for whole numbers, and text where there were only nulls.

    >>> as_spark(DataType("struct<a:int,b:array<void>>"))
    'struct<a:bigint,b:array<string>>'
    """
    if (element := element_of(kind)) is not None:
        return array_of(as_spark(element))
    if (fields := fields_of(kind)) is not None:
        return struct_of([(name, as_spark(item)) for name, item in sorted(fields)])
    return DataType({"int": "bigint", "void": "string"}.get(kind, kind))


def _records(path: Path) -> Iterator[dict[str, Any]]:
    with _opened(path) as lines:
        for line in lines:
            if line.isspace():
                continue
            value = codec.from_json(line, Any)
            for record in value if isinstance(value, list) else (value,):
                if not isinstance(record, dict):
                    raise TypeError("a line is not an object")
                yield record


def _opened(path: Path) -> IO[bytes]:
    match path.suffix:
        case ".gz":
            return cast(IO[bytes], gzip.open(path, "rb"))
        case ".bz2":
            return cast(IO[bytes], bz2.open(path, "rb"))
        case _:
            return path.open("rb")


def _type_of(value: Any) -> DataType:
    plain = _PLAIN.get(type(value))
    if plain is not None:
        return DataType(plain)
    if isinstance(value, int):
        return _whole_number(abs(value))
    if isinstance(value, list):
        return array_of(reduce(_together, (_type_of(item) for item in value), DataType("void")))
    return struct_of([(name, _type_of(item)) for name, item in sorted(value.items())])


def _whole_number(size: int) -> DataType:
    if size < _LONG:
        return DataType("int" if size <= EXACT else "bigint")
    digits = len(str(size))
    return DataType(f"decimal({digits},0)" if digits <= 38 else "double")


def _together(left: DataType, right: DataType) -> DataType:
    """Return what values of two types are inside of one file: text, unless one type holds both."""
    if left in _NUMBERS and right in _NUMBERS and "double" in (left, right):
        return DataType("double")
    return widest(left, right) or DataType("string")


def _spelled(kind: DataType) -> DataType:
    """Return a type, or that it cannot be named: of a struct whose fields have names that no type can be read with."""
    return kind if kind == "void" or parse_type(kind) is not None else UNKNOWN


def _ranges(path: Path, source: SourceTable, column: str) -> Ranges:
    import pyarrow.json

    if source.options:
        return None
    if any(item.name == column and item.type == "date" for item in source.columns):
        return _written_days(path, column)
    return ranges_of(_as_times(pyarrow.json.read_json(path).column(column)))


def _written_days(path: Path, column: str) -> Ranges:
    """Return the days that are written in a column, as Spark reads a date: a time and its offset are passed over."""
    import pyarrow.json
    from pyarrow import compute

    # Left to itself, the reader takes text for times and moves them to UTC.
    text = pyarrow.json.ParseOptions(explicit_schema=pyarrow.schema([(column, pyarrow.string())]))
    values = pyarrow.json.read_json(path, parse_options=text).column(column)
    # A column without any value may have another name in the file.
    if not compute.all(compute.match_substring_regex(values, _WRITTEN_DATE), min_count=1).as_py():
        return None
    return ranges_of(compute.utf8_slice_codeunits(values, 0, 10).cast(pyarrow.date32()))


def _as_times(values: "pyarrow.ChunkedArray") -> "pyarrow.ChunkedArray":
    """Read text as the time it means, since JSON has no times of its own."""
    import pyarrow

    if not pyarrow.types.is_string(values.type):
        return values
    return values.cast(pyarrow.timestamp("us", tz="UTC"))


JSON = FileFormat(
    code=__file__,
    columns=lambda path, _: read_json(path),
    ranges=_ranges,
    range_types=frozenset({"date", "timestamp"}),
    names_types=False,
    can_infer=lambda source: not source.options,
    spelled=as_spark,
    options=lambda _: {"mode": "FAILFAST"},
)
