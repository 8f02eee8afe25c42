"""The newest time in a table by the bounds of its files, and where those do not say it."""

from datetime import UTC, datetime, timedelta

import pytest

from lamina.values.names import ColumnName, Position
from lamina.warehouse.iceberg import column_bounds
from lamina.warehouse.iceberg.column_bounds import FileTimes, newest_time
from lamina.warehouse.iceberg.metadata import Metadata, Snapshot

DAY = timedelta(days=1)
OLD, NEW = datetime(2026, 1, 1, 10, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)


def timed(low: datetime, high: datetime, step: timedelta = timedelta(microseconds=1)) -> FileTimes:
    return FileTimes(3, has_times=True, low=low, high=high, step=step)


def table(**summary: str) -> Metadata:
    snapshot = Snapshot(Position("1"), None, {"total-records": "3", **summary}, "list")
    return Metadata("p", "l", Position("1"), {Position("1"): snapshot}, (), {}, (), 1, (), {})


@pytest.mark.parametrize(
    ("files", "newest"),
    [
        ((), (None,)),
        ((timed(OLD, NEW), timed(OLD, OLD)), (NEW,)),
        ((timed(OLD, OLD), FileTimes(3, has_times=False)), (OLD,)),  # a file of nulls
        ((timed(OLD, NEW), FileTimes(3, has_times=True)), None),  # a file without bounds
        ((timed(NEW, NEW, DAY),), (datetime(2026, 1, 1, 23, tzinfo=UTC),)),
        (None, None),
    ],
)
def test_bounds_say_the_newest_time(
    files: tuple[FileTimes, ...] | None, newest: tuple[datetime | None] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_bounds, "file_times", lambda *_: files)
    assert newest_time(table(), ColumnName("ts"), zone="Europe/Stockholm") == newest


def test_bounds_say_nothing_where_single_rows_were_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(column_bounds, "file_times", lambda *_: (timed(OLD, NEW),))
    deleted = table(**{"total-delete-files": "1"})
    assert newest_time(deleted, ColumnName("ts"), zone="UTC") is None
