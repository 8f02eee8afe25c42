"""Read a model's settings file: decode it, lay it over the defaults of its folders, and check the whole."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from lamina.project.check_keys import KEYS as CHECK_KEYS
from lamina.project.check_keys import check
from lamina.project.column_keys import KEYS as COLUMN_KEYS
from lamina.project.column_keys import columns
from lamina.project.decode import (
    INVALID,
    Decoder,
    Findings,
    choice,
    decode_table,
    flag,
    homes_of,
    list_of,
    model_name,
    name,
    spark_conf,
    table,
    table_names,
    table_of,
    text,
    texts,
)
from lamina.project.limit_keys import ANOMALY_KEYS, BUDGET_KEYS, FRESHNESS_KEYS, LATER_BUDGET_KEYS, build_freshness
from lamina.project.limits import AnomalySettings, BudgetSettings
from lamina.project.model import ContractSettings, InputSettings, ModelSettings, SettingPlaces
from lamina.project.rules import conflicting_keys, invalid_choice
from lamina.project.schedule import cron, duration, instant, timezone
from lamina.project.strategy_keys import ALL_KEYS as STRATEGY_KEYS
from lamina.project.strategy_keys import begin_of, build_strategy, lookback_of, rebuild_of, strategy_table
from lamina.project.toml import read_toml
from lamina.values.diagnostic import Diagnostic
from lamina.values.value import Value
from lamina.values.words import counted

CODE = re.compile(r"L[0-9]{3}")


def codes(value: Any, key: str, findings: Findings) -> Any:
    """Decode a list of diagnostic codes."""
    items = texts(value, key, findings)
    if not isinstance(items, tuple):
        return items
    wrong = [(place, item) for place, item in enumerate(items) if CODE.fullmatch(item) is None]
    for index, item in wrong:
        place = findings.places.of(f"{key}.{index}")
        found = invalid_choice.finding(key, place=place, value=item[:60], choices=(), nearest=None)
        findings.add(found.replace(hint="write the code as a diagnostic shows it, such as `L412`"))
    return INVALID if wrong else items


WINDOW_KEYS: dict[str, Decoder] = {"before": duration, "after": duration}


def window(value: Any, key: str, findings: Findings) -> Any:
    """Decode how far an input is read: before the slice as a duration, or on both sides as a table."""
    if isinstance(value, str):
        before = duration(value, key, findings)
        return before if before is INVALID else {"before": before, "after": None}
    if not isinstance(value, dict):
        expected = 'a duration, or `{ before = "6 days", after = "1 day" }`'
        return findings.wrong_type(key, expected=expected, value=value)
    return decode_table(value, WINDOW_KEYS, at=key, findings=findings, later=frozenset())


INPUT_KEYS: dict[str, Decoder] = {"on_touch": choice("rebuild", "keep"), "window": window}
CONTRACT_KEYS: dict[str, Decoder] = {"required": texts, "protected": texts, "no_new_nullable": flag}
KEYS: dict[str, Decoder] = {
    "strategy": strategy_table,
    "description": text,
    "owner": text,
    "tags": texts,
    "enabled": flag,
    "alias": name("table"),
    "schema": name("schema"),
    "renamed_from": model_name,
    "depends_on": table_names,
    "cron": cron,
    "cron_timezone": timezone,
    "timezone": timezone,
    "start": instant,
    "first_partition": instant,
    "end": instant,
    "allow_partials": flag,
    "readiness": choice("strict", "cron"),
    "partitioned_by": texts,
    "sorted_by": texts,
    "on_change": choice("rebuild", "forward_only"),
    "protect_history": flag,
    "on_drift": choice("evolve", "fail", "ignore"),
    "on_foreign_write": choice("fail", "rebuild", "accept"),
    "allow": codes,
    "conf": spark_conf,
    "inputs": table_of(table(INPUT_KEYS)),
    "columns": columns,
    "contract": table(CONTRACT_KEYS),
    "checks": list_of(check),
    "anomaly": table(ANOMALY_KEYS),
    "freshness": table(FRESHNESS_KEYS),
    "budget": table(BUDGET_KEYS, later=LATER_BUDGET_KEYS),
}
LATER_KEYS = frozenset(["late", "signal", "grants", "hook", "hooks"])


# What other tools call a setting, and where it is here.
OTHER_NAMES = {
    "materialized": "`type` under `[strategy]`",
    "materialization": "`type` under `[strategy]`",
    "incremental_strategy": "`type` under `[strategy]`",
    "kind": "`type` under `[strategy]`",
    "primary_key": "`unique_key` under `[strategy]`",
    "event_time": "`time_column` under `[strategy]`",
    "cluster_by": "`sorted_by` at the top level",
    "tests": "`[[checks]]`",
    "data_tests": "`[[checks]]`",
}
HOMES = {
    **homes_of(
        {
            "`[strategy]`": STRATEGY_KEYS,
            '`[inputs."TABLE"]`': INPUT_KEYS,
            "`window`": WINDOW_KEYS,
            "`[contract]`": CONTRACT_KEYS,
            "`[[checks]]`": CHECK_KEYS,
            "`[anomaly]`": ANOMALY_KEYS,
            "`[budget]`": BUDGET_KEYS,
            "`[freshness]`": FRESHNESS_KEYS,
            "`[[columns]]`": COLUMN_KEYS,
            "at the top level": KEYS,
        }
    ),
    **{key: (home,) for key, home in OTHER_NAMES.items()},
}


class Sidecar(Value, frozen=True):
    """A model's settings, where its keys are, and what is wrong with them."""

    settings: ModelSettings
    places: SettingPlaces
    diagnostics: tuple[Diagnostic, ...] = ()


class Defaults(Value, frozen=True):
    """The decoded `_defaults.toml` of a folder, laid over those of the folders above it."""

    settings: dict[str, Any] = {}
    diagnostics: tuple[Diagnostic, ...] = ()  # of this folder's file only


def read_defaults(path: str, content: str, *, above: Defaults, variables: Mapping[str, str]) -> Defaults:
    """Read one `_defaults.toml`; the nearer folder wins."""
    own, findings, _ = _decode(path, content, variables=variables)
    return Defaults(settings=_merge(above.settings, own), diagnostics=tuple(findings.found))


def read_sidecar(path: str, content: str, *, defaults: Defaults, variables: Mapping[str, str]) -> Sidecar:
    """Read the settings file of one model; an absent one is an empty text."""
    own, findings, is_whole = _decode(path, content, variables=variables)
    settings = _build(_merge(defaults.settings, own), findings) if is_whole else ModelSettings()
    return Sidecar(settings=settings, places=findings.places, diagnostics=tuple(findings.found))


def _decode(path: str, content: str, *, variables: Mapping[str, str]) -> tuple[dict[str, Any], Findings, bool]:
    """Return the decoded keys, the findings, and whether the file could be parsed at all."""
    document = read_toml(path, content, variables=variables)
    findings = Findings(document.places, HOMES)
    own = decode_table(document.data, KEYS, at="", findings=findings, later=LATER_KEYS)
    found = findings.found
    findings.found = [*document.diagnostics, *found]
    return own, findings, bool(document.data) or not document.diagnostics


def _merge(above: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Lay one file over its defaults: tables merge by key, everything else is replaced."""
    merged = {**above, **own}
    for key in above.keys() & own.keys():
        old, new = above[key], own[key]
        is_other_strategy = key == "strategy" and new.get("type", old.get("type")) != old.get("type")
        if isinstance(old, dict) and isinstance(new, dict) and not is_other_strategy:
            merged[key] = _merge(old, new)
    return merged


def _build(settings: dict[str, Any], findings: Findings) -> ModelSettings:
    built = {**settings}
    begin = begin_of(built.get("strategy", {}))
    if "strategy" in built:
        built["strategy"] = build_strategy(built["strategy"], findings=findings)
    if "contract" in built:
        built["contract"] = ContractSettings(**built["contract"])
    if "anomaly" in built:
        built["anomaly"] = AnomalySettings(**built["anomaly"])
    if "budget" in built:
        built["budget"] = BudgetSettings(**built["budget"])
    if "freshness" in built:
        built["freshness"] = build_freshness(built["freshness"], "freshness", findings)
    if "inputs" in built:
        built["inputs"] = {table: _input(item) for table, item in built["inputs"].items()}
    first = built.pop("first_partition", None)
    if first is not None and "start" in built:
        _conflict("`first_partition` is another name for `start`", "first_partition", "remove one of them", findings)
    elif first is not None:
        built["start"] = first
    if begin is not None and "start" in built:
        _conflict("`begin` is another name for `start`", "strategy.begin", "remove one of them", findings)
    elif begin is not None:
        built["start"] = begin
    if "end" in built and "start" in built and _day(built["end"]) < _day(built["start"]):
        _conflict(f"`end` is before `start`: `{built['end']}`", "end", "exchange them", findings)
    return _settled(ModelSettings(**built), findings)


def _settled(settings: ModelSettings, findings: Findings) -> ModelSettings:
    """Note what contradicts itself: slices that every run builds again, beside a budget or history that stays."""
    redone, again = rebuild_of(settings.strategy), lookback_of(settings.strategy)
    if settings.budget.on_breach == "stop" and redone != "stale":
        message = f'`rebuild = "{redone}"` builds slices in every run, which `[budget]` would stop before new ones'
        _conflict(message, "strategy.rebuild", 'use `on_breach = "warn"`, or `rebuild = "stale"`', findings)
    most = settings.budget.max_slices
    if settings.budget.on_breach == "stop" and most is not None and again >= most:
        message = (
            f"`lookback` builds {counted(again, 'slice')} again before a new one, and `max_slices` allows {most} "
            "in one run"
        )
        _conflict(message, "budget.max_slices", f"allow {again + 1} or more, or set a shorter `lookback`", findings)
    if redone == "always" and (settings.protect_history or settings.on_change == "forward_only"):
        kept = "protect_history" if settings.protect_history else "on_change"
        message = f'`rebuild = "always"` builds all of history in every run, and `{kept}` is to keep it as it is'
        _conflict(message, "strategy.rebuild", f"use another `rebuild`, or remove `{kept}`", findings)
    return settings


def _input(item: Mapping[str, Any]) -> InputSettings:
    sides = item.get("window", {})
    others = {key: value for key, value in item.items() if key != "window"}
    return InputSettings(**others, window=sides.get("before"), window_after=sides.get("after"))


def _day(text: str) -> date:
    return datetime.fromisoformat(text).date()


def _conflict(message: str, key: str, hint: str, findings: Findings) -> None:
    findings.add(conflicting_keys.finding(message, place=findings.places.of(key), hint=hint))
