"""Read `[[checks]]`: which settings each check has and needs."""

from math import isfinite
from typing import Any

from lamina.project.decode import (
    INVALID,
    Decoder,
    Findings,
    choice,
    columns_list,
    decode_table,
    integer,
    text,
)
from lamina.project.model import CheckSettings
from lamina.project.rules import conflicting_keys, later_feature, misplaced_key, missing_key

LATER_CHECKS = (
    "relationships",
    "in_range",
    "regex_match",
    "aggregate",
    "freshness",
    "custom_sql",
    "not_in_future",
)
LATER_KEYS = frozenset({"on_failure", "to", "field", "pattern", "sql"})
MOST_ROWS = 10**15


def scalars(value: Any, key: str, findings: Findings) -> Any:
    """Decode a list of at least one text, number or truth value."""
    if isinstance(value, list) and value and all(_is_scalar(item) for item in value):
        return tuple(value)
    return findings.wrong_type(key, expected="a list of values", value=value)


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


OWN: dict[str, dict[str, Decoder]] = {
    "not_null": {"column": text},
    "unique": {"column": text, "columns": columns_list},
    "accepted_values": {"column": text, "values": scalars},
    "row_count": {"min": integer(0, MOST_ROWS), "max": integer(0, MOST_ROWS)},
    "expression": {"expression": text},
}
NEEDED = {
    "not_null": (("column",),),
    "unique": (("column", "columns"),),
    "accepted_values": (("column",), ("values",)),
    "row_count": (("min", "max"),),
    "expression": (("expression",),),
}
# What a check is about unless it says so itself: two equal keys may come in different batches.
SCOPES = {"unique": "table"}
KEYS: dict[str, Decoder] = {
    "type": choice(*OWN, later=LATER_CHECKS),
    "name": text,
    "severity": choice("error", "warn"),
    "where": text,
    "max_failed_rows": integer(0, MOST_ROWS),
    "scope": choice("batch", "table"),
}
for _own in OWN.values():
    KEYS.update(_own)


def check(value: Any, key: str, findings: Findings) -> Any:
    """Decode one check."""
    if not isinstance(value, dict):
        return findings.wrong_type(key, expected="a table", value=value)
    if "type" not in value:
        return findings.add(missing_key.finding("type", place=findings.places.of(key), needed_by="a check"))
    kind = value["type"]
    if isinstance(kind, str) and kind in LATER_CHECKS:
        return findings.add(later_feature.finding(f"check `{kind}`", place=findings.places.of(f"{key}.type")))
    before = len(findings.found)
    settings = decode_table(value, KEYS, at=key, findings=findings, later=LATER_KEYS)
    if "type" in settings:
        _check_fit(value, key, settings["type"], findings)
        settings.setdefault("scope", SCOPES.get(settings["type"], "batch"))
    return CheckSettings(**settings) if len(findings.found) == before else INVALID


def _check_fit(value: dict[str, Any], key: str, kind: str, findings: Findings) -> None:
    for needed in NEEDED[kind]:
        if not any(name in value for name in needed):
            place = findings.places.of(key)
            findings.add(missing_key.finding(" or ".join(needed), place=place, needed_by=f"a `{kind}` check"))
    if "column" in value and "columns" in value:
        where = findings.places.of(f"{key}.columns")
        message = "a check has `column` or `columns`, not both"
        findings.add(conflicting_keys.finding(message, place=where, hint="remove one of them"))
    for name in value:
        owners = tuple(owner for owner, own in OWN.items() if name in own)
        if owners and kind not in owners:
            where = findings.places.of(f"{key}.{name}")
            findings.add(misplaced_key.finding(name, place=where, of=f"a `{kind}` check", owners=owners))
