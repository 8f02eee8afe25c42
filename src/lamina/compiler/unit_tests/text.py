"""A unit test as the text of a TOML file, made from rows that are known."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from lamina.compiler.unit_tests.case import TrialRows
from lamina.compiler.unit_tests.plain import Plain, comparable
from lamina.compiler.unit_tests.written import written
from lamina.values.names import TableName
from lamina.values.schema import DataType, Schema

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def unit_test_text(
    name: str,
    model: str,
    *,
    partition: str | None,
    parameters: Mapping[str, str],
    given: Mapping[TableName, TrialRows],
    expect: TrialRows,
) -> str:
    """Return a test; what TOML cannot write is left out: nulls in lists, and columns that hold them."""
    lines = [f"[test.{_key(name)}]", f"model = {toml_value(model)}"]
    if partition is not None:
        lines.append(f"partition = {toml_value(partition)}")
    if parameters:
        lines.append(f"parameters = {toml_value(dict(parameters))}")
    for table, rows in given.items():
        lines.append(f"given.{_key(table)} = {_rows(rows)}")
    lines.append(f"expect = {_rows(expect)}")
    if null := _null_columns(expect):
        lines.append(f"columns = {toml_value(null)}")
    return "\n".join(lines) + "\n"


def toml_value(value: Any) -> str:
    """Return a written value in TOML; nulls in tables are left out.

    >>> toml_value({"a": [1, float("nan")], "b c": None, "d": 'x"y'})
    '{ a = [1, nan], d = "x\\\\"y" }'
    """
    match value:
        case bool():
            return str(value).lower()
        case float() if not math.isfinite(value):
            return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case list():
            return f"[{', '.join(toml_value(item) for item in value)}]"
        case dict():
            parts = [f"{_key(key)} = {toml_value(item)}" for key, item in value.items() if item is not None]
            return f"{{ {', '.join(parts)} }}" if parts else "{}"
        case _:
            return repr(value)


def _is_writable(value: Any) -> bool:
    """Return whether TOML can write a value: it has no null for an item of a list or for a value of a map."""
    match value:
        case list():
            return all(item is not None and _is_writable(item) for item in value)
        case dict():
            return all(_is_writable(item) for item in value.values())
        case _:
            return True


def _rows(rows: TrialRows) -> str:
    if not rows.rows:
        return "[]"
    lines = [f"  {toml_value(_row(rows.columns, row))}," for row in rows.rows]
    return "\n".join(["[", *lines, "]"])


def _row(columns: Schema, row: Sequence[Any]) -> dict[str, Any]:
    return {column.name: written(cell, column.type) for column, cell in zip(columns, row, strict=True)}


def _null_columns(rows: TrialRows) -> list[str]:
    """Return the columns that no row lists, because they are null in all of them."""
    return [
        column.name
        for number, column in enumerate(rows.columns)
        if rows.rows and all(row[number] is None for row in rows.rows)
    ]


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else toml_value(name)


def writable_columns(rows: TrialRows) -> TrialRows:
    """Return rows without the columns that a file could not give back as they are."""
    kept = [
        number
        for number, column in enumerate(rows.columns)
        if not any(word in column.type for word in ("interval", "variant", "void"))
        and all(_comes_back(row[number], column.type) for row in rows.rows)
    ]
    return TrialRows(
        columns=tuple(rows.columns[number] for number in kept),
        rows=tuple(tuple(row[number] for number in kept) for row in rows.rows),
    )


def _comes_back(cell: Any, kind: DataType) -> bool:
    """Return whether a cell is the same after it was written and read."""
    value = written(cell, kind)
    if value is None or not _is_writable(value):
        return value is None
    reading = Plain()
    return bool(comparable(reading.of(_without_nulls(value), kind, ())) == comparable(cell)) and not reading.found


def _without_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if item is not None}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value
