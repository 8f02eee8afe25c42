"""Read `[anomaly]`, `[budget]` and `[freshness]`: which settings they have, and which numbers make sense."""

from typing import Any

from lamina.project.check_values import number
from lamina.project.decode import INVALID, Decoder, Findings, choice, integer, last, table, text
from lamina.project.limits import FreshnessSettings
from lamina.project.rules import conflicting_keys, invalid_number, missing_key
from lamina.project.schedule import duration

_MOST_PERCENT = 1_000_000
_MOST_ROWS = 10**15
_MOST_SLICES = 10**9
ON_BREACH = choice("warn", "stop")


def percent(value: Any, key: str, findings: Findings) -> Any:
    """Decode a percentage, whole or not; 0 switches off what it limits."""
    decoded = number(value, key, findings)
    if decoded is INVALID or 0 <= decoded <= _MOST_PERCENT:
        return decoded
    expected = f"from 0 to {_MOST_PERCENT}"
    return findings.add(
        invalid_number.finding(last(key), place=findings.places.of(key), value=decoded, expected=expected)
    )


ANOMALY_KEYS: dict[str, Decoder] = {
    "threshold_percent": percent,
    "history": integer(1, 1000),
    "on_breach": ON_BREACH,
}
BUDGET_KEYS: dict[str, Decoder] = {
    "max_slices": integer(1, _MOST_SLICES),
    "max_rows_written": integer(1, _MOST_ROWS),
    "max_duration": duration,
    "on_breach": ON_BREACH,
}
LATER_BUDGET_KEYS = frozenset({"max_bytes_read"})
ON_STALE = choice("report", "hold")
FRESHNESS_KEYS: dict[str, Decoder] = {
    "column": text,
    "warn_after": duration,
    "error_after": duration,
    "on_stale": ON_STALE,
}
freshness_table = table(FRESHNESS_KEYS)


def build_freshness(settings: dict[str, Any], key: str, findings: Findings) -> FreshnessSettings | None:
    """Return what `[freshness]` says, or note what is missing or contradicts itself; `key` is where it is."""
    place, before = findings.places.of(key), len(findings.found)
    if "column" not in settings:
        findings.add(missing_key.finding("column", place=place, needed_by="`[freshness]`"))
    if "warn_after" not in settings and "error_after" not in settings:
        findings.add(missing_key.finding("warn_after or error_after", place=place, needed_by="`[freshness]`"))
    if len(findings.found) > before:
        return None
    built = FreshnessSettings(**settings)
    if built.warn_seconds is not None and built.error_seconds is not None and built.warn_seconds > built.error_seconds:
        message = f"`warn_after` is longer than `error_after`: {built.warn_after} and {built.error_after}"
        place = findings.places.of(f"{key}.warn_after")
        findings.add(conflicting_keys.finding(message, place=place, hint="exchange them"))
    return built
