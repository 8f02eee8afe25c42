"""A table's columns and layout: made as declared, followed in place where they can, replaced where not."""

import pytest
from tests.spark.lake import Lake, day

from lamina.project.strategy import FullRefresh, Incremental, TimeInterval
from lamina.values.interval import Interval
from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType
from lamina.warehouse.iceberg.metadata import read_metadata
from lamina.warehouse.spark.drift import DriftForbidden, DriftRefused

pytestmark = pytest.mark.spark

TS = ColumnName("ts")


def test_layout_sorting_and_descriptions_are_written(lake: Lake) -> None:
    model = lake.add_model(
        "s.t",
        "SELECT 1 AS id, 'x' AS country, TIMESTAMP '2026-01-01' AS ts",
        description='it\'s \\ "described"',
        partitioned_by=("country", "days(ts)", "bucket(4, id)"),
        sorted_by=("id",),
        columns="",
    )
    described = model.settings.replace(columns=(Column(name=ColumnName("id"), description="the key"),))
    lake.build(model.replace(settings=described))

    found = read_metadata(str(lake.warehouse.heads([model.target])[model.target].pointer))

    assert [(field.column, field.transform) for field in found.layout] == [
        ("country", "identity"),
        ("ts", "day"),
        ("id", "bucket[4]"),
    ]
    assert found.sorting == ("id",)
    assert found.columns[0].description == "the key"
    assert found.properties["comment"] == 'it\'s \\ "described"'


def test_new_and_wider_columns_are_followed_in_place(lake: Lake) -> None:
    lake.build(lake.add_model("s.t", "SELECT 1 AS id, 'gone' AS old", strategy=Incremental()))
    model = lake.add_model("s.t", "SELECT 5000000000 AS ID, 1.5D AS extra", strategy=Incremental())

    staged = lake.stage(model, "append")

    assert [column.name for column in lake.warehouse.heads([model.target])[model.target].columns] == ["id", "old"]
    lake.publish(staged)
    assert lake.sql("SELECT id, old, extra FROM lake.s.t ORDER BY id") == [(1, "gone", None), (5000000000, None, 1.5)]


def test_change_that_cannot_be_followed_is_refused_and_the_table_stays(lake: Lake) -> None:
    lake.build(lake.add_model("s.t", "SELECT 'a' AS id", strategy=Incremental()))

    with pytest.raises(DriftRefused, match="from string to int"):
        lake.stage(lake.add_model("s.t", "SELECT 1 AS id", strategy=Incremental()), "append")
    with pytest.raises(DriftForbidden):
        lake.stage(lake.add_model("s.t", "SELECT 'b' AS id, 1 AS n", strategy=Incremental(), on_drift="fail"), "append")

    assert lake.sql("SELECT * FROM lake.s.t") == [("a",)]


def test_ignored_drift_writes_only_the_columns_of_the_table(lake: Lake) -> None:
    lake.build(lake.add_model("s.t", "SELECT 1 AS id", strategy=Incremental()))
    model = lake.add_model("s.t", "SELECT 2 AS id, 3 AS extra", strategy=Incremental(), on_drift="ignore")

    lake.build(model, "append")

    assert lake.sql("SELECT * FROM lake.s.t ORDER BY id") == [(1,), (2,)]


def test_ignored_drift_writes_numbers_as_text_where_text_was(lake: Lake) -> None:
    lake.build(lake.add_model("s.t", "SELECT 'a' AS id", strategy=Incremental()))
    model = lake.add_model("s.t", "SELECT 1 AS id", strategy=Incremental(), on_drift="ignore")

    staged = lake.build(model, "append")

    assert lake.sql("SELECT * FROM lake.s.t ORDER BY id") == [("1",), ("a",)]
    assert [(item.column, item.after, item.action) for item in staged.drift] == [("id", "int", "ignored")]


def test_ignored_drift_of_a_whole_table_follows_the_type_it_must_and_nothing_else(lake: Lake) -> None:
    lake.build(lake.add_model("s.t", "SELECT 1 AS id, 2 AS n, 3 AS code, 'old' AS gone"))
    text = "SELECT 4 AS id, 5000L AS n, 'five' AS code, 6 AS extra"

    staged = lake.build(lake.add_model("s.t", text, on_drift="ignore"))

    assert lake.spark.table("lake.s.t").dtypes == [("id", "int"), ("n", "int"), ("code", "string"), ("gone", "string")]
    assert lake.sql("SELECT * FROM lake.s.t") == [(4, 5000, "five", None)]
    reported = {item.column: item.action for item in staged.drift}
    assert reported == {"extra": "ignored", "n": "ignored", "gone": "kept", "code": "rebuilt"}


def test_full_refresh_with_other_columns_replaces_and_stays_linked(lake: Lake) -> None:
    first = lake.build(lake.add_model("s.t", "SELECT 1 AS id", strategy=FullRefresh()))
    model = lake.add_model("s.t", "SELECT 'x' AS name", strategy=FullRefresh())
    second = lake.build(model)

    history = lake.warehouse.history(model.target, first.position)

    assert lake.sql("SELECT name, id FROM lake.s.t") == [("x", None)]
    assert history.is_linked
    assert [item.position for item in history.versions] == [second.position]
    assert not history.versions[0].touch.is_append
    assert lake.sql(f"SELECT * FROM lake.s.t VERSION AS OF {first.position}") == [(1,)]


def test_range_that_cuts_through_files_is_replaced_in_one_commit(lake: Lake) -> None:
    strategy = TimeInterval(time_column=TS, granularity="hour")
    text = "SELECT explode(sequence(@start_ts, @end_ts - INTERVAL 1 HOUR, INTERVAL 1 HOUR)) AS ts, {} AS n"
    model = lake.add_model(
        "s.t", text.format(1), columns="ts timestamp, n int", strategy=strategy, partitioned_by=("days(ts)",)
    )
    first = lake.build(model, "replace_slices", slices=(day(1),))
    noon = day(1).start.replace(hour=12)
    again = lake.add_model(
        "s.t", text.format(2), columns="ts timestamp, n int", strategy=strategy, partitioned_by=("days(ts)",)
    )

    staged = lake.build(again, "replace_slices", slices=(Interval(noon, noon.replace(hour=14)),))

    assert lake.sql("SELECT n, count(*) FROM lake.s.t GROUP BY n ORDER BY n") == [(1, 22), (2, 2)]
    assert (staged.counts.inserted, staged.counts.deleted) == (2, 2)
    assert len(lake.warehouse.history(model.target, first.position).versions) == 1


def test_date_column_is_compared_by_local_dates(lake: Lake) -> None:
    strategy = TimeInterval(time_column=ColumnName("d"))
    model = lake.add_model(
        "s.t",
        "SELECT explode(sequence(@start_date, date_sub(@end_date, 1))) AS d",
        columns="d date",
        strategy=strategy,
        timezone="Europe/Stockholm",
    )
    start = day(1).start.replace(hour=23)

    lake.build(model, "replace_slices", slices=(Interval(start, day(3).start.replace(hour=23)),))

    assert [str(row[0]) for row in lake.sql("SELECT d FROM lake.s.t ORDER BY d")] == ["2026-01-02", "2026-01-03"]


def test_time_without_a_zone_is_read_as_utc(lake: Lake) -> None:
    text = "SELECT CAST(@start_ts AS TIMESTAMP_NTZ) + INTERVAL 1 HOUR AS ts, {} AS n"
    strategy = TimeInterval(time_column=TS)
    model = lake.add_model("s.t", text.format(1), columns="ts timestamp_ntz, n int", strategy=strategy)
    lake.build(model, "replace_slices", slices=(day(1),))
    lake.build(model, "replace_slices", slices=(day(2),))
    again = lake.add_model("s.t", text.format(2), columns="ts timestamp_ntz, n int", strategy=strategy)

    staged = lake.build(again, "replace_slices", slices=(day(2),))

    assert lake.sql("SELECT n FROM lake.s.t ORDER BY ts") == [(1,), (2,)]
    assert staged.counts.deleted == 1
    assert lake.spark.catalog.listTables() == []


def test_type_names_survive_the_round_trip(lake: Lake) -> None:
    model = lake.add_model(
        "s.t",
        "SELECT 1Y AS a, 1S AS b, map('k', 1) AS c, named_struct('avoid', 1) AS d, 1.5BD AS e, DATE '2026-01-01' AS f",
    )

    staged = lake.stage(model)

    assert [column.type for column in staged.columns] == [
        DataType(kind) for kind in ("int", "int", "map<string,int>", "struct<avoid:int>", "decimal(2,1)", "date")
    ]
