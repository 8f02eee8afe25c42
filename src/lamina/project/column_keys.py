"""Read declared columns, of contracts, seeds and sources."""

from typing import Any

from lamina.project.decode import INVALID, Decoder, Findings, decode_table, flag, text
from lamina.project.rules import conflicting_keys, invalid_column_type, missing_key
from lamina.values.names import folded
from lamina.values.nearest import nearest
from lamina.values.schema import Column, parse_type

COMMON_TYPES = (  # what a misspelt type is compared with
    *("tinyint", "smallint", "int", "bigint", "float", "double", "decimal", "boolean", "string", "binary"),
    *("date", "timestamp", "timestamp_ntz", "variant", "array", "map", "struct", "varchar", "char"),
)
IN_FULL = {  # types that take arguments
    "array": "array<string>",
    "char": "char(10)",
    "decimal": "decimal(10,2)",
    "map": "map<string,int>",
    "struct": "struct<a:int>",
    "varchar": "varchar(10)",
}


def data_type(value: Any, key: str, findings: Findings) -> Any:
    """Decode a Spark type into its canonical form."""
    if not isinstance(value, str):
        return findings.wrong_type(key, expected="a Spark type", value=value)
    parsed = parse_type(value)
    if parsed is not None:
        return parsed
    word = value.partition("(")[0].partition("<")[0].strip()
    near = nearest(word, COMMON_TYPES)
    is_known = near == folded(word)  # it only lacks something
    found = invalid_column_type.finding(value[:60], place=findings.places.of(key), nearest=None if is_known else near)
    example = IN_FULL.get(near) if is_known and near is not None else None
    return findings.add(found if example is None else found.replace(hint=f"write it in full, such as `{example}`"))


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
        if folded(column.name) in seen:
            place = findings.places.of(f"{path}.name")
            message = f"column `{column.name}` is declared twice"
            findings.add(conflicting_keys.finding(message, place=place, hint="remove one of them"))
            continue
        seen.add(folded(column.name))
        decoded.append(column)
    return tuple(decoded)


def _column(item: Any, path: str, findings: Findings) -> Any:
    if not isinstance(item, dict):
        return findings.wrong_type(path, expected="a table with `name` and `type`", value=item)
    settings = decode_table(item, KEYS, at=path, findings=findings)
    if "name" not in item:
        return findings.add(missing_key.finding("name", place=findings.places.of(path), needed_by="a column"))
    return Column(**settings) if "name" in settings else INVALID
