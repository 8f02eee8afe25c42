"""Read `[[checks]]`: which settings each check has and needs."""

from typing import Any

from lamina.project.check_values import limit, number, pattern, scalars, table_name
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
from lamina.project.rules import conflicting_keys, misplaced_key, missing_key
from lamina.project.schedule import duration

MOST_ROWS = 10**15
_COUNT = integer(0, MOST_ROWS)

OWN: dict[str, dict[str, Decoder]] = {
    "not_null": {"column": text},
    "unique": {"column": text, "columns": columns_list},
    "accepted_values": {"column": text, "values": scalars},
    "in_range": {"column": text, "min": limit, "max": limit},
    "regex_match": {"column": text, "pattern": pattern},
    "relationships": {"column": text, "to": table_name, "field": text},
    "not_in_future": {"column": text},
    "row_count": {"min": _COUNT, "max": _COUNT},
    "aggregate": {"expression": text, "min": number, "max": number},
    "expression": {"expression": text},
    "freshness": {"column": text, "error_after": duration},
    "custom_sql": {"sql": text},
}
# Of each group one is needed.
NEEDED: dict[str, tuple[tuple[str, ...], ...]] = {
    "unique": (("column", "columns"),),
    "in_range": (("column",), ("min", "max")),
    "row_count": (("min", "max"),),
    "aggregate": (("expression",), ("min", "max")),
}
# What a check is about unless it says so itself: two equal keys may come in different batches, and the newest row is
# rarely in the batch that fills an old slice.
SCOPES = {"unique": "table", "freshness": "table"}
# What contradicts the type of a check, and what to do instead.
_NO_ROWS = "it looks at all rows together: no single row fails it"
CONFLICTS: dict[tuple[str, str], tuple[str, str]] = {
    ("row_count", "max_failed_rows"): (_NO_ROWS, "change `min` or `max`"),
    ("aggregate", "max_failed_rows"): (_NO_ROWS, "change `min` or `max`"),
    ("freshness", "max_failed_rows"): (_NO_ROWS, "change `error_after`"),
    ("custom_sql", "where"): ("its query says which rows it looks at", "write the condition in `sql`"),
}
COMMON: dict[str, Decoder] = {
    "type": choice(*OWN),
    "name": text,
    "severity": choice("error", "warn"),
    "where": text,
    "max_failed_rows": _COUNT,
    "scope": choice("batch", "table"),
    "on_failure": choice("fail", "quarantine"),
}
KEYS: dict[str, Decoder] = {**COMMON}
for _own in OWN.values():
    KEYS.update(_own)


def check(value: Any, key: str, findings: Findings) -> Any:
    """Decode one check."""
    if not isinstance(value, dict):
        return findings.wrong_type(key, expected="a table", value=value)
    if "type" not in value:
        return findings.add(missing_key.finding("type", place=findings.places.of(key), needed_by="a check"))
    kind, before = value["type"], len(findings.found)
    own = OWN.get(kind, {}) if isinstance(kind, str) else {}
    settings = decode_table(value, {**KEYS, **own}, at=key, findings=findings)
    if "type" in settings:
        _check_fit(value, key, settings["type"], findings)
        _check_limits(settings, key, findings)
        settings.setdefault("scope", SCOPES.get(settings["type"], "batch"))
    return CheckSettings(**settings) if len(findings.found) == before else INVALID


def _check_fit(value: dict[str, Any], key: str, kind: str, findings: Findings) -> None:
    for needed in NEEDED.get(kind, tuple((name,) for name in OWN[kind])):
        if not any(name in value for name in needed):
            place = findings.places.of(key)
            findings.add(missing_key.finding(" or ".join(needed), place=place, needed_by=f"a `{kind}` check"))
    if "column" in value and "columns" in value:
        _conflict(findings, f"{key}.columns", "a check has `column` or `columns`, not both", "remove one of them")
    if kind == "freshness" and value.get("scope") == "batch":
        message = "a `freshness` check is about the newest row of the table, which few batches have"
        _conflict(findings, f"{key}.scope", message, "remove `scope`")
    for name in value:
        owners = tuple(owner for owner, own in OWN.items() if name in own)
        if owners and kind not in owners:
            where = findings.places.of(f"{key}.{name}")
            findings.add(misplaced_key.finding(name, place=where, of=f"a `{kind}` check", owners=owners))
        if (kind, name) in CONFLICTS:
            reason, hint = CONFLICTS[kind, name]
            _conflict(findings, f"{key}.{name}", f"`{name}` is not for `{kind}` checks: {reason}", hint)


def _check_limits(settings: dict[str, Any], key: str, findings: Findings) -> None:
    """Note limits that no value can keep."""
    least, most = settings.get("min"), settings.get("max")
    if least is None or most is None:
        return
    if isinstance(least, str) != isinstance(most, str):
        _conflict(findings, f"{key}.max", "`min` and `max` are of different kinds", "write two numbers or two times")
    elif least > most:
        _conflict(findings, f"{key}.max", f"`min` is above `max`: {least} and {most}", "exchange them")


def _conflict(findings: Findings, key: str, message: str, hint: str) -> None:
    findings.add(conflicting_keys.finding(message, place=findings.places.of(key), hint=hint))
