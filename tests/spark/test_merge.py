"""Upserts and key replacement: one commit each, null keys equal, order decides, counts add up."""

import pytest
from tests.spark.lake import Lake

from lamina.project.strategy import DeleteInsert, Merge
from lamina.values.names import ColumnName
from lamina.values.plan import Mode
from lamina.warehouse.failure import WarehouseFailure

pytestmark = pytest.mark.spark

KEY, ORDER, VALUE = (ColumnName(name) for name in ("k", "o", "v"))


def values(*rows: str) -> str:
    return f"SELECT * FROM VALUES {', '.join(rows)} AS t(k, o, v, w)"


def test_merge_updates_listed_columns_and_inserts_all(lake: Lake) -> None:
    strategy = Merge(unique_key=(KEY,), update_columns=(VALUE,))
    lake.build(lake.add_model("m.t", values("(1, 1, 'a', 'x')", "(NULL, 1, 'n', 'x')"), strategy=strategy))
    model = lake.add_model(
        "m.t", values("(1, 2, 'b', 'y')", "(NULL, 2, 'm', 'y')", "(3, 1, 'c', 'z')"), strategy=strategy
    )

    staged = lake.build(model, "merge")

    assert lake.sql("SELECT * FROM lake.m.t ORDER BY k") == [(None, 1, "m", "x"), (1, 1, "b", "x"), (3, 1, "c", "z")]
    assert (staged.counts.inserted, staged.counts.replaced, staged.counts.duplicate) == (1, 2, 0)


def test_merge_of_a_whole_source_takes_the_last_row_by_order_and_decides_by_the_source_alone(lake: Lake) -> None:
    strategy = Merge(unique_key=(KEY,), order_by=(ORDER,))
    first = lake.build(
        lake.add_model("m.t", values("(1, 1, 'a', 'x')", "(1, 5, 'b', 'x')", "(2, 1, 'c', 'x')"), strategy=strategy)
    )
    model = lake.add_model(
        "m.t",
        values("(1, 4, 'old', 'x')", "(2, 2, 'new', 'x')", "(2, 3, 'newer', 'x')", "(4, NULL, 'd', 'x')"),
        strategy=strategy,
    )

    staged = lake.build(model, "merge")

    assert lake.sql("SELECT k, o, v FROM lake.m.t ORDER BY k") == [(1, 4, "old"), (2, 3, "newer"), (4, None, "d")]
    assert (first.counts.inserted, first.counts.duplicate) == (2, 1)
    assert (staged.counts.inserted, staged.counts.replaced, staged.counts.duplicate) == (1, 2, 1)


def test_a_zero_that_takes_a_sign_is_another_value(lake: Lake) -> None:
    strategy = Merge(unique_key=(KEY,), order_by=(ORDER,))

    def rows(zero: str) -> str:
        return values(f"(1, 1, {zero}, array({zero}))", "(2, 1, 1.5D, array(1.5D))")

    lake.build(lake.add_model("m.t", rows("0.0D"), strategy=strategy))
    staged = lake.build(lake.add_model("m.t", rows("-0.0D"), strategy=strategy), "merge")

    assert lake.sql("SELECT CAST(v AS STRING), CAST(w[0] AS STRING) FROM lake.m.t WHERE k = 1") == [("-0.0", "-0.0")]
    assert staged.counts.replaced == 1


@pytest.mark.parametrize("mode", ["replace_all", "merge"])
def test_merge_without_order_refuses_a_key_that_comes_twice(lake: Lake, mode: Mode) -> None:
    strategy = Merge(unique_key=(KEY,))
    lake.build(lake.add_model("m.t", values("(1, 1, 'a', 'x')"), strategy=strategy))
    model = lake.add_model("m.t", values("(7, 1, 'a', 'x')", "(7, 1, 'b', 'x')"), strategy=strategy)

    with pytest.raises(WarehouseFailure, match="k = 7") as caught:
        lake.stage(model, mode)

    assert caught.value.kind == "data_rejected"


def test_merge_deletes_keys_that_left_the_source(lake: Lake) -> None:
    strategy = Merge(unique_key=(KEY,), on_delete="delete")
    lake.build(lake.add_model("m.t", values("(1, 1, 'a', 'x')", "(2, 1, 'b', 'x')"), strategy=strategy))

    staged = lake.build(lake.add_model("m.t", values("(2, 1, 'b', 'x')"), strategy=strategy), "merge")

    assert lake.sql("SELECT k FROM lake.m.t") == [(2,)]
    assert staged.counts.deleted == 1


def test_delete_insert_replaces_whole_tuples_null_safe(lake: Lake) -> None:
    strategy = DeleteInsert(partition_by=(KEY, ORDER))
    rows = values("(1, 1, 'a', 'x')", "(1, 1, 'b', 'x')", "(1, 2, 'keep', 'x')", "(NULL, 1, 'n', 'x')")
    lake.build(lake.add_model("m.t", rows, strategy=strategy))
    model = lake.add_model("m.t", values("(1, 1, 'c', 'x')", "(NULL, 1, 'm', 'x')"), strategy=strategy)

    staged = lake.build(model, "delete_insert")

    found = lake.sql("SELECT k, o, v FROM lake.m.t ORDER BY k, o, v")
    assert found == [(None, 1, "m"), (1, 1, "c"), (1, 2, "keep")]
    assert (staged.counts.inserted, staged.counts.deleted) == (2, 3)


def test_delete_insert_evaluates_its_query_once(lake: Lake) -> None:
    strategy, seen = DeleteInsert(partition_by=(KEY,)), lake.folder / "seen.txt"

    def note(key: int) -> int:
        with seen.open("a") as file:
            file.write(f"{key}\n")
        return key

    lake.spark.udf.register("note", note, "int")
    query = "SELECT note(k) AS k, v FROM (SELECT CAST(id AS INT) AS k, 'a' AS v FROM range(3))"
    lake.build(lake.add_model("m.t", query, strategy=strategy))
    seen.unlink()

    lake.build(lake.add_model("m.t", query.replace("'a'", "'b'"), strategy=strategy), "delete_insert")

    assert sorted(seen.read_text().split()) == ["0", "1", "2"]
    assert lake.sql("SELECT * FROM lake.m.t ORDER BY k") == [(0, "b"), (1, "b"), (2, "b")]
