"""Columns and their Spark types; a type is Spark's own simple string, such as `decimal(10,2)` or `array<int>`."""

from typing import NewType

from lamina.values.names import ColumnName
from lamina.values.value import Value

DataType = NewType("DataType", str)

UNKNOWN = DataType("unknown")


class Column(Value, frozen=True):
    """A column of a table; a type that cannot be told is `unknown`, never a guess."""

    name: ColumnName
    type: DataType = UNKNOWN
    nullable: bool = True
    description: str | None = None


Schema = tuple[Column, ...]
