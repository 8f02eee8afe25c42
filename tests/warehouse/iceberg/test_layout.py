"""Layouts and ranges: declared or by the time column, and which batches cut through files."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from lamina.compiler.graph import CompiledModel
from lamina.project.model import ModelSettings
from lamina.project.strategy import FullRefresh, TimeInterval
from lamina.values.grid import Unit
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Fingerprint, ModelName, TableName
from lamina.values.schema import Column, DataType, Schema
from lamina.warehouse.iceberg.layout import LayoutInvalid, PartitionField, wanted_layout
from lamina.warehouse.spark.evolve import Evolution, Mismatch, evolve, is_same
from lamina.warehouse.spark.ranges import TimeRange, is_aligned, predicate, time_ranges

TS = ColumnName("ts")


def columns(**kinds: str) -> Schema:
    return tuple(Column(name=ColumnName(name), type=DataType(kind)) for name, kind in kinds.items())


def model(**settings: Any) -> CompiledModel:
    return CompiledModel(
        name=ModelName("a.b"),
        kind="sql",
        path="models/a/b.sql",
        text="",
        settings=ModelSettings(**settings),
        target=TableName("a.b"),
        layer=0,
        depends_on=(),
        inputs=(),
        columns=None,
        lineage=(),
        fingerprint=Fingerprint("f"),
    )


@pytest.mark.parametrize(
    ("unit", "kind", "transform"),
    [
        ("minute", "timestamp", "hour"),
        ("30 minutes", "timestamp", "hour"),
        ("hour", "timestamp", "hour"),
        ("day", "timestamp", "day"),
        ("day", "date", "day"),
        ("hour", "date", "day"),
        ("week", "timestamp", "day"),
        ("month", "timestamp", "month"),
        ("year", "date", "year"),
    ],
)
def test_default_layout_is_the_nearest_one_as_coarse_as_the_unit(unit: Unit, kind: str, transform: str) -> None:
    found = wanted_layout(model(strategy=TimeInterval(time_column=TS, granularity=unit)), columns(ts=kind))

    assert found == (PartitionField(column="ts", transform=transform),)


def test_declared_layout_is_written_as_declared() -> None:
    declared = ("country", "months(ts)", "bucket( 16 , `id`)", "truncate(4, country)")
    found = wanted_layout(
        model(strategy=FullRefresh(), partitioned_by=declared), columns(country="string", ts="timestamp", id="bigint")
    )

    assert [field.sql() for field in found] == [
        "`country`",
        "months(`ts`)",
        "bucket(16, `id`)",
        "truncate(4, `country`)",
    ]


@pytest.mark.parametrize("field", ["nope", "weeks(ts)", "bucket(ts)", "days(nope)", "days(ts", "1; DROP TABLE x"])
def test_layout_that_iceberg_lacks_is_refused(field: str) -> None:
    with pytest.raises(LayoutInvalid):
        wanted_layout(model(partitioned_by=(field,)), columns(ts="timestamp"))


def at(day: int, hour: int = 0, minute: int = 0, month: int = 1) -> datetime:
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "end", "transform", "expected"),
    [
        (at(1), at(2), "day", True),
        (at(1, 23), at(2, 23), "day", False),
        (at(1, 23), at(2, 23), "hour", True),
        (at(1, 0, 5), at(1, 0, 10), "hour", False),
        (at(1), at(1, month=2), "month", True),
        (at(1), at(8), "month", False),
        (at(1), at(2), "bucket[4]", False),
        (date(2026, 1, 5), date(2026, 1, 6), "identity", True),
        (date(2026, 1, 5), date(2026, 1, 6), "day", True),
        (date(2026, 1, 5), date(2026, 2, 1), "month", False),
    ],
)
def test_bounds_on_partition_boundaries_cut_no_file(
    start: datetime | date, end: datetime | date, transform: str, expected: bool
) -> None:
    ranges = (TimeRange(column="TS", start=start, end=end),)

    assert is_aligned(ranges, (PartitionField(column="ts", transform=transform),)) is expected


def test_layout_without_the_time_column_is_never_aligned() -> None:
    assert not is_aligned((TimeRange(column="ts", start=at(1), end=at(2)),), ())


def test_date_column_takes_the_local_dates_of_a_slice() -> None:
    (summer,) = time_ranges("d", "date", (Interval(at(30, 22, month=6), at(1, 22, month=7)),), zone="Europe/Stockholm")

    assert (summer.start, summer.end) == (date(2026, 7, 1), date(2026, 7, 2))


def test_slices_that_touch_are_one_range() -> None:
    spans = (Interval(at(1), at(2)), Interval(at(2), at(3)), Interval(at(5), at(6)))

    assert predicate(time_ranges("ts", "timestamp", spans, zone="UTC"), "t.") == (
        "(t.`ts` >= TIMESTAMP '2026-01-01 00:00:00' AND t.`ts` < TIMESTAMP '2026-01-03 00:00:00')"
        " OR (t.`ts` >= TIMESTAMP '2026-01-05 00:00:00' AND t.`ts` < TIMESTAMP '2026-01-06 00:00:00')"
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("int", "int", Evolution()),
        ("int", "smallint", Evolution()),
        ("bigint", "int", Evolution()),
        ("double", "float", Evolution()),
        ("int", "bigint", Evolution(widened=columns(x="bigint"))),
        ("float", "double", Evolution(widened=columns(x="double"))),
        ("decimal(10,2)", "decimal(12,2)", Evolution(widened=columns(x="decimal(12,2)"))),
        ("decimal(10,2)", "decimal(12,3)", None),
        ("string", "int", None),
        ("int", "string", None),
        ("struct<a:int>", "struct<a:int,b:int>", None),
        ("timestamp", "timestamp_ntz", None),
    ],
)
def test_types_are_followed_in_place_only_where_no_row_must_change(
    before: str, after: str, expected: Evolution | None
) -> None:
    refused = Evolution(mismatched=(Mismatch(column="x", before=DataType(before), after=DataType(after)),))

    assert evolve(columns(x=before), columns(X=after)) == (refused if expected is None else expected)


def test_columns_come_and_go_by_name_without_case() -> None:
    found = evolve(columns(a="int", B="int"), columns(b="int", c="string"))

    assert found == Evolution(added=columns(c="string"), gone=("a",))
    assert is_same(columns(a="int", b="int"), columns(B="tinyint", A="int"))
    assert not is_same(columns(a="int"), columns(a="bigint"))
