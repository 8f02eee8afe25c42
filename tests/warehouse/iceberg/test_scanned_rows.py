"""Rows that a slice reads are those of the files that another implementation of Iceberg would scan for it."""

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import DateType, IcebergType, LongType, NestedField, TimestamptzType

from lamina.values.batch import Pin
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Position, TableName
from lamina.warehouse.iceberg import column_bounds
from lamina.warehouse.iceberg.metadata import read_metadata
from lamina.warehouse.iceberg.scanned_rows import scanned_rows

TABLE = TableName("sales.orders")
FIRST = date(2026, 4, 1)


def _instant(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


def _table(folder: Path, kind: IcebergType, values: list[list[Any]]) -> Any:
    catalog = SqlCatalog("lake", uri="sqlite:///:memory:", warehouse=f"file://{folder}")
    catalog.create_namespace("sales")
    fields = (NestedField(1, "at", kind), NestedField(2, "amount", LongType()))
    table = catalog.create_table("sales.orders", schema=Schema(*fields))
    arrow = table.schema().as_arrow()
    for rows in values:
        table.append(pa.table({"at": rows, "amount": [1] * len(rows)}, schema=arrow))
    return table


def _scanned(table: Any, span: Interval, column: str | None = "at") -> int | None:
    metadata = read_metadata(table.metadata_location)
    pin = Pin(input=TABLE, position=metadata.position or Position(""))
    name = None if column is None else ColumnName(column)
    return scanned_rows(
        TABLE, metadata, pin, column=name, is_seen=lambda held: held.start < span.end and held.end > span.start
    )


@pytest.mark.parametrize("is_date", [True, False], ids=["dates", "instants"])
def test_files_outside_the_slice_do_not_count(is_date: bool, tmp_path: Path) -> None:
    days = [FIRST + timedelta(days=number) for number in range(6)]
    values: list[list[Any]] = [[days[0], days[1]], [days[2]], [days[3], days[5], days[5]], [None]]
    if not is_date:
        values = [[None if day is None else _instant(day) for day in rows] for rows in values]
    table = _table(tmp_path, DateType() if is_date else TimestamptzType(), values)
    for first, last in ((0, 1), (2, 2), (3, 4), (4, 4), (0, 5)):
        start, end = (datetime(2026, 4, 1 + number, tzinfo=UTC) for number in (first, last + 1))
        shown = [bound.date().isoformat() if is_date else bound.isoformat() for bound in (start, end)]
        wanted = f"at >= '{shown[0]}' and at < '{shown[1]}'"
        expected = sum(task.file.record_count for task in table.scan(row_filter=wanted).plan_files())
        assert _scanned(table, Interval(start, end)) == expected


def test_a_query_without_a_filter_column_reads_all_rows(tmp_path: Path) -> None:
    table = _table(tmp_path, DateType(), [[FIRST], [FIRST + timedelta(days=9)]])
    span = Interval(datetime(2026, 4, 1, tzinfo=UTC), datetime(2026, 4, 2, tzinfo=UTC))
    assert _scanned(table, span) == 1
    assert _scanned(table, span, None) == 2


def test_long_lists_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_bounds, "_MOST_FILES", 1)
    table = _table(tmp_path, DateType(), [[FIRST], [FIRST]])
    assert _scanned(table, Interval(datetime(2026, 4, 1, tzinfo=UTC), datetime(2026, 4, 2, tzinfo=UTC))) is None
