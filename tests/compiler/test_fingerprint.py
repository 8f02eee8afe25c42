"""Which settings, variables, modules and joins enter a fingerprint."""

from collections.abc import Mapping
from typing import Any

import pytest
from sqlglot import parse_one

from lamina.compiler.identity.canonical import canonical
from lamina.compiler.identity.fingerprint import local, without_grid
from lamina.project.fixed_conf import FIXED_CONF
from lamina.project.model import CheckSettings, ContractSettings, InputSettings, ModelSettings
from lamina.project.project import Variable
from lamina.project.strategy import DeleteInsert, Ephemeral, FullRefresh, Incremental, Merge, TimeInterval
from lamina.values.names import ColumnName, Fingerprint, TableName
from lamina.values.schema import Column, DataType

A, B, DAY = ColumnName("a"), ColumnName("b"), ColumnName("day")
DAILY = ModelSettings(strategy=TimeInterval(time_column=DAY))


def fingerprint(settings: ModelSettings, **changes: Any) -> Fingerprint:
    """Return a fingerprint in which only what the test names varies."""
    arguments: Mapping[str, Any] = {
        "kind": "sql",
        "relations": {},
        "join_columns": (),
        "variables": (),
        "modules": {},
        "inlined": {},
    }
    return local(settings, **{**arguments, "code": "code", **changes})


@pytest.mark.parametrize(
    "changes",
    [
        {"cron": "@daily"},
        {"cron_timezone": "Europe/Stockholm"},
        {"tags": ("core",)},
        {"owner": "sales"},
        {"description": "rows"},
        {"alias": "elsewhere"},
        {"start": "2026-01-01"},
        {"end": "2027-01-01"},
        {"allow": ("L412",)},
        {"on_foreign_write": "accept"},
        {"on_drift": "fail"},
        {"contract": ContractSettings(required=(DAY,))},
        {"checks": (CheckSettings(type="not_null", column=DAY),)},
        {"columns": (Column(name=DAY, type=DataType("date")),)},
        {"inputs": {"raw.orders": InputSettings(on_touch="keep")}},
        {"conf": {"spark.sql.shuffle.partitions": "3"}},
        {"conf": {"spark.sql.adaptive.enabled": "false", "spark.executor.memory": "4g"}},
        {"conf": {"spark.sql.session.timeZone": "Asia/Tokyo"}},  # it has no effect
        {"partitioned_by": ("days(day)",)},
        {"partitioned_by": (" DAY( `Day` )",)},
        {"strategy": TimeInterval(time_column=ColumnName("DAY"))},
        {"strategy": TimeInterval(time_column=DAY, lookback=3)},
        {"strategy": TimeInterval(time_column=DAY, batch_size=7)},
    ],
    ids=str,
)
def test_settings_that_change_no_row_are_left_out(changes: dict[str, Any]) -> None:
    assert fingerprint(DAILY.replace(**changes)) == fingerprint(DAILY)


def test_what_a_check_that_sorts_rows_out_says_enters() -> None:
    check = CheckSettings(type="expression", expression="a > 0", on_failure="quarantine")
    others = (check, check.replace(expression="a > 1"), check.replace(where="b"), check.replace(name="positive"))
    assert len({fingerprint(DAILY.replace(checks=(item,))) for item in others}) == 4


@pytest.mark.parametrize(
    "changes",
    [
        {"timezone": "Europe/Stockholm"},
        {"partitioned_by": ("months(day)",)},
        {"partitioned_by": ("day",)},
        {"partitioned_by": ()},
        {"partitioned_by": ("days(day)", "id")},
        {"sorted_by": ("id",)},
        {"conf": {"spark.sql.legacy.timeParserPolicy": "LEGACY"}},
        {"conf": {"spark.sql.files.ignoreCorruptFiles": "true"}},
        {"conf": {"spark.unheard.of": "1"}},
        {"checks": (CheckSettings(type="not_null", column=DAY, on_failure="quarantine"),)},
        {"inputs": {"raw.orders": InputSettings(window="6 days")}},
        {"inputs": {"raw.orders": InputSettings(window_after="6 days")}},
        {"strategy": TimeInterval(time_column=ColumnName("other"))},
        {"strategy": TimeInterval(time_column=DAY, granularity="hour")},
        {"strategy": FullRefresh()},
        {"strategy": Ephemeral()},
        {"strategy": Incremental()},
        {"strategy": DeleteInsert(partition_by=(DAY,))},
        {"strategy": Merge(unique_key=(DAY,))},
    ],
    ids=str,
)
def test_settings_that_change_rows_or_layout_enter(changes: dict[str, Any]) -> None:
    assert fingerprint(DAILY.replace(**changes)) != fingerprint(DAILY)


@pytest.mark.parametrize(
    "other",
    [
        Merge(unique_key=(ColumnName("b"),)),
        Merge(unique_key=(ColumnName("a"),), update_columns=(ColumnName("b"),)),
        Merge(unique_key=(ColumnName("a"),), order_by=(ColumnName("b"),)),
        Merge(unique_key=(ColumnName("a"),), on_delete="delete"),
        Merge(unique_key=(ColumnName("a"),), driver=TableName("raw.orders")),
    ],
    ids=str,
)
def test_every_setting_of_a_merge_enters(other: Merge) -> None:
    merge = ModelSettings(strategy=Merge(unique_key=(ColumnName("a"),)))
    assert fingerprint(merge.replace(strategy=other)) != fingerprint(merge)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"strategy": Merge(unique_key=(A, B))}, {"strategy": Merge(unique_key=(B, ColumnName("A")))}),
        (
            {"strategy": Merge(unique_key=(A,), update_columns=(B, DAY), driver=TableName("raw.o"))},
            {"strategy": Merge(unique_key=(A,), update_columns=(DAY, B), driver=TableName("Raw.O"))},
        ),
        (
            {"strategy": Merge(unique_key=(A,), order_by=(B, DAY))},
            {"strategy": Merge(unique_key=(A,), order_by=(ColumnName("B"), ColumnName("Day")))},
        ),
        ({"strategy": DeleteInsert(partition_by=(A, B))}, {"strategy": DeleteInsert(partition_by=(B, A))}),
        (
            {"strategy": Incremental(timestamp_column=DAY)},
            {"strategy": Incremental(timestamp_column=ColumnName("DAY"))},
        ),
        ({"partitioned_by": ("bucket(16, id)",)}, {"partitioned_by": ("Bucket( 16,`ID`)",)}),
        ({"sorted_by": ("id", "day")}, {"sorted_by": ("ID", "Day")}),
        (
            {"inputs": {"raw.orders": InputSettings(window="2 days")}},
            {"inputs": {"RAW.orders": InputSettings(window="48h")}},
        ),
    ],
    ids=str,
)
def test_the_spelling_of_settings_is_left_out(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert fingerprint(ModelSettings(**one)) == fingerprint(ModelSettings(**other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            {"strategy": Merge(unique_key=(A,), order_by=(B, DAY))},
            {"strategy": Merge(unique_key=(A,), order_by=(DAY, B))},
        ),
        (
            {"strategy": Merge(unique_key=(A,), update_columns=())},
            {"strategy": Merge(unique_key=(A,), update_columns=None)},
        ),
        ({"partitioned_by": ("a", "b")}, {"partitioned_by": ("b", "a")}),
        ({"partitioned_by": ("bucket(16, id)",)}, {"partitioned_by": ("bucket(8, id)",)}),
        ({"sorted_by": ("a", "b")}, {"sorted_by": ("b", "a")}),
    ],
    ids=str,
)
def test_the_order_of_settings_that_are_sequences_enters(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert fingerprint(ModelSettings(**one)) != fingerprint(ModelSettings(**other))


@pytest.mark.parametrize("setting", FIXED_CONF)
def test_settings_that_sessions_fix_change_nothing(setting: str) -> None:
    assert fingerprint(ModelSettings(conf={setting: "other"})) == fingerprint(ModelSettings())


@pytest.mark.parametrize(
    "changes",
    [
        {"timezone": "Europe/Stockholm"},
        {"partitioned_by": ("months(day)",)},
        {"sorted_by": ("id",)},
        {"strategy": TimeInterval(time_column=DAY, granularity="hour")},
        {"strategy": TimeInterval(time_column=DAY, granularity="month")},
    ],
    ids=str,
)
def test_without_its_grid_a_model_is_the_same_in_other_slices(changes: dict[str, Any]) -> None:
    gridless = [without_grid(settings) for settings in (DAILY, DAILY.replace(**changes))]
    assert gridless[0] is not None
    assert gridless[1] is not None
    assert fingerprint(gridless[0]) == fingerprint(gridless[1])


def test_only_models_with_slices_have_a_grid_to_be_without() -> None:
    assert without_grid(ModelSettings()) is None
    other = without_grid(DAILY.replace(strategy=TimeInterval(time_column=ColumnName("other"))))
    gridless = without_grid(DAILY)
    assert other is not None
    assert gridless is not None
    assert fingerprint(other) != fingerprint(gridless)


def test_the_zone_of_a_model_without_intervals_changes_nothing() -> None:
    assert fingerprint(ModelSettings(timezone="Asia/Tokyo")) == fingerprint(ModelSettings())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"code": "a"}, {"code": "b"}),
        ({"kind": "sql"}, {"kind": "python"}),
        ({"relations": {"orders": "main.orders"}}, {"relations": {"orders": "sales.orders"}}),
        ({"join_columns": (("id",),)}, {"join_columns": (("id", "day"),)}),
        ({"join_columns": (("id",), ("day",))}, {"join_columns": (("id", "day"), ())}),
        ({"modules": {"lib/prices.py": "1"}}, {"modules": {"lib/prices.py": "2"}}),
        ({"inlined": {"sales.recent": "1"}}, {"inlined": {"sales.recent": "2"}}),
    ],
    ids=str,
)
def test_what_a_model_is_made_of_enters(before: dict[str, Any], after: dict[str, Any]) -> None:
    assert fingerprint(DAILY, **before) != fingerprint(DAILY, **after)


def test_a_variable_enters_by_its_value_and_type() -> None:
    minimum = Variable(name="minimum", type=DataType("int"), value="1")
    forms = {
        fingerprint(DAILY, variables=variables)
        for variables in [(), (minimum,), (minimum.replace(value="2"),), (minimum.replace(type=DataType("bigint")),)]
    }
    assert len(forms) == 4


def test_a_natural_join_that_captures_a_new_column_changes_the_fingerprint() -> None:
    code = canonical(parse_one("SELECT o.id FROM raw.orders o NATURAL JOIN raw.customers", dialect="spark"))
    captured = [fingerprint(DAILY, code=code, join_columns=joins) for joins in ((("id",),), (("id", "region"),))]
    assert captured[0] != captured[1]


def test_the_declared_types_of_a_seed_enter() -> None:
    typed = [ModelSettings(columns=(Column(name=DAY, type=DataType(kind)),)) for kind in ("date", "string")]
    assert fingerprint(typed[0], kind="seed") != fingerprint(typed[1], kind="seed")


def test_order_of_mappings_does_not_matter() -> None:
    one = fingerprint(DAILY.replace(conf={"a": "1", "b": "2"}), modules={"a.py": "1", "b.py": "2"})
    other = fingerprint(DAILY.replace(conf={"b": "2", "a": "1"}), modules={"b.py": "2", "a.py": "1"})
    assert one == other
