"""Iceberg's types, as its metadata writes them, in Spark's words."""

from typing import Any

from lamina.values.names import ColumnName
from lamina.values.schema import UNKNOWN, Column, DataType, Schema

_NAMES = {
    "boolean": "boolean",
    "int": "int",
    "long": "bigint",
    "float": "float",
    "double": "double",
    "string": "string",
    "uuid": "string",
    "binary": "binary",
    "date": "date",
    "timestamp": "timestamp_ntz",
    "timestamptz": "timestamp",
    "variant": "variant",
}


def to_schema(fields: list[dict[str, Any]]) -> Schema:
    """Return the columns of an Iceberg schema."""
    return tuple(
        Column(
            name=ColumnName(field["name"]),
            type=to_type(field["type"]),
            nullable=not field["required"],
            description=field.get("doc"),
        )
        for field in fields
    )


def to_type(kind: Any) -> DataType:
    """Return one type in Spark's words, or unknown.

    >>> to_type("timestamptz"), to_type("decimal(10, 2)"), to_type({"type": "list", "element": "long"})
    ('timestamp', 'decimal(10,2)', 'array<bigint>')
    """
    if isinstance(kind, str):
        return _simple_type(kind)
    match kind["type"]:
        case "list":
            return DataType(f"array<{to_type(kind['element'])}>")
        case "map":
            return DataType(f"map<{to_type(kind['key'])},{to_type(kind['value'])}>")
        case "struct":
            fields = ",".join(f"{field['name']}:{to_type(field['type'])}" for field in kind["fields"])
            return DataType(f"struct<{fields}>")
        case _:
            return UNKNOWN


def _simple_type(kind: str) -> DataType:
    if kind.startswith("decimal("):
        return DataType(kind.replace(" ", ""))
    if kind.startswith("fixed["):
        return DataType("binary")
    return DataType(_NAMES.get(kind, UNKNOWN))
