"""Columns that folder names hold (`day=2024-01-01`), found as Spark finds them and typed as it infers them."""

import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from urllib.parse import unquote

from lamina.values.names import ColumnName, folded
from lamina.values.schema import Column, DataType, Schema
from lamina.warehouse.failure import WarehouseFailure

_NULL = "__HIVE_DEFAULT_PARTITION__"

_WHOLE = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?")
# What Java reads as a double besides.
_JAVA_NUMBER = re.compile(rf"({_NUMBER.pattern}[dDfF]?|[+-]?(NaN|Infinity))")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIMESTAMP = re.compile(r"\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?")

# Each type holds the values of those before it.
_NUMBERS = ("int", "bigint", "decimal", "double")


class FoldersDisagree(WarehouseFailure):
    """Files of one source are in folders that name different columns.

    Why: Spark would leave out the files that are not in such a folder, or refuse to read all of them.
    Fix: move the named files so that all of them are below the same kinds of folders, or declare two sources.
    """

    code = "L635"

    def __init__(self, source: str, one: str, other: str) -> None:
        super().__init__(
            f"the files of source `{source}` do not fit together: {_in_words(one)}, and {_in_words(other)}",
            kind="data_rejected",
            hint="move one of the files, or declare two sources",
        )


def folder_values(path: str) -> tuple[tuple[str, str], ...]:
    """Return the columns and values that the folders of a file name, outermost first; the path is below its source.

    >>> folder_values("year=2024/day=1/a=b.csv")
    (('year', '2024'), ('day', '1'))
    """
    return _split(path.rpartition("/")[0])[1] if "=" in path else ()


def require_alike_folders(source: str, paths: Iterable[str]) -> None:
    """Raise unless the folders of all files of a source name the same columns, or none of them names any."""
    kinds: dict[tuple[str, ...], str] = {}
    seen: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        if folder not in seen:
            seen.add(folder)
            above, found = _split(folder)
            kinds.setdefault((above if found else "", *(folded(name) for name, _ in found)), path)
    if len(kinds) > 1:
        one, other, *_ = kinds.values()
        raise FoldersDisagree(source, one, other)


def _split(folder: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return the folder that columns begin below, and the columns: Spark looks upwards and ends at any other name."""
    parts = folder.split("/")
    while parts and not _is_column(parts[-1]):
        parts.pop()
    start = len(parts)
    while start and _is_column(parts[start - 1]):
        start -= 1
    pairs = (part.split("=", 1) for part in parts[start:])
    return "/".join(parts[:start]), tuple((unquote(name), unquote(value)) for name, value in pairs)


def _is_column(folder: str) -> bool:
    return folder.find("=") > 0


def _in_words(path: str) -> str:
    above, found = _split(path.rpartition("/")[0])
    named = ", ".join(f"`{name}`" for name, _ in found)
    below = f" below `{above}`" if above and found else ""
    return f"the folders of `{path}` name {named or 'no column'}{below}"


def partition_columns(paths: Iterable[str]) -> Schema:
    """Return the columns that the folders of these files name, in the order of the folders."""
    names: dict[str, str] = {}
    values: dict[str, set[str]] = {}
    for path in paths:
        for name, value in folder_values(path):
            values.setdefault(names.setdefault(folded(name), name), set()).add(value)
    return tuple(Column(name=ColumnName(name), type=_common(found)) for name, found in values.items())


def _common(values: set[str]) -> DataType:
    kinds = {kind_of(value) for value in values if value != _NULL}
    if len(kinds) == 1:
        kind = kinds.pop()
    elif kinds and kinds <= set(_NUMBERS):
        kind = max(kinds, key=_NUMBERS.index)
    elif kinds == {"date", "timestamp"}:
        kind = "timestamp"
    else:
        kind = "string"
    return DataType(_decimal(values) if kind == "decimal" else kind)


def kind_of(value: str) -> str:
    """Return the type that Spark takes one value of text for; `decimal` is a whole number beyond `bigint`."""
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
    """Return how many digits a number has, or None if some are after its point."""
    sign = Decimal(value).as_tuple()
    exponent = sign.exponent
    return len(sign.digits) + exponent if isinstance(exponent, int) and exponent >= 0 else None


def _decimal(values: set[str]) -> str:
    # Beside a decimal a whole number counts with all the digits of its type.
    room = {"int": 10, "bigint": 20}
    digits = max(room.get(kind_of(value)) or _digits(value) or 0 for value in values if value != _NULL)
    return f"decimal({digits},0)" if digits <= 38 else "double"
