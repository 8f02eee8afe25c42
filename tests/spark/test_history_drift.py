"""A type that old rows cannot take: a table is built again where that loses nothing, and left alone where it would."""

import pytest
from tests.spark.lake import Lake

from lamina.project.strategy import DeleteInsert, Merge, Strategy, TimeInterval
from lamina.values.interval import WHOLE
from lamina.values.names import ColumnName
from lamina.values.plan import Mode
from lamina.warehouse.spark.drift import (
    DriftLosesHistory,
    DriftRefused,
    KeptRowsCollide,
    KeptRowsMixed,
    NeededColumnGone,
)

pytestmark = pytest.mark.spark

KEY, ORDER, VALUE = ColumnName("k"), ColumnName("o"), ColumnName("v")
BY_KEY, BY_ORDER = Merge(unique_key=(KEY,)), Merge(unique_key=(KEY,), order_by=(ORDER,))
MIRROR = Merge(unique_key=(KEY,), on_delete="delete")
BY_TUPLE = DeleteInsert(partition_by=(KEY,))
TWO = "SELECT * FROM VALUES (1, 1, 'a'), (NULL, 1, 'b') AS t(k, o, v)"


def rows(lake: Lake) -> list[tuple[object, ...]]:
    return lake.sql("SELECT * FROM lake.m.t ORDER BY k")


def mode(strategy: Strategy) -> Mode:
    modes: dict[type, Mode] = {Merge: "merge", DeleteInsert: "delete_insert", TimeInterval: "replace_slices"}
    return modes[type(strategy)]


@pytest.mark.parametrize(
    ("strategy", "query", "held"),
    [
        pytest.param(BY_KEY, "SELECT 1 AS k, 1 AS o, 7 AS v", "1 row that its query no longer gives", id="a key"),
        pytest.param(BY_TUPLE, "SELECT 1 AS k, 1 AS o, 7 AS v", "1 row that its query no longer gives", id="a tuple"),
        pytest.param(BY_KEY, "SELECT 1 AS k, 1 AS o, 7 AS v LIMIT 0", "2 rows that", id="all keys"),
        pytest.param(
            BY_KEY.replace(update_columns=(ORDER,)),
            "SELECT * FROM VALUES (1, 1, 7), (NULL, 1, 8) AS t(k, o, v)",
            "values of `v` that its query does not replace",
            id="first values",
        ),
        pytest.param(BY_KEY, "SELECT DATE'2026-01-01' AS k, 1 AS o, 'a' AS v", "2 rows that", id="another type of key"),
    ],
)
def test_history_is_not_given_up_for_a_new_type(lake: Lake, strategy: Strategy, query: str, held: str) -> None:
    lake.build(lake.add_model("m.t", TWO, strategy=strategy))
    before = rows(lake)

    with pytest.raises(DriftLosesHistory, match=held) as refused:
        lake.stage(lake.add_model("m.t", query, strategy=strategy), carried=(WHOLE,))

    assert "lamina run --full-refresh --accept-loss -s m.t" in str(refused.value.hint)
    assert rows(lake) == before


def test_a_rebuild_carries_values_over_that_the_query_does_not_replace(lake: Lake) -> None:
    strategy = BY_KEY.replace(update_columns=(ORDER,))
    lake.build(lake.add_model("m.t", TWO, strategy=strategy))
    query = "SELECT * FROM VALUES (1, 2, 'new', 7), (3, 2, 'c', 7) AS t(k, o, v, w)"

    staged = lake.build(lake.add_model("m.t", query, strategy=strategy), carried=(WHOLE,))

    assert rows(lake) == [(None, 1, "b", None), (1, 2, "a", 7), (3, 2, "c", 7)]
    assert (staged.counts.written, staged.counts.carried, staged.retained) == (2, 1, 1)


def test_kept_rows_that_a_new_key_cannot_tell_apart_are_not_lost(lake: Lake) -> None:
    two = "SELECT * FROM VALUES (1, 1, 'a'), (1, 2, 'a') AS t(k, o, v)"
    lake.build(lake.add_model("m.t", two, strategy=Merge(unique_key=(KEY, ORDER))))

    with pytest.raises(KeptRowsCollide, match="the same `k`"):
        lake.stage(lake.add_model("m.t", "SELECT 9 AS k, 1 AS o, 'z' AS v", strategy=BY_KEY), carried=(WHOLE,))
    other = Merge(unique_key=(ColumnName("other"),))
    with pytest.raises(KeptRowsCollide, match="no column `other`"):
        lake.stage(lake.add_model("m.t", "SELECT 9 AS other", strategy=other), carried=(WHOLE,))


@pytest.mark.parametrize(
    ("strategy", "query"),
    [
        pytest.param(BY_KEY, "SELECT * FROM VALUES (1, 0, 7), (NULL, 1, 8) AS t(k, o, v)", id="every key is there"),
        pytest.param(BY_ORDER, "SELECT * FROM VALUES (1, 1, 7), (NULL, 2, 8) AS t(k, o, v)", id="none is older"),
        pytest.param(BY_TUPLE, "SELECT * FROM VALUES (1, 7), (NULL, 8) AS t(k, v)", id="every tuple is there"),
        pytest.param(MIRROR, "SELECT 1 AS k, 1 AS o, 7 AS v", id="a mirror keeps nothing"),
    ],
)
def test_a_table_whose_rows_all_come_again_is_built_again(lake: Lake, strategy: Strategy, query: str) -> None:
    lake.build(lake.add_model("m.t", TWO, strategy=strategy))

    with pytest.raises(DriftRefused, match="from string to int"):
        lake.stage(lake.add_model("m.t", query, strategy=strategy), mode(strategy))


@pytest.mark.parametrize(
    ("strategy", "query", "gone"),
    [
        pytest.param(BY_ORDER, "SELECT 1 AS k, 'new' AS v", "o", id="order"),
        pytest.param(BY_KEY, "SELECT 1 AS o, 'new' AS v", "k", id="key"),
        pytest.param(BY_TUPLE, "SELECT 1 AS o, 'new' AS v", "k", id="tuple"),
        pytest.param(TimeInterval(time_column=ORDER), "SELECT 1 AS k, 'new' AS v", "o", id="time"),
    ],
)
def test_a_strategy_does_not_go_on_without_its_columns(lake: Lake, strategy: Strategy, query: str, gone: str) -> None:
    lake.build(lake.add_model("m.t", TWO))
    model = lake.add_model("m.t", query, strategy=strategy)

    with pytest.raises(NeededColumnGone, match=f"no column `{gone}`"):
        lake.stage(model, mode(strategy))
    with pytest.raises(NeededColumnGone, match=f"no column `{gone}`"):
        lake.stage(model, "replace_all")


def test_kept_rows_are_not_taken_from_a_version_that_another_program_wrote(lake: Lake) -> None:
    built = lake.build(lake.add_model("m.t", TWO, strategy=BY_KEY))
    lake.sql("INSERT INTO lake.m.t VALUES (99, 1, 'theirs')")
    less = lake.add_model("m.t", "SELECT 1 AS k, 1 AS o, 'a' AS v", strategy=BY_KEY)

    staged = lake.stage(less, carried=(WHOLE,), carried_from=built.position)
    assert staged.counts.carried == 1

    lake.sql("CALL lake.system.expire_snapshots(table => 'm.t', older_than => now(), retain_last => 1)")
    with pytest.raises(KeptRowsMixed) as refused:
        lake.stage(less, carried=(WHOLE,), carried_from=built.position)
    assert "lamina accept m.t" in str(refused.value.hint)
