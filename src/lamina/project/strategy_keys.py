"""Read `[strategy]`: which settings each strategy has, which it needs, and which cannot be used together."""

from collections.abc import Mapping
from typing import Any, get_args

from lamina.project.decode import Decoder, Findings, choice, columns_list, decode_table, integer, text, texts
from lamina.project.rules import conflicting_keys, misplaced_key, missing_key
from lamina.project.strategy import (
    DeleteInsert,
    Ephemeral,
    FullRefresh,
    Incremental,
    Merge,
    Strategy,
    TimeInterval,
)
from lamina.values.grid import Unit
from lamina.values.names import folded
from lamina.values.nearest import nearest

LATER_STRATEGIES = ("microbatch", "view", "events", "snapshot")
LATER_KEYS = frozenset(
    [
        *("event_time", "begin", "load_time", "keep", "max_window", "safety_lag", "overlap", "rebuild"),
        *("updated_at", "check_columns", "checksum_by", "grace", "future_tolerance"),
    ]
)


def batch_size(value: Any, key: str, findings: Findings) -> Any:
    """Decode a number of units per batch, or `auto`."""
    return "auto" if value == "auto" else integer(1, 1_000_000)(value, key, findings)


KEYS: dict[str, dict[str, Decoder]] = {
    "full_refresh": {},
    "incremental": {
        "timestamp_column": text,
        "position": choice("version", later=("timestamp",)),
        "driver": text,
    },
    "merge": {
        "unique_key": columns_list,
        "update_columns": columns_list,
        "timestamp_column": text,
        "driver": text,
        "order_by": texts,
        "on_delete": choice("keep", "delete"),
    },
    "time_interval": {
        "time_column": text,
        "granularity": choice(*get_args(Unit)),
        "lookback": integer(0, 100_000),
        "batch_size": batch_size,
    },
    "delete_insert": {"partition_by": columns_list},
    "ephemeral": {},
}
NEEDED = {"merge": "unique_key", "time_interval": "time_column", "delete_insert": "partition_by"}
NOUNS: dict[str, type] = {
    "full_refresh": FullRefresh,
    "incremental": Incremental,
    "merge": Merge,
    "time_interval": TimeInterval,
    "delete_insert": DeleteInsert,
    "ephemeral": Ephemeral,
}
ALL_KEYS: dict[str, Decoder] = {"type": choice(*KEYS, later=LATER_STRATEGIES)}
for _keys in KEYS.values():
    ALL_KEYS.update(_keys)


def strategy_table(value: Any, key: str, findings: Findings) -> Any:
    """Decode the table into its own settings; whether they fit the type is decided once defaults are applied."""
    if not isinstance(value, dict):
        return findings.wrong_type(key, expected="a table", value=value)
    if value.get("type") in LATER_STRATEGIES:
        value = {"type": value["type"]}  # its own settings would only repeat the finding
    decoded = decode_table(value, ALL_KEYS, at=key, findings=findings, later=LATER_KEYS)
    written = value.get("type")
    if "type" not in decoded and isinstance(written, str) and (near := nearest(written, KEYS)):
        decoded["type"] = near  # what is probably meant, so that one misspelling is one finding
    return decoded


def build_strategy(settings: Mapping[str, Any], *, findings: Findings) -> Strategy:
    """Return the strategy of merged settings; with problems, the default."""
    kind = settings.get("type")
    if kind is None:
        if findings.places.has("strategy") and not findings.places.has("strategy.type"):
            place = findings.places.of("strategy")
            findings.add(missing_key.finding("type", place=place, needed_by="`[strategy]`"))
        return FullRefresh()
    fitting = {key: value for key, value in settings.items() if key in KEYS[kind]}
    for key in sorted(settings.keys() - fitting.keys() - {"type"}):
        owners = tuple(owner for owner, keys in KEYS.items() if key in keys)
        place = findings.places.of(f"strategy.{key}")
        findings.add(misplaced_key.finding(key, place=place, of=f"a `{kind}` strategy", owners=owners))
    needed = NEEDED.get(kind)
    if needed and needed not in fitting:
        place = findings.places.of("strategy")
        if not findings.places.has(f"strategy.{needed}"):
            findings.add(missing_key.finding(needed, place=place, needed_by=f"a `{kind}` strategy"))
        return FullRefresh()
    if kind == "merge":
        _check_merge(fitting, findings)
    built: Strategy = NOUNS[kind](**fitting)
    return built


def _check_merge(settings: Mapping[str, Any], findings: Findings) -> None:
    keys = {folded(name) for name in settings["unique_key"]}
    both = sorted(name for name in settings.get("update_columns", ()) if folded(name) in keys)
    if both:
        message = f"`{both[0]}` is in `unique_key` and in `update_columns`"
        place = findings.places.of("strategy.update_columns")
        findings.add(
            conflicting_keys.finding(message, place=place, hint="a key never changes; remove it from `update_columns`")
        )
