"""ORC: footers in Spark's words, and times by reading a column."""

from pathlib import Path
from typing import TYPE_CHECKING

from lamina.project.source import SourceTable
from lamina.values.names import ColumnName
from lamina.values.schema import UNKNOWN, Column, DataType, Schema, parse_type
from lamina.warehouse.files.file_format import FileFormat, Ranges
from lamina.warehouse.files.time_ranges import ranges_of

if TYPE_CHECKING:
    import pyarrow

_SPARK_TYPE = b"spark.sql.catalyst.type"

_PLAIN = {
    "bool": "boolean",
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "float": "float",
    "double": "double",
    "string": "string",
    "binary": "binary",
    "date32[day]": "date",
    "timestamp[ns]": "timestamp",
}


def read_orc(path: Path) -> Schema:
    """Return the columns of one file; Spark takes every column of a file to be nullable."""
    from pyarrow.orc import ORCFile

    shape = ORCFile(path).schema
    return tuple(Column(name=ColumnName(field.name), type=parse_type(_type_of(field)) or UNKNOWN) for field in shape)


def _type_of(field: "pyarrow.Field") -> str:
    """Return the type that Spark left in the file, else the one that the file's own type spells."""
    from pyarrow import types

    written = (field.metadata or {}).get(_SPARK_TYPE)
    if written is not None:
        return str(written.decode())
    kind = field.type
    if types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if types.is_map(kind):
        return f"map<{_type_of(kind.key_field)},{_type_of(kind.item_field)}>"
    if types.is_list(kind):
        return f"array<{_type_of(kind.value_field)}>"
    if types.is_struct(kind):
        return f"struct<{','.join(f'{item.name}:{_type_of(item)}' for item in kind)}>"
    return DataType(_PLAIN.get(str(kind), UNKNOWN))


def _ranges(path: Path, _source: SourceTable, column: str) -> Ranges:
    from pyarrow.orc import ORCFile

    file = ORCFile(path)
    return ranges_of(file.read(columns=[column]).column(0)) if column in file.schema.names else None


def _rows(path: Path) -> int:
    from pyarrow.orc import ORCFile

    return int(ORCFile(path).nrows)


ORC = FileFormat(
    code=__file__,
    columns=lambda path, _: read_orc(path),
    rows=_rows,
    ranges=_ranges,
    is_null_if_misfit=True,
)
