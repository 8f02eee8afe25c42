"""Read declared columns, of contracts, seeds and sources."""

from typing import Any

from lamina.project.decode import INVALID, Decoder, Findings, decode_table, flag, text
from lamina.project.rules import conflicting_keys, invalid_column_type, missing_key
from lamina.values.nearest import nearest
from lamina.values.schema import Column, parse_type

COMMON_TYPES = (  # what a misspelt type is compared with
    *("tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "boolean", "string", "binary"),
    *("date", "timestamp", "timestamp_ntz", "variant", "array", "map", "struct", "varchar", "char"),
)


def data_type(value: Any, key: str, findings: Findings) -> Any:
    """Decode a Spark type into its canonical form."""
    if not isinstance(value, str):
        return findings.wrong_type(key, expected="a Spark type", value=value)
    parsed = parse_type(value)
    if parsed is not None:
        return parsed
    near = nearest(value.partition("(")[0].partition("<")[0].strip(), COMMON_TYPES)
    place = findings.places.of(key)
    return findings.add(invalid_column_type.finding(value[:60], place=place, nearest=near))


KEYS: dict[str, Decoder] = {"name": text, "type": data_type, "nullable": flag, "description": text}


def columns(value: Any, key: str, findings: Findings) -> Any:
    """Decode a list of columns; names are compared without case."""
    if not isinstance(value, list):
        return findings.wrong_type(key, expected="a list of columns", value=value)
    decoded: list[Column] = []
    seen: set[str] = set()
    for index, item in enumerate(value):
        path = f"{key}.{index}"
        column = _column(item, path, findings)
        if column is INVALID:
            continue
        if column.name.casefold() in seen:
            place = findings.places.of(f"{path}.name")
            message = f"column `{column.name}` is declared twice"
            findings.add(conflicting_keys.finding(message, place=place, hint="remove one of them"))
            continue
        seen.add(column.name.casefold())
        decoded.append(column)
    return tuple(decoded)


def _column(item: Any, path: str, findings: Findings) -> Any:
    if not isinstance(item, dict):
        return findings.wrong_type(path, expected="a table with `name` and `type`", value=item)
    settings = decode_table(item, KEYS, at=path, findings=findings)
    if "name" not in item:
        return findings.add(missing_key.finding("name", place=findings.places.of(path), needed_by="a column"))
    return Column(**settings) if "name" in settings else INVALID
