"""How many rows a batch reads of a table: those of the data files that its slices cannot rule out by their bounds."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from lamina.values.batch import Pin
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, TableName, same_name
from lamina.warehouse.iceberg.data_files import UNREADABLE, current_fields, files_in, records_of
from lamina.warehouse.iceberg.metadata import Metadata
from lamina.warehouse.iceberg.versions import rows_at

# Reading the lists of more files takes longer than the figure is worth.
_MOST_FILES = 2_000

_DATA = 0  # the content of a manifest that lists files with rows
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# How a bound is counted since 1970, for each type that Iceberg gives to times.
_COUNTED = {
    "date": timedelta(days=1),
    "timestamp": timedelta(microseconds=1),
    "timestamptz": timedelta(microseconds=1),
}


def scanned_rows(
    table: TableName, metadata: Metadata, pin: Pin, *, column: ColumnName | None, is_seen: Callable[[Interval], bool]
) -> int | None:
    """Return how many rows are read at a pin by a query that filters by a column; None where it is not known."""
    snapshot = metadata.snapshots.get(pin.position)
    if pin.since is not None or column is None or snapshot is None:
        return rows_at(table, metadata, pin)
    if snapshot.count("total-data-files") > _MOST_FILES:
        return None
    try:
        field = next((field for field in current_fields(metadata.pointer) if same_name(field["name"], column)), None)
        if field is None or field["type"] not in _COUNTED:
            return rows_at(table, metadata, pin)
        lists = (item for item in records_of(snapshot.manifest_list) if item.get("content", _DATA) == _DATA)
        files = [file for manifest in lists for file in files_in(manifest)]
    except UNREADABLE:
        return None  # who reads the rows says what is wrong
    spans = ((int(file["record_count"]), _span(file, field)) for file in files)
    return sum(rows for rows, span in spans if span is None or is_seen(span))


def _span(file: Any, field: dict[str, Any]) -> Interval | None:
    """Return the times that a file holds; None where its bounds are not known."""
    step = _COUNTED[field["type"]]
    first, last = (_bound(file.get(kind), field["id"]) for kind in ("lower_bounds", "upper_bounds"))
    if first is None or last is None:
        return None
    try:
        return Interval(_EPOCH + first * step, _EPOCH + (last + 1) * step)
    except OverflowError:
        return None


def _bound(bounds: Any, field: int) -> int | None:
    value = next((item["value"] for item in bounds or () if item["key"] == field), None)
    return None if value is None else int.from_bytes(value, "little", signed=True)
