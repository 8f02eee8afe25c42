"""Verification: a table against a recompute over what it was built from, by what each strategy promises."""

import os

import pytest
from tests.spark.lake import Lake, day

from lamina.project.strategy import DeleteInsert, Merge, TimeInterval
from lamina.values.interval import WHOLE
from lamina.values.names import ColumnName, Position, TableName

pytestmark = pytest.mark.spark

RAW = TableName("raw.orders")
KEY, VALUE = ColumnName("id"), ColumnName("v")


@pytest.fixture
def orders(lake: Lake) -> Lake:
    """A source of three rows on three days."""
    lake.add_source("raw.orders", columns="id int, v string, ts timestamp", format="csv")
    rows = "".join(f"{n},v{n},2026-01-0{n}T00:00:00Z\n" for n in (1, 2, 3))
    lake.write_csv("raw/orders/a.csv", "id,v,ts\n" + rows)
    return lake


def pinned(lake: Lake) -> dict[TableName, Position]:
    return {pin.input: pin.position for pin in lake.pins(lake.graph.models[-1])}


def test_equal_table_is_equal_also_with_nulls_maps_and_double_rows(orders: Lake) -> None:
    text = "SELECT v, CAST(NULL AS INT) AS n, map('k', 1) AS m FROM raw.orders UNION ALL SELECT 'v1', 1, NULL"
    model = orders.add_model("v.t", text + " UNION ALL SELECT 'v1', 1, NULL", inputs=("raw.orders",))
    orders.build(model)

    found = orders.warehouse.compare(model, (WHOLE,), pinned(orders))

    assert (found.rows_expected, found.rows_actual, found.missing, found.extra) == (5, 5, 0, 0)
    assert found.unverifiable is None


def test_difference_is_counted_and_shown(orders: Lake) -> None:
    model = orders.add_model("v.t", "SELECT id, v FROM raw.orders", inputs=("raw.orders",))
    orders.build(model)
    orders.sql("DELETE FROM lake.v.t WHERE id = 1")
    orders.sql("INSERT INTO lake.v.t VALUES (2, 'v2')")

    found = orders.warehouse.compare(model, (WHOLE,), pinned(orders))

    assert (found.missing, found.extra) == (1, 1)
    assert found.examples == ('missing: {"id":1,"v":"v1"}', 'extra: {"id":2,"v":"v2"}')


def test_interval_model_is_compared_within_its_slices(orders: Lake) -> None:
    model = orders.add_model(
        "v.t",
        "SELECT id, ts FROM raw.orders WHERE ts >= @start_ts AND ts < @end_ts",
        inputs=("raw.orders",),
        columns="id int, ts timestamp",
        strategy=TimeInterval(time_column=ColumnName("ts")),
    )
    orders.build(model, "replace_slices", slices=(day(1), day(2), day(3)))
    orders.sql("DELETE FROM lake.v.t WHERE id = 2")

    outside = orders.warehouse.compare(model, (day(1), day(3)), pinned(orders))
    inside = orders.warehouse.compare(model, (day(1), day(2)), pinned(orders))

    assert (outside.rows_expected, outside.missing) == (2, 0)
    assert (inside.rows_expected, inside.missing) == (2, 1)


def test_keys_that_left_the_source_are_retained_not_different(orders: Lake) -> None:
    text = "SELECT id, v FROM raw.orders"
    for strategy in (Merge(unique_key=(KEY,)), DeleteInsert(partition_by=(KEY,))):
        model = orders.add_model("v.t", text, inputs=("raw.orders",), strategy=strategy)
        orders.build(model)
        orders.sql("INSERT INTO lake.v.t VALUES (9, 'old')")
        orders.sql("UPDATE lake.v.t SET v = 'wrong' WHERE id = 2")

        found = orders.warehouse.compare(model, (WHOLE,), pinned(orders))

        assert (found.missing, found.extra, found.retained) == (1, 1, 1), strategy


def test_columns_outside_update_columns_are_not_compared(orders: Lake) -> None:
    strategy = Merge(unique_key=(KEY,), update_columns=(VALUE,))
    model = orders.add_model("v.t", "SELECT id, v, ts FROM raw.orders", inputs=("raw.orders",), strategy=strategy)
    orders.build(model)
    orders.sql("UPDATE lake.v.t SET ts = NULL")

    found = orders.warehouse.compare(model, (WHOLE,), pinned(orders))

    assert (found.rows_expected, found.missing, found.extra) == (3, 0, 0)


def test_inputs_that_are_gone_make_it_unverifiable_with_the_reason(orders: Lake) -> None:
    model = orders.add_model("v.t", "SELECT id FROM raw.orders", inputs=("raw.orders",))
    orders.build(model)
    pins = pinned(orders)
    os.utime(orders.folder / "raw/orders/a.csv", ns=(1, 1))

    changed = orders.warehouse.compare(model, (WHOLE,), pins)
    forgotten = orders.warehouse.compare(model, (WHOLE,), {RAW: Position("unknown")})

    assert "is not as it was" in str(changed.unverifiable)
    assert "not in the warehouse" in str(forgotten.unverifiable)


def test_the_sign_of_zero_is_a_difference_also_inside_a_value(orders: Lake) -> None:
    text = "SELECT CAST('0.0' AS DOUBLE) AS d, named_struct('f', CAST('0.0' AS FLOAT)) AS s FROM raw.orders"
    model = orders.add_model("v.t", text, inputs=("raw.orders",))
    orders.build(model)
    assert (found := orders.warehouse.compare(model, (WHOLE,), pinned(orders))).missing == 0, found

    orders.sql("UPDATE lake.v.t SET d = CAST('-0.0' AS DOUBLE)")
    assert orders.warehouse.compare(model, (WHOLE,), pinned(orders)).missing == 3

    orders.sql("UPDATE lake.v.t SET d = CAST('0.0' AS DOUBLE), s = named_struct('f', CAST('-0.0' AS FLOAT))")
    assert orders.warehouse.compare(model, (WHOLE,), pinned(orders)).extra == 3


@pytest.mark.parametrize("kind", ["TIMESTAMP", "TIMESTAMP_NTZ"])
def test_microseconds_are_a_difference_also_beside_a_double(orders: Lake, kind: str) -> None:
    text = f"SELECT named_struct('t', {kind} '2026-01-01 00:00:00.000001', 'x', 1.5D) AS s FROM raw.orders"
    model = orders.add_model("v.t", text, inputs=("raw.orders",))
    orders.build(model)
    assert (found := orders.warehouse.compare(model, (WHOLE,), pinned(orders))).missing == 0, found

    orders.sql(f"UPDATE lake.v.t SET s = named_struct('t', {kind} '2026-01-01 00:00:00.000006', 'x', 1.5D)")

    found = orders.warehouse.compare(model, (WHOLE,), pinned(orders))
    assert (found.missing, found.extra) == (3, 3)
    assert ".000001" in found.examples[0], found.examples
