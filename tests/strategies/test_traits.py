"""What is known of each strategy, and that nothing of it decides rows without being in the fingerprint."""

from typing import get_args

import pytest

from lamina.compiler.identity.fingerprint import rows_and_layout
from lamina.project.model import ModelSettings
from lamina.project.strategy import (
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
from lamina.project.strategy_keys import KEYS, NOUNS
from lamina.strategies.table import TRAITS, traits_of
from lamina.values.codec import content_hash
from lamina.values.names import ColumnName, TableName

ID, SHOP, SEEN, NAME = (ColumnName(name) for name in ("Id", "Shop", "Seen", "Name"))
DAILY = TimeInterval(time_column=ColumnName("Day"), lookback=2, batch_size=7)
HOURLY = Microbatch(time_column=ColumnName("Day"))
MERGED = Merge(unique_key=(SHOP, ID))
CHOSEN = MERGED.replace(update_columns=(SEEN, NAME), order_by=(SEEN,), driver=TableName("Raw.Orders"))
PURGED = MERGED.replace(on_delete="delete")
APPENDED = Incremental(timestamp_column=SEEN, driver=TableName("Raw.Orders"))
REPLACED = DeleteInsert(partition_by=(SHOP, ID))
TIMED = SnapshotHistory(unique_key=(SHOP, ID), updated_at=SEEN)
CHECKED = SnapshotHistory(unique_key=(SHOP, ID), check_columns=(SEEN, NAME))


def test_every_strategy_has_its_traits() -> None:
    assert set(TRAITS) == set(get_args(Strategy)) == set(NOUNS.values())
    assert set(KEYS) == set(NOUNS)


@pytest.mark.parametrize(
    ("strategy", "name", "mode", "new_rows"),
    [
        (FullRefresh(), "full_refresh", "replace_all", None),
        (Ephemeral(), "ephemeral", None, None),
        (View(), "view", None, None),
        (APPENDED, "incremental", "replace_all", "append"),
        (MERGED, "merge", "merge", None),
        (CHOSEN, "merge", "merge", "merge"),
        (CHOSEN.replace(on_delete="delete"), "merge", "merge", None),
        (DAILY, "time_interval", "replace_slices", None),
        (HOURLY, "microbatch", "replace_slices", None),
        (REPLACED, "delete_insert", "delete_insert", None),
        (TIMED, "snapshot", "snapshot", None),
    ],
)
def test_how_a_strategy_writes(strategy: Strategy, name: str, mode: str | None, new_rows: str | None) -> None:
    traits = traits_of(strategy)
    assert (traits.name, traits.mode, traits.new_rows) == (name, mode, new_rows)
    assert traits.has_table == (mode is not None)
    assert traits.is_defined == isinstance(strategy, View)
    assert traits.is_append == isinstance(strategy, Incremental)
    assert traits.is_recomputed == isinstance(strategy, FullRefresh)


@pytest.mark.parametrize(
    ("strategy", "telling", "kept_by", "compared"),
    [
        (FullRefresh(), (), (), None),
        (APPENDED, (), (), None),
        (DAILY, ("Day",), (), None),
        (HOURLY, ("Day",), (), None),
        (MERGED, (SHOP, ID), (SHOP, ID), None),
        (CHOSEN, (SHOP, ID, SEEN), (SHOP, ID), (SHOP, ID, SEEN, NAME, SEEN)),
        (PURGED, (SHOP, ID), (), None),
        (REPLACED, (SHOP, ID), (SHOP, ID), None),
        (TIMED, (SHOP, ID, SEEN), (SHOP, ID), None),
        (CHECKED, (SHOP, ID, SEEN, NAME), (SHOP, ID), None),
    ],
)
def test_which_columns_matter(
    strategy: Strategy, telling: tuple[str, ...], kept_by: tuple[str, ...], compared: tuple[str, ...] | None
) -> None:
    traits = traits_of(strategy)
    assert (traits.telling, traits.kept_by, traits.compared) == (telling, kept_by, compared)


@pytest.mark.parametrize(
    ("strategy", "holds"),
    [
        (FullRefresh(), False),
        (APPENDED, False),
        (DAILY, True),
        (PURGED, True),
        (MERGED, True),
        (REPLACED, True),
        (TIMED, True),
    ],
)
def test_which_tables_can_hold_more_than_their_query_gives(strategy: Strategy, holds: bool) -> None:
    assert traits_of(strategy).can_hold_more == holds


def test_a_table_has_the_columns_that_its_strategy_adds_and_a_key_of_its_rows() -> None:
    assert [column.name for column in traits_of(TIMED).added] == ["valid_from", "valid_to"]
    assert traits_of(TIMED).row_key == (SHOP, ID, "valid_from")
    assert (traits_of(MERGED).added, traits_of(MERGED).row_key) == ((), (SHOP, ID))
    assert traits_of(REPLACED).row_key == ()


def test_a_driver_is_declared_by_its_name_or_its_timestamp() -> None:
    assert traits_of(MERGED).driver is None
    for strategy in (CHOSEN, MERGED.replace(timestamp_column=SEEN), Incremental(), APPENDED):
        assert traits_of(strategy).driver is not None


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        (FullRefresh(), "e5185afdfa359f08cfdf6ffc85a9f656"),
        (Ephemeral(), "2b64a04d648bafb52a08975628d1c547"),
        (APPENDED, "19ed6c5d625bb845a635135f01f6a35b"),
        (CHOSEN, "396e0fd49a791881150fabcfb04261cb"),
        (PURGED, "2eaf28756e33e75a49f9cdc8c6bc56f3"),
        (DAILY, "5b94e3753a9c034425a28a79db26a0cf"),
        (REPLACED, "c9747db4ae8cca2d5ff92ad3c7b84103"),
        (TIMED, "61bd6d762490543c6cb41b85479dbf47"),
        (CHECKED, "f6ace51d38091eb2b9f8d0fe13b0c6ff"),
    ],
)
def test_what_a_fingerprint_takes_of_a_strategy_never_changes(strategy: Strategy, expected: str) -> None:
    """Another value would rebuild every table of every user."""
    assert content_hash(rows_and_layout(ModelSettings(strategy=strategy, timezone="Europe/Stockholm"))) == expected


def test_a_microbatch_is_an_interval_model_to_a_fingerprint() -> None:
    alike = TimeInterval(time_column=ColumnName("day"), granularity="hour", rebuild="always")
    assert rows_and_layout(ModelSettings(strategy=HOURLY)) == rows_and_layout(ModelSettings(strategy=alike))


def test_what_every_run_builds_is_known_to_the_planner() -> None:
    for rebuild, expected in (("stale", "stale"), ("always", "always"), ("last_days:12", 12)):
        slices = traits_of(DAILY.replace(rebuild=rebuild)).slices
        assert slices is not None
        assert slices.rebuild == expected
