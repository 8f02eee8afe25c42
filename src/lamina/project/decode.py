"""Turn the tables of a TOML file into typed settings, noting every problem instead of stopping at the first."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any

from lamina.project.fixed_conf import FIXED_CONF
from lamina.project.model import SettingPlaces
from lamina.project.rules import (
    conflicting_keys,
    invalid_choice,
    invalid_name,
    invalid_number,
    later_feature,
    unknown_key,
    wrong_type,
)
from lamina.project.toml import Substituted
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import folded
from lamina.values.nearest import nearest

INVALID: Any = object()  # what a decoder returns after it noted a problem
NAME = re.compile(r"(?!.*__)[A-Za-z_][A-Za-z0-9_]{0,127}", re.ASCII)
TABLE_NAME = re.compile(r"[A-Za-z_]\w{0,127}(\.[A-Za-z_]\w{0,127}){0,2}", re.ASCII)


class Findings:
    """Own what was found wrong in one file, and where its keys are written; `homes` says where else keys belong."""

    def __init__(self, places: SettingPlaces, homes: Mapping[str, tuple[str, ...]] | None = None) -> None:
        self.places = places
        self.homes = homes or {}
        self.found: list[Diagnostic] = []

    def add(self, finding: Diagnostic) -> Any:
        """Note a problem and return `INVALID`, so that a decoder can end with it."""
        self.found.append(finding)
        return INVALID

    def wrong_type(self, key: str, *, expected: str, value: Any) -> Any:
        """Note a value of another type than expected."""
        place = self.places.of(key)
        return self.add(wrong_type.finding(last(key), place=place, expected=expected, actual=_kind(value)))


Decoder = Callable[[Any, str, Findings], Any]


def decode_table(
    data: Mapping[str, Any],
    keys: Mapping[str, Decoder],
    *,
    at: str,
    findings: Findings,
    later: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """Decode the known keys of one table; note unknown ones, and those of features to come."""
    decoded: dict[str, Any] = {}
    for key, value in data.items():
        path = f"{at}.{key}" if at else key
        decoder = keys.get(key)
        if decoder is not None:
            result = decoder(value, path, findings)
            if result is not INVALID:
                decoded[key] = result
        elif key in later:
            findings.add(later_feature.finding(f"`{key}`", place=findings.places.of(path)))
        else:
            near = nearest(key, keys)
            homes = findings.homes.get(key, ())
            findings.add(unknown_key.finding(key, place=findings.places.of(path), nearest=near, homes=homes))
    return decoded


def homes_of(tables: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Return for each key the tables of a file that know it.

    >>> homes_of({"`[run]`": ["retries"], "`[state]`": ["uri"]})["uri"]
    ('`uri` under `[state]`',)
    """
    homes: dict[str, tuple[str, ...]] = {}
    for home, keys in tables.items():
        for key in keys:
            homes[key] = (*homes.get(key, ()), f"`{key}` {'under ' if home.startswith('`') else ''}{home}")
    return homes


def text(value: Any, key: str, findings: Findings) -> Any:
    """Decode text."""
    return str(value) if isinstance(value, str) else findings.wrong_type(key, expected="text", value=value)


def flag(value: Any, key: str, findings: Findings) -> Any:
    """Decode true or false."""
    if isinstance(value, Substituted) and value in ("true", "false"):
        return value == "true"
    return value if isinstance(value, bool) else findings.wrong_type(key, expected="true or false", value=value)


def texts(value: Any, key: str, findings: Findings) -> Any:
    """Decode a list of text."""
    if not isinstance(value, list):
        return findings.wrong_type(key, expected="a list of text", value=value)
    items = [text(item, f"{key}.{index}", findings) for index, item in enumerate(value)]
    return INVALID if any(item is INVALID for item in items) else tuple(items)


def columns_list(value: Any, key: str, findings: Findings) -> Any:
    """Decode a list of at least one column name, each named once."""
    items = texts(value, key, findings)
    if items == ():
        return findings.wrong_type(key, expected="a list of at least one column", value=value)
    if items is INVALID:
        return items
    kept: dict[str, str] = {}
    for index, item in enumerate(items):
        if folded(item) not in kept:
            kept[folded(item)] = item
            continue
        message = f"`{key.rpartition('.')[2]}` names column `{item}` twice"
        place = findings.places.of(f"{key}.{index}")
        findings.add(conflicting_keys.finding(message, place=place, hint="remove one of them"))
    return tuple(kept.values())


def integer(minimum: int, maximum: int) -> Decoder:
    """Return a decoder of whole numbers in a range, both ends included."""

    def decode(value: Any, key: str, findings: Findings) -> Any:
        if isinstance(value, Substituted) and value.isascii() and value.isdigit() and len(value) < 19:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            return findings.wrong_type(key, expected="a whole number", value=value)
        if minimum <= value <= maximum:
            return value
        place = findings.places.of(key)
        expected = f"from {minimum} to {maximum}"
        return findings.add(invalid_number.finding(last(key), place=place, value=value, expected=expected))

    return decode


def choice(*words: str, later: tuple[str, ...] = ()) -> Decoder:
    """Return a decoder of one of the words; those in `later` name features to come."""

    def decode(value: Any, key: str, findings: Findings) -> Any:
        if not isinstance(value, str):
            return findings.wrong_type(key, expected=" or ".join(f'"{word}"' for word in words), value=value)
        if value in words:
            return str(value)
        place = findings.places.of(key)
        if value in later:
            return findings.add(later_feature.finding(f'`{last(key)} = "{value}"`', place=place))
        near = nearest(value, (*words, *later))
        shown = value[:60]
        return findings.add(invalid_choice.finding(last(key), place=place, value=shown, choices=words, nearest=near))

    return decode


def name(what: str) -> Decoder:
    """Return a decoder of names that lamina will use for a table, schema or variable."""

    def decode(value: Any, key: str, findings: Findings) -> Any:
        if not isinstance(value, str):
            return findings.wrong_type(key, expected="a name", value=value)
        if NAME.fullmatch(value):
            return str(value)
        return findings.add(invalid_name.finding(value[:60], place=findings.places.of(key), what=what))

    return decode


def model_name(value: Any, key: str, findings: Findings) -> Any:
    """Decode the full name of a model, `schema.model`."""
    if not isinstance(value, str):
        return findings.wrong_type(key, expected="the name of a model, such as `sales.orders`", value=value)
    schema, _, table = value.partition(".")
    if NAME.fullmatch(schema) and NAME.fullmatch(table):
        return value
    return findings.add(invalid_name.finding(value[:60], place=findings.places.of(key), what="model"))


def table_names(value: Any, key: str, findings: Findings) -> Any:
    """Decode a list of names of models or source tables."""
    items = texts(value, key, findings)
    if items is INVALID:
        return INVALID
    for index, item in enumerate(items):
        if not TABLE_NAME.fullmatch(item):
            place = findings.places.of(f"{key}.{index}")
            return findings.add(invalid_name.finding(item[:60], place=place, what="table"))
    return items


def table(keys: Mapping[str, Decoder], *, later: frozenset[str] = frozenset()) -> Decoder:
    """Return a decoder of a table with these keys, into a dict."""

    def decode(value: Any, key: str, findings: Findings) -> Any:
        if not isinstance(value, dict):
            return findings.wrong_type(key, expected="a table", value=value)
        return decode_table(value, keys, at=key, findings=findings, later=later)

    return decode


def table_of(decoder: Decoder) -> Decoder:
    """Return a decoder of a table with free keys, each value decoded alike."""

    def decode(value: Any, key: str, findings: Findings) -> Any:
        if not isinstance(value, dict):
            return findings.wrong_type(key, expected="a table", value=value)
        items = {name: decoder(item, f"{key}.{name}", findings) for name, item in value.items()}
        return {name: item for name, item in items.items() if item is not INVALID}

    return decode


def list_of(decoder: Decoder) -> Decoder:
    """Return a decoder of a list, each item decoded alike; items with problems are left out."""

    def decode(value: Any, key: str, findings: Findings) -> Any:
        if not isinstance(value, list):
            return findings.wrong_type(key, expected="a list", value=value)
        items = [decoder(item, f"{key}.{index}", findings) for index, item in enumerate(value)]
        return tuple(item for item in items if item is not INVALID)

    return decode


def spark_conf(value: Any, key: str, findings: Findings) -> Any:
    """Decode Spark settings; those that lamina's meaning rests on cannot be changed."""
    if not isinstance(value, dict):
        return findings.wrong_type(key, expected="a table of text", value=value)
    decoded: dict[str, str] = {}
    for setting, content in _flatten(value):
        path = f"{key}.{setting}"
        if setting in FIXED_CONF:
            message = f"`{setting}` is fixed: results must not depend on it"
            findings.add(conflicting_keys.finding(message, place=findings.places.of(path), hint="remove it"))
        elif isinstance(content, bool):
            decoded[setting] = str(content).lower()
        elif isinstance(content, str | int | float):
            decoded[setting] = str(content)
        else:
            findings.wrong_type(path, expected="text", value=content)
    return decoded


def last(key: str) -> str:
    """Return the last word of a key path, for messages; list positions are passed over."""
    parts = [part for part in key.split(".") if not part.isdigit()]
    return parts[-1] if parts else key


def _flatten(data: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    """Read `spark.sql.x = 1` written without quotes like the quoted key it means."""
    pairs: list[tuple[str, Any]] = []
    for key, value in data.items():
        path = f"{prefix}{key}"
        pairs.extend(_flatten(value, f"{path}.") if isinstance(value, dict) else [(path, value)])
    return pairs


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "true or false"
        case int() | float():
            return f"the number {value}"[:40]
        case str():
            return "text"
        case list():
            return "a list"
        case dict():
            return "a table"
        case datetime():
            return "a time"
        case date():
            return "a date"
        case _:
            return "this"
