"""Read `[strategy]`: which settings each strategy has, which it needs, and which cannot be used together."""

from collections.abc import Mapping
from typing import Any, get_args

from lamina.project.decode import INVALID, Decoder, Findings, choice, columns_list, decode_table, integer, text, texts
from lamina.project.rules import conflicting_keys, misplaced_key, missing_key
from lamina.project.schedule import duration, instant
from lamina.project.strategy import (
    LAST_DAYS,
    DeleteInsert,
    Ephemeral,
    FullRefresh,
    Incremental,
    Merge,
    Microbatch,
    SnapshotHistory,
    Strategy,
    TimeInterval,
    View,
)
from lamina.values.grid import Unit
from lamina.values.names import folded
from lamina.values.nearest import nearest

LATER_STRATEGIES = ("events",)
LATER_KEYS = frozenset(
    [
        *("load_time", "keep", "max_window", "overlap"),
        *("checksum_by", "grace", "future_tolerance"),
    ]
)


UNITS: tuple[str, ...] = get_args(Unit)


def batch_size(value: Any, key: str, findings: Findings) -> Any:
    """Decode a number of units per batch, or `auto`; a unit is dbt's word for the granularity of a microbatch."""
    if value == "auto" or value in UNITS:
        return str(value)
    return integer(1, 1_000_000)(value, key, findings)


def rebuild(value: Any, key: str, findings: Findings) -> Any:
    """Decode which slices every run builds; of the last days, how many."""
    word, _, number = value.partition(":") if isinstance(value, str) else ("", "", "")
    if word != LAST_DAYS or not number.isascii() or not number.isdigit() or len(number) > 6:
        return choice("stale", "always", f"{LAST_DAYS}:7")(value, key, findings)
    count = integer(1, 100_000)(int(number), key, findings)
    return count if count is INVALID else f"{LAST_DAYS}:{count}"


KEYS: dict[str, dict[str, Decoder]] = {
    "full_refresh": {},
    "incremental": {
        "timestamp_column": text,
        "position": choice("version", "timestamp"),
        "driver": text,
        "safety_lag": duration,
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
        "granularity": choice(*UNITS),
        "lookback": integer(0, 100_000),
        "batch_size": batch_size,
        "rebuild": rebuild,
    },
    "microbatch": {
        "time_column": text,
        "event_time": text,
        "granularity": choice(*UNITS),
        "lookback": integer(0, 100_000),
        "batch_size": batch_size,
        "rebuild": rebuild,
        "begin": instant,
    },
    "delete_insert": {"partition_by": columns_list},
    "snapshot": {"unique_key": columns_list, "updated_at": text, "check_columns": columns_list},
    "ephemeral": {},
    "view": {},
}
NEEDED = {
    "merge": "unique_key",
    "time_interval": "time_column",
    "microbatch": "time_column",
    "delete_insert": "partition_by",
    "snapshot": "unique_key",
}
NOUNS: dict[str, type] = {
    "full_refresh": FullRefresh,
    "incremental": Incremental,
    "merge": Merge,
    "time_interval": TimeInterval,
    "microbatch": Microbatch,
    "delete_insert": DeleteInsert,
    "snapshot": SnapshotHistory,
    "ephemeral": Ephemeral,
    "view": View,
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
    fitting = _in_own_words(fitting, NOUNS[kind], findings)
    needed = NEEDED.get(kind)
    if needed and needed not in fitting:
        place = findings.places.of("strategy")
        if not findings.places.has(f"strategy.{needed}"):
            findings.add(missing_key.finding(needed, place=place, needed_by=f"a `{kind}` strategy"))
        return FullRefresh()
    if kind == "merge":
        _check_merge(fitting, findings)
    if kind == "snapshot" and not _is_whole_snapshot(fitting, findings):
        return FullRefresh()
    built: Strategy = NOUNS[kind](**fitting)
    return built


def begin_of(settings: Mapping[str, Any]) -> str | None:
    """Return where a model's time begins, if its strategy says so."""
    return settings.get("begin") if "begin" in KEYS.get(settings.get("type", ""), {}) else None


def _in_own_words(settings: dict[str, Any], noun: type, findings: Findings) -> dict[str, Any]:
    """Return settings without dbt's names: those of a microbatch become ours, elsewhere a unit is no batch size."""
    known = {**settings}
    known.pop("begin", None)  # the start of the model
    event_time, unit = known.pop("event_time", None), known.get("batch_size")
    if unit in UNITS and noun is not Microbatch:
        findings.wrong_type("strategy.batch_size", expected="a whole number", value=known.pop("batch_size"))
    elif unit in UNITS:
        known["granularity"] = _one_of("granularity", "batch_size", known, known.pop("batch_size"), findings)
    if event_time is not None:
        known["time_column"] = _one_of("time_column", "event_time", known, event_time, findings)
    return known


def _one_of(key: str, other: str, settings: Mapping[str, Any], value: Any, findings: Findings) -> Any:
    """Return what another name of a key sets, unless the key is set as well."""
    if key not in settings:
        return value
    message = f"`{other}` is another name for `{key}`" if other != "batch_size" else f"`{other}` and `{key}` are units"
    place = findings.places.of(f"strategy.{other}")
    findings.add(conflicting_keys.finding(message, place=place, hint="remove one of them"))
    return settings[key]


def _check_merge(settings: Mapping[str, Any], findings: Findings) -> None:
    keys = {folded(name) for name in settings["unique_key"]}
    both = sorted(name for name in settings.get("update_columns", ()) if folded(name) in keys)
    if both:
        message = f"`{both[0]}` is in `unique_key` and in `update_columns`"
        place = findings.places.of("strategy.update_columns")
        findings.add(
            conflicting_keys.finding(message, place=place, hint="a key never changes; remove it from `update_columns`")
        )


def _is_whole_snapshot(settings: Mapping[str, Any], findings: Findings) -> bool:
    """Say whether a snapshot has exactly one way to see that a row changed, which is not by its key."""
    places, ways = findings.places, [key for key in ("updated_at", "check_columns") if key in settings]
    if not ways:
        is_written = any(places.has(f"strategy.{key}") for key in ("updated_at", "check_columns"))
        if not is_written:
            place, needed_by = places.of("strategy"), "a `snapshot` strategy without `check_columns`"
            findings.add(missing_key.finding("updated_at", place=place, needed_by=needed_by))
        return False
    if len(ways) == 2:
        message = "`updated_at` and `check_columns` are two ways to see that a row changed"
        place = places.of("strategy.check_columns")
        findings.add(conflicting_keys.finding(message, place=place, hint="remove one of them"))
        return False
    keys = {folded(name) for name in settings["unique_key"]}
    named = settings.get("check_columns", (settings.get("updated_at"),))
    both = sorted(name for name in named if folded(name) in keys)
    if both:
        message = f"`{both[0]}` is in `unique_key` and in `{ways[0]}`"
        hint = f"a key never changes; remove it from `{ways[0]}` or from `unique_key`"
        findings.add(conflicting_keys.finding(message, place=places.of(f"strategy.{ways[0]}"), hint=hint))
    return not both


def rebuild_of(strategy: Strategy) -> str:
    """Return which slices of a model every run builds; only stale ones where it has none."""
    return strategy.rebuild if isinstance(strategy, TimeInterval) else "stale"


def lookback_of(strategy: Strategy) -> int:
    """Return how many slices a model builds again before new ones."""
    return strategy.lookback if isinstance(strategy, TimeInterval) else 0
