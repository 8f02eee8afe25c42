"""Whether a text is a value of a Spark type, written so that it cannot be read as another."""

import re
from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal, InvalidOperation

from lamina.values.schema import DataType

WHOLE = re.compile(r"[+-]?\d{1,19}", re.ASCII)
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")
BITS = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}


def is_value(text: str, kind: DataType) -> bool:
    """Return whether Spark can take a text for a value of a type; of nested types nothing is known.

    >>> is_value("300", DataType("tinyint"))
    False
    """
    if kind in BITS:
        return WHOLE.fullmatch(text) is not None and -(2 ** (BITS[kind] - 1)) <= int(text) < 2 ** (BITS[kind] - 1)
    if (found := DECIMAL.fullmatch(kind)) is not None:
        return NUMBER.fullmatch(text) is not None and _fits(Decimal(text), int(found[1]), int(found[2]))
    match kind:
        case "float" | "double":
            return NUMBER.fullmatch(text) is not None
        case "boolean":
            return text.lower() in ("true", "false")
        case "date":
            return DATE.fullmatch(text) is not None and _parses(date.fromisoformat, text)
        case "timestamp" | "timestamp_ntz":
            return DATE.match(text) is not None and _parses(datetime.fromisoformat, text)
        case _:
            return True


def _fits(number: Decimal, precision: int, scale: int) -> bool:
    """Return whether a number has room before the point, once it is rounded behind it."""
    try:
        rounded = round(number, scale)
    except InvalidOperation:
        return False
    return abs(rounded) < Decimal(10) ** (precision - scale)


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True
