"""Columns that stand in folder names (`day=2024-01-01`), typed as Spark infers them from all their values."""

import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from pathlib import PurePosixPath
from urllib.parse import unquote

from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType, Schema

_NULL = "__HIVE_DEFAULT_PARTITION__"

_WHOLE = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?")
# What Java reads as a double besides.
_JAVA_NUMBER = re.compile(rf"({_NUMBER.pattern}[dDfF]?|[+-]?(NaN|Infinity))")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?")

# Each type holds the values of those before it.
_NUMBERS = ("int", "bigint", "decimal", "double")


def partition_columns(paths: Iterable[str]) -> Schema:
    """Return the columns that the folders of these files name, in the order of the folders."""
    values: dict[str, set[str]] = {}
    for path in (item for item in paths if "=" in item):
        for part in PurePosixPath(path).parts[:-1]:
            name, sign, value = part.partition("=")
            if sign and name:
                values.setdefault(unquote(name), set()).add(unquote(value))
    return tuple(Column(name=ColumnName(name), type=_common(found)) for name, found in values.items())


def _common(values: set[str]) -> DataType:
    kinds = {_kind(value) for value in values if value != _NULL}
    if len(kinds) == 1:
        kind = kinds.pop()
    elif kinds and kinds <= set(_NUMBERS):
        kind = max(kinds, key=_NUMBERS.index)
    elif kinds == {"date", "timestamp"}:
        kind = "timestamp"
    else:
        kind = "string"
    return DataType(_decimal(values) if kind == "decimal" else kind)


def _kind(value: str) -> str:
    if _WHOLE.fullmatch(value):
        number = int(value)
        if -(2**31) <= number < 2**31:
            return "int"
        return "bigint" if -(2**63) <= number < 2**63 else "decimal"
    if _NUMBER.fullmatch(value) and _digits(value) is not None:
        return "decimal"
    if _JAVA_NUMBER.fullmatch(value):
        return "double"
    if _DATE.fullmatch(value) and _is_date(value):
        return "date"
    return "timestamp" if _TIMESTAMP.fullmatch(value) and _is_date(value[:10]) else "string"


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _digits(value: str) -> int | None:
    """Return how many digits a number has, or None if some stand after its point."""
    sign = Decimal(value).as_tuple()
    exponent = sign.exponent
    return len(sign.digits) + exponent if isinstance(exponent, int) and exponent >= 0 else None


def _decimal(values: set[str]) -> str:
    # Beside a decimal a whole number counts with all the digits of its type.
    room = {"int": 10, "bigint": 20}
    digits = max(room.get(_kind(value)) or _digits(value) or 0 for value in values if value != _NULL)
    return f"decimal({digits},0)" if digits <= 38 else "double"
