"""Whether files of a table can hold rows in a range, by the bounds in their manifests."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from lamina.values.batch import RowsQuestion
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Position, TableName
from lamina.warehouse.iceberg import column_bounds
from lamina.warehouse.iceberg.column_bounds import may_hold_rows
from lamina.warehouse.iceberg.metadata import Metadata, Snapshot

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
NOON, EVENING = datetime(2026, 4, 3, 12, tzinfo=UTC), datetime(2026, 4, 3, 18, tzinfo=UTC)
FIELDS = [{"id": 1, "name": "at", "type": "timestamptz"}, {"id": 2, "name": "day", "type": "date"}]
FIELDS += [{"id": 3, "name": "text", "type": "string"}]


def micros(at: datetime) -> bytes:
    return round((at - EPOCH).total_seconds() * 1_000_000).to_bytes(8, "little", signed=True)


def file(low: bytes | None, high: bytes | None, *, column: int = 1, rows: int = 3, nulls: int = 0) -> dict[str, Any]:
    bounds = {"lower_bounds": low, "upper_bounds": high}
    known = {kind: [{"key": column, "value": value}] for kind, value in bounds.items() if value is not None}
    return {"record_count": rows, "null_value_counts": [{"key": column, "value": nulls}], **known}


def asks(monkeypatch: pytest.MonkeyPatch, *files: dict[str, Any], column: str = "at", total: int = 1) -> bool:
    monkeypatch.setattr(column_bounds, "current_fields", lambda _: FIELDS)
    monkeypatch.setattr(column_bounds, "records_of", lambda _: [{"content": 0}, {"content": 1}])
    monkeypatch.setattr(column_bounds, "files_in", lambda manifest: [] if manifest["content"] else files)
    snapshot = Snapshot(Position("1"), None, {"total-data-files": str(total)}, "list.avro")
    found = Metadata("p", "t", Position("1"), {Position("1"): snapshot}, (), {}, (), 1, (), {})
    question = RowsQuestion(TableName("t"), Position("1"), ColumnName(column), Interval(NOON, EVENING))
    return may_hold_rows(found, question)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (NOON.replace(hour=1), NOON.replace(hour=11), False),
        (NOON.replace(hour=1), NOON, True),
        (EVENING, EVENING.replace(hour=20), False),
        (NOON.replace(hour=13), NOON.replace(hour=13), True),
    ],
)
def test_bounds_of_instants(monkeypatch: pytest.MonkeyPatch, low: datetime, high: datetime, *, expected: bool) -> None:
    assert asks(monkeypatch, file(micros(low), micros(high))) is expected


def test_bounds_of_dates(monkeypatch: pytest.MonkeyPatch) -> None:
    number = (date(2026, 4, 3) - date(1970, 1, 1)).days
    today, tomorrow = (item.to_bytes(4, "little", signed=True) for item in (number, number + 1))
    assert not asks(monkeypatch, file(today, today, column=2), column="day")
    assert not asks(monkeypatch, file(tomorrow, tomorrow, column=2), column="DAY")
    assert asks(monkeypatch, file(today, tomorrow, column=2), column="day")


def test_what_is_not_known_may_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    early = file(micros(NOON.replace(hour=1)), micros(NOON.replace(hour=2)))
    assert asks(monkeypatch, file(None, None))
    assert asks(monkeypatch, early, column="text")
    assert asks(monkeypatch, early, column="gone")
    assert asks(monkeypatch, early, total=6_000)
    assert not asks(monkeypatch, early)
    assert not asks(monkeypatch, file(None, None, nulls=3))


def test_far_dates_are_beyond_every_range(monkeypatch: pytest.MonkeyPatch) -> None:
    never = (2**62).to_bytes(8, "little", signed=True)
    assert not asks(monkeypatch, file(never, never))
    assert asks(monkeypatch, file(micros(NOON), never))
