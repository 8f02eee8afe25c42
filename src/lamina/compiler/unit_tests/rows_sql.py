"""Given rows as one Spark query: literals that have exactly the types of the columns, so that nothing is written."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from lamina.compiler.link.parameters import ParameterValue, literal_sql, quoted
from lamina.compiler.types.spark_types import element_of, entry_of, fields_of
from lamina.values.bounds import bound_text
from lamina.values.schema import UNKNOWN, DataType, Schema


def rows_sql(columns: Schema, rows: Sequence[tuple[Any, ...]]) -> str:
    """Return a query that gives plain rows; of a column whose type is not known, null."""
    names = ", ".join(quoted(column.name) for column in columns)
    if not rows:
        nothing = ", ".join(f"{_literal(None, column.type)} AS {quoted(column.name)}" for column in columns)
        return f"SELECT {nothing} WHERE false"
    lines = (", ".join(_literal(cell, column.type) for cell, column in zip(row, columns, strict=True)) for row in rows)
    values = ",\n".join(f"({line})" for line in lines)
    return f"SELECT * FROM VALUES\n{values}\nAS given({names})"


def type_sql(kind: DataType) -> str:
    """Return a type as Spark reads it, whatever the names of its fields are.

    >>> type_sql(DataType("array<struct<a b:int>>"))
    'array<struct<`a b`: int>>'
    """
    if (element := element_of(kind)) is not None:
        return f"array<{type_sql(element)}>"
    if (fields := fields_of(kind)) is not None:
        return f"struct<{', '.join(f'{quoted(name)}: {type_sql(inner)}' for name, inner in fields)}>"
    if (entry := entry_of(kind)) is not None:
        return f"map<{type_sql(entry[0])}, {type_sql(entry[1])}>"
    return kind


def _literal(cell: Any, kind: DataType) -> str:
    if kind == UNKNOWN:
        return "NULL"
    if cell is None:
        return f"CAST(NULL AS {type_sql(kind)})"
    if (element := element_of(kind)) is not None:
        return _cast(f"array({', '.join(_literal(item, element) for item in cell)})", kind)
    if (fields := fields_of(kind)) is not None:
        parts = (f"{_text(name)}, {_literal(item, inner)}" for item, (name, inner) in zip(cell, fields, strict=True))
        return f"named_struct({', '.join(parts)})"
    if (entry := entry_of(kind)) is not None:
        parts = (f"{_literal(key, entry[0])}, {_literal(item, entry[1])}" for key, item in cell)
        return _cast(f"map({', '.join(parts)})", kind)
    if isinstance(cell, bytes):
        return f"X'{cell.hex()}'"
    return literal_sql(ParameterValue(kind, _written(cell)))


def _cast(sql: str, kind: DataType) -> str:
    return f"CAST({sql} AS {type_sql(kind)})"


def _text(value: str) -> str:
    return literal_sql(ParameterValue(DataType("string"), value))


def _written(cell: Any) -> str:
    match cell:
        case bool():
            return str(cell).lower()
        case datetime():
            return bound_text(cell)
        case date():
            return cell.isoformat()
        case float():
            return repr(cell)
        case _:
            return str(cell)
