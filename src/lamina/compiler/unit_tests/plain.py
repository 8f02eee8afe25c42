"""Values of a test file as values of Spark types: each type has one Python form, so that equal ones compare equal.

Instants are aware datetimes in UTC, arrays and structs tuples (structs in the order of their fields), maps tuples of
pairs in the order of their keys; null is None.
"""

import math
import struct
from base64 import b64decode
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from lamina.compiler.types.spark_types import decimal_of, element_of, entry_of, fields_of, is_decimal
from lamina.project.typed_text import BITS, is_value
from lamina.values.names import folded
from lamina.values.nearest import nearest
from lamina.values.schema import UNKNOWN, DataType

_TEXT_KEYS = ("bigint", "boolean", "date", "int", "smallint", "string", "timestamp", "timestamp_ntz", "tinyint")


class Unfit(NamedTuple):
    """A value that is not of its type: the keys from the column inwards, what is wrong, what to write."""

    keys: tuple[str, ...]
    problem: str
    hint: str


class NotOfType(Exception):
    """A value is not of a type; says how one is written."""

    def __init__(self, hint: str) -> None:
        super().__init__(hint)
        self.hint = hint


class Plain:
    """Own what was found wrong while values are converted."""

    def __init__(self) -> None:
        self.found: list[Unfit] = []

    def of(self, value: Any, kind: DataType, keys: tuple[str, ...]) -> Any:
        """Return a value of a file in the form of its type, None where it does not fit."""
        if (element := element_of(kind)) is not None:
            return self._array(value, element, kind, keys)
        if (fields := fields_of(kind)) is not None:
            return self._struct(value, fields, kind, keys)
        if (entry := entry_of(kind)) is not None:
            return self._map(value, entry, kind, keys)
        try:
            return _scalar(value, kind)
        except NotOfType as error:
            return self._note(keys, value, kind, error.hint)

    def _note(self, keys: tuple[str, ...], value: Any, kind: DataType, hint: str) -> None:
        self.found.append(Unfit(keys, f"`{_shown(value)}` is not a value of type `{kind}`", hint))

    def _array(self, value: Any, element: DataType, kind: DataType, keys: tuple[str, ...]) -> Any:
        if not isinstance(value, list):
            return self._note(keys, value, kind, "write a list: `[...]`")
        return tuple(self.of(item, element, (*keys, str(number))) for number, item in enumerate(value))

    def _struct(
        self, value: Any, fields: tuple[tuple[str, DataType], ...], kind: DataType, keys: tuple[str, ...]
    ) -> Any:
        if not isinstance(value, dict):
            return self._note(keys, value, kind, f"write a table: `{{ {fields[0][0] if fields else ''} = ... }}`")
        written = {folded(name): (name, item) for name, item in value.items()}
        known = [folded(name) for name, _ in fields]
        for name, _ in (pair for key, pair in written.items() if key not in known):
            near = nearest(name, [field for field, _ in fields])
            hint = f"did you mean `{near}`?" if near else f"its type is `{kind}`"
            self.found.append(Unfit((*keys, name), f"there is no field `{name}`", hint))
        return tuple(
            self.of(written[key][1], inner, (*keys, written[key][0])) if key in written else None
            for key, (_, inner) in zip(known, fields, strict=True)
        )

    def _map(self, value: Any, entry: tuple[DataType, DataType], kind: DataType, keys: tuple[str, ...]) -> Any:
        if not isinstance(value, dict):
            return self._note(keys, value, kind, "write a table: `{ key = ... }`")
        pairs = [
            (self._map_key(name, entry[0], (*keys, name)), self.of(item, entry[1], (*keys, name)))
            for name, item in value.items()
        ]
        return tuple(sorted(pairs, key=lambda pair: str(pair[0])))

    def _map_key(self, name: str, kind: DataType, keys: tuple[str, ...]) -> Any:
        """Return the key of a map, which TOML has as text whatever its type."""
        if kind not in _TEXT_KEYS or not is_value(name, kind):
            return self._note(keys, name, kind, "write the key as a text of that type")
        return self.of(int(name) if kind in BITS else name.lower() == "true" if kind == "boolean" else name, kind, keys)


def comparable(value: Any) -> Any:
    """Return a plain value in a form that compares and hashes as a multiset needs: NaN equals NaN, 0.0 equals -0.0."""
    match value:
        case float() if math.isnan(value):
            return "NaN"
        case float():
            return value + 0.0
        case tuple():
            return tuple(comparable(item) for item in value)
        case _:
            return value


def _scalar(value: Any, kind: DataType) -> Any:
    if kind in BITS:
        return _whole(value, kind)
    if is_decimal(kind):
        return _decimal(value, kind)
    match kind:
        case "string":
            return _require(value, isinstance(value, str), "write it in quotes")
        case "boolean":
            return _require(value, isinstance(value, bool), "write `true` or `false`")
        case "double" | "float":
            return _float(value, kind)
        case "date":
            return _date(value)
        case "timestamp":
            return _timestamp(value)
        case "timestamp_ntz":
            return _local_time(value)
        case "binary":
            return _bytes(value)
    if kind == UNKNOWN:
        raise NotOfType("its type is not known before it runs; declare the column with its type")
    raise NotOfType("values of this type cannot be written in a test; leave it out")


def _require(value: Any, is_right: bool, hint: str) -> Any:
    if not is_right:
        raise NotOfType(hint)
    return value


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _whole(value: Any, kind: DataType) -> int:
    _require(value, _is_number(value), "write a whole number, without quotes")
    most = 2 ** (BITS[kind] - 1)
    _require(value, -most <= value < most, f"it must be from {-most} to {most - 1}")
    return int(value)


def _float(value: Any, kind: DataType) -> float:
    _require(value, _is_number(value) or isinstance(value, float), "write a number, `nan` or `inf`, without quotes")
    number = float(value)
    try:
        return number if kind == "double" else float(struct.unpack("f", struct.pack("f", number))[0])
    except OverflowError:
        raise NotOfType("it is too large") from None


def _decimal(value: Any, kind: DataType) -> Decimal:
    precision, scale = decimal_of(kind) or (38, 0)
    written = str(value) if _is_number(value) or isinstance(value, str) else repr(value)
    is_right = not isinstance(value, bool) and is_value(written, kind)
    _require(
        value, is_right, f'write a number such as `"1.50"`, with at most {precision - scale} digits before the point'
    )
    number = Decimal(written)
    _require(value, number == round(number, scale), f"it has at most {scale} digits behind the point")
    return round(number, scale)


def _date(value: Any) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    _require(value, isinstance(value, str) and is_value(value, DataType("date")), "write it like `2026-04-07`")
    return date.fromisoformat(value)


def _time(value: Any) -> datetime:
    """Return a time as written, with a zone or without; a date is its midnight."""
    hint = "write it like `2026-04-07T10:00:00Z`"
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day)  # noqa: DTZ001  # the zone is the type's
    _require(value, isinstance(value, str) and is_value(value, DataType("timestamp")), hint)
    return datetime.fromisoformat(value)


def _timestamp(value: Any) -> datetime:
    written = _time(value)
    try:
        return written.replace(tzinfo=UTC) if written.tzinfo is None else written.astimezone(UTC)
    except OverflowError:
        raise NotOfType("it is outside the years 1 to 9999") from None


def _local_time(value: Any) -> datetime:
    written = _time(value)
    return datetime.fromisoformat(
        _require(written.isoformat(), written.tzinfo is None, "write it without a zone, like `2026-04-07T10:00:00`")
    )


def _bytes(value: Any) -> bytes:
    hint = "write the bytes in base64"
    _require(value, isinstance(value, str), hint)
    try:
        return b64decode(value, validate=True)
    except ValueError:
        raise NotOfType(hint) from None


def _shown(value: Any) -> str:
    """Return a value as it is written in a file, cut where it is long."""
    match value:
        case bool():
            text = str(value).lower()
        case datetime():
            text = value.isoformat()
        case dict():
            text = "{...}"
        case list():
            text = "[...]"
        case _:
            text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
