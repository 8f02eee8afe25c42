"""Decoders of what checks compare with: values, numbers, limits, patterns, tables."""

from datetime import UTC, date, datetime
from math import isfinite
from typing import Any

from lamina.project.decode import TABLE_NAME, Findings, last
from lamina.project.patterns import pattern_problem
from lamina.project.rules import invalid_date, invalid_name, invalid_pattern
from lamina.project.toml import Substituted

_LONGEST = 60


def scalars(value: Any, key: str, findings: Findings) -> Any:
    """Decode a list of at least one text, number or truth value."""
    if isinstance(value, list) and value and all(_is_scalar(item) for item in value):
        return tuple(value)
    return findings.wrong_type(key, expected="a list of values", value=value)


def number(value: Any, key: str, findings: Findings) -> Any:
    """Decode a number, whole or not."""
    if isinstance(value, Substituted):
        value = _as_number(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and _is_scalar(value):
        return value
    return findings.wrong_type(key, expected="a number", value=value)


def limit(value: Any, key: str, findings: Findings) -> Any:
    """Decode a number, or a date or time as text or as TOML's own; a time is put in UTC, so that texts compare."""
    if isinstance(value, str | date):
        text = value if isinstance(value, str) else value.isoformat()
        if isinstance(value, Substituted) and not isinstance(as_number := _as_number(value), str):
            return as_number
        try:
            moment = datetime.fromisoformat(text)
            moment = moment.astimezone(UTC) if moment.tzinfo else moment
        except (ValueError, OverflowError):
            found = invalid_date.finding(last(key), place=findings.places.of(key), value=text[:_LONGEST])
            return findings.add(found.replace(hint="write a number, or a date such as `2026-01-31`"))
        if len(text) <= len("2026-01-31"):
            return moment.date().isoformat()
        return moment.replace(tzinfo=None).isoformat(sep=" ")
    return number(value, key, findings)


def pattern(value: Any, key: str, findings: Findings) -> Any:
    """Decode a regular expression, as Spark reads it."""
    if not isinstance(value, str):
        return findings.wrong_type(key, expected="a regular expression", value=value)
    reason = pattern_problem(value)
    if reason is None:
        return str(value)
    place = findings.places.of(key)
    return findings.add(invalid_pattern.finding(last(key), place=place, value=value[:_LONGEST], reason=reason))


def table_name(value: Any, key: str, findings: Findings) -> Any:
    """Decode the name of a model or source table."""
    if not isinstance(value, str):
        return findings.wrong_type(key, expected="a table", value=value)
    if TABLE_NAME.fullmatch(value):
        return str(value)
    return findings.add(invalid_name.finding(value[:_LONGEST], place=findings.places.of(key), what="table"))


def _is_scalar(item: Any) -> bool:
    """Return whether a value can be in a column: numbers must fit Spark's longest."""
    match item:
        case bool() | str():
            return True
        case int():
            return abs(item) < 2**63
        case float():
            return isfinite(item)
        case _:
            return False


def _as_number(text: str) -> int | float | str:
    """Return what a variable holds as the number that it is, if it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
