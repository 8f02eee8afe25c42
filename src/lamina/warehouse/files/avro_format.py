"""Avro: headers in Spark's words; which times a file holds is not looked for."""

from pathlib import Path
from typing import Any

from lamina.values import codec
from lamina.values.names import ColumnName
from lamina.values.schema import UNKNOWN, Column, DataType, Schema, parse_type
from lamina.warehouse.avro import read_header
from lamina.warehouse.files.file_format import FileFormat
from lamina.warehouse.files.widest import widest

_PLAIN = {
    "null": "void",
    "boolean": "boolean",
    "int": "int",
    "long": "bigint",
    "float": "float",
    "double": "double",
    "bytes": "binary",
    "fixed": "binary",
    "string": "string",
    "enum": "string",
}
# What Spark's Avro reader turns into a wider number.
_NUMBERS = ("int", "bigint", "float", "double")
_LOGICAL = {
    "date": "date",
    "timestamp-millis": "timestamp",
    "timestamp-micros": "timestamp",
    "local-timestamp-millis": "timestamp_ntz",
    "local-timestamp-micros": "timestamp_ntz",
}


def read_avro(path: Path) -> Schema:
    """Return the columns of one file."""
    with path.open("rb") as file:
        record = codec.from_json(read_header(file)["avro.schema"], Any)
    if not isinstance(record, dict) or record.get("type") != "record":
        raise ValueError("its rows are not records")
    named: dict[str, Any] = {}
    kinds = ((field["name"], _type_of(field["type"], named)) for field in record["fields"])
    return tuple(Column(name=ColumnName(name), type=parse_type(kind) or UNKNOWN) for name, kind in kinds)


def _type_of(schema: Any, named: dict[str, Any]) -> str:
    """Return a type; what was named before is known by its name."""
    if isinstance(schema, list):
        return _union([_type_of(item, named) for item in schema if item != "null"])
    if isinstance(schema, str):
        return _PLAIN.get(schema) or named.get(schema, UNKNOWN)
    found = _composed(schema, named)
    if "name" in schema:
        named[schema["name"]] = found
    return found


def _composed(schema: dict[str, Any], named: dict[str, Any]) -> str:
    kind = schema["type"]
    if schema.get("logicalType") == "decimal":
        return f"decimal({schema['precision']},{schema.get('scale', 0)})"
    match kind:
        case "array":
            return f"array<{_type_of(schema['items'], named)}>"
        case "map":
            return f"map<string,{_type_of(schema['values'], named)}>"
        case "record":
            fields = (f"{field['name']}:{_type_of(field['type'], named)}" for field in schema["fields"])
            return f"struct<{','.join(fields)}>"
        case str() if kind in ("int", "long"):
            return _LOGICAL.get(schema.get("logicalType", ""), _PLAIN[kind])
        case _:
            return _type_of(kind, named)


def _union(kinds: list[str]) -> str:
    """Return the type of a value that may have several; Spark makes a struct of most of them, which is not named."""
    match sorted(set(kinds)):
        case []:
            return DataType("void")
        case [kind]:
            return kind
        case ["bigint", "int"]:
            return DataType("bigint")
        case ["double", "float"]:
            return DataType("double")
        case _:
            return UNKNOWN


def _wider(left: DataType, right: DataType) -> DataType | None:
    is_number = left in _NUMBERS and right in _NUMBERS
    return left if left == right else widest(left, right) if is_number else None


AVRO = FileFormat(code=__file__, columns=lambda path, _: read_avro(path), wider=_wider)
