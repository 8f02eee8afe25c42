"""Upserts under drift: what a table keeps is not erased, what it lacks is not written, and neither orders rows."""

import pytest
from tests.spark.lake import Lake

from lamina.project.strategy import Merge
from lamina.values.names import ColumnName

pytestmark = pytest.mark.spark

KEY, ORDER = ColumnName("k"), ColumnName("o")
BY_KEY = Merge(unique_key=(KEY,))
BY_ORDER = Merge(unique_key=(KEY,), order_by=(ORDER,))


@pytest.mark.parametrize(
    ("query", "rows"),
    [
        pytest.param("SELECT 1 AS k, 'new' AS v", [(1, "kept", "new")], id="one gone"),
        pytest.param("SELECT 1 AS k, 'b' AS a, 'new' AS v, 7 AS extra", [(1, "b", "new")], id="one more"),
        pytest.param("SELECT 1 AS k, 'new' AS v, 7 AS extra", [(1, "kept", "new")], id="one gone and one more"),
        pytest.param("SELECT 1 AS k, 7 AS extra", [(1, "kept", "old")], id="only the key is left"),
    ],
)
def test_merge_that_ignores_drift_updates_the_columns_both_have(
    lake: Lake, query: str, rows: list[tuple[object, ...]]
) -> None:
    first = lake.build(lake.add_model("m.t", "SELECT 1 AS k, 'kept' AS a, 'old' AS v", strategy=BY_KEY))

    second = lake.build(lake.add_model("m.t", query, strategy=BY_KEY, on_drift="ignore"), "merge")

    assert lake.sql("SELECT * FROM lake.m.t") == rows
    assert second.position != first.position


def test_merge_that_ignores_drift_casts_without_losing_or_adding_a_column(lake: Lake) -> None:
    first = "SELECT * FROM VALUES (1, 'kept', 5), (2, 'too', 6) AS t(k, a, v)"
    lake.build(lake.add_model("m.t", first, strategy=BY_KEY))
    model = lake.add_model("m.t", "SELECT 1 AS k, 'five' AS v, 7 AS extra", strategy=BY_KEY, on_drift="ignore")

    lake.build(model, "merge")

    assert lake.spark.table("lake.m.t").dtypes == [("k", "int"), ("a", "string"), ("v", "string")]
    assert lake.sql("SELECT * FROM lake.m.t ORDER BY k") == [(1, "kept", "five"), (2, "too", "6")]


def test_a_column_that_is_gone_does_not_decide_which_row_is_newer(lake: Lake) -> None:
    lake.add_source("raw.orders", columns="k int, o int, v string", format="csv")
    lake.write_csv("raw/orders/a.csv", "k,o,v\n1,1,b\n2,1,b\n")
    text, inputs = "SELECT k, o, v FROM raw.orders", ("raw.orders",)
    model = lake.add_model("m.t", text.replace("v FROM", "'kept' AS a, v FROM"), inputs=inputs, strategy=BY_ORDER)
    (first,) = lake.pins(model)
    lake.build(model)
    lake.write_csv("raw/orders/b.csv", "k,o,v\n1,1,c\n2,1,a\n")
    model = lake.add_model("m.t", text, inputs=inputs, strategy=BY_ORDER)
    (second,) = lake.pins(model)

    lake.build(model, "merge", pins=(second.replace(since=first.position),))

    assert lake.sql("SELECT k, o, a, v FROM lake.m.t ORDER BY k") == [(1, 1, "kept", "c"), (2, 1, "kept", "b")]


def test_a_row_is_left_alone_that_differs_only_in_a_column_that_is_gone(lake: Lake) -> None:
    lake.build(lake.add_model("m.t", "SELECT 1 AS k, 1 AS o, 'kept' AS a, 'v' AS v", strategy=BY_ORDER))

    staged = lake.build(lake.add_model("m.t", "SELECT 1 AS k, 1 AS o, 'v' AS v", strategy=BY_ORDER), "merge")

    assert (staged.counts.replaced, staged.counts.duplicate) == (0, 1)
    assert lake.sql("SELECT a FROM lake.m.t") == [("kept",)]
