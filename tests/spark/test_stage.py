"""Staging and publishing: readers see nothing before and all of it after."""

import pytest
from tests.spark.lake import Lake, day

from lamina.project.strategy import TimeInterval
from lamina.values.names import ColumnName
from lamina.warehouse.failure import WarehouseFailure

pytestmark = pytest.mark.spark

ORDERS = "id bigint, ts timestamp, amount int"


def test_first_build_appears_whole_when_it_is_published(lake: Lake) -> None:
    lake.add_source("raw.orders", columns=ORDERS, format="csv")
    lake.write_csv("raw/orders/a.csv", "id,ts,amount\n1,2026-01-01T10:00:00Z,5\n2,2026-01-02T10:00:00Z,7\n")
    model = lake.add_model("sales.orders", "SELECT id, amount FROM raw.orders", inputs=("raw.orders",))

    staged = lake.stage(model)

    assert (staged.counts.written, staged.counts.inserted) == (2, 2)
    assert lake.warehouse.heads([model.target])[model.target].pointer is None
    lake.publish(staged)
    head = lake.warehouse.heads([model.target])[model.target]
    assert head.position == staged.position
    assert [(column.name, column.type) for column in head.columns] == [("id", "bigint"), ("amount", "int")]
    assert lake.sql("SELECT * FROM lake.sales.orders ORDER BY id") == [(1, 5), (2, 7)]


def test_full_refresh_replaces_all_rows_and_keeps_the_old_version(lake: Lake) -> None:
    model = lake.add_model("sales.numbers", "SELECT id FROM range(3)")
    first = lake.build(model)
    model = lake.add_model("sales.numbers", "SELECT id + 10 AS id FROM range(2)")
    second = lake.stage(model)

    assert lake.sql("SELECT count(*) FROM lake.sales.numbers") == [(3,)]
    lake.publish(second)

    assert lake.sql("SELECT id FROM lake.sales.numbers ORDER BY id") == [(10,), (11,)]
    assert lake.sql(f"SELECT count(*) FROM lake.sales.numbers VERSION AS OF {first.position}") == [(3,)]
    assert (second.counts.inserted, second.counts.deleted) == (2, 3)


def test_interval_replaces_its_own_days_also_by_nothing(lake: Lake) -> None:
    lake.add_source("raw.orders", columns=ORDERS, format="csv")
    rows = "id,ts,amount\n" + "".join(f"{n},2026-01-0{n}T10:00:00Z,{n}\n" for n in (1, 2, 3))
    lake.write_csv("raw/orders/a.csv", rows)
    model = lake.add_model(
        "sales.daily",
        "SELECT id, ts, amount FROM raw.orders WHERE ts >= @start_date AND ts < @end_date",
        inputs=("raw.orders",),
        columns=ORDERS,
        strategy=TimeInterval(time_column=ColumnName("ts")),
    )
    lake.build(model, "replace_slices", slices=(day(1), day(2), day(3)))
    lake.write_csv("raw/orders/a.csv", "id,ts,amount\n3,2026-01-03T11:00:00Z,30\n")
    second = lake.build(model, "replace_slices", slices=(day(2), day(3)))

    assert lake.sql("SELECT id, amount FROM lake.sales.daily ORDER BY id") == [(1, 1), (3, 30)]
    assert (second.counts.inserted, second.counts.deleted) == (1, 2)


def test_row_outside_the_batch_fails_it(lake: Lake) -> None:
    model = lake.add_model(
        "sales.late",
        "SELECT TIMESTAMP '2026-01-05 00:00:00' AS ts, @start_ts AS seen",
        columns="ts timestamp, seen timestamp",
        strategy=TimeInterval(time_column=ColumnName("ts")),
    )

    with pytest.raises(WarehouseFailure, match="outside the batch") as caught:
        lake.stage(model, "replace_slices", slices=(day(1),))

    assert caught.value.kind == "data_rejected"


def test_abandoned_stage_deletes_no_metadata_of_a_table_that_removes_old_ones(lake: Lake) -> None:
    model = lake.add_model("sales.numbers", "SELECT id FROM range(3)")
    lake.build(model)
    lake.sql(
        "ALTER TABLE lake.sales.numbers SET TBLPROPERTIES ("
        "'write.metadata.delete-after-commit.enabled' = 'True', 'write.metadata.previous-versions-max' = '1')"
    )
    model = lake.add_model("sales.numbers", "SELECT id, 1 AS more FROM range(2)")

    staged = lake.stage(model, "append")  # a commit for the new column, one for the rows

    assert lake.sql("SELECT count(*) FROM lake.sales.numbers") == [(3,)]
    lake.warehouse.discard(staged.batch.commit)
    assert lake.sql("SELECT count(*) FROM lake.sales.numbers") == [(3,)]
    lake.publish(lake.stage(model, "append"))
    assert lake.sql("SELECT count(*) FROM lake.sales.numbers") == [(5,)]
