"""Which times the files of a table's version can hold, by the bounds that their manifests keep; no JVM."""

from datetime import UTC, datetime, timedelta
from typing import Any

from lamina.values.batch import RowsQuestion
from lamina.values.interval import Interval
from lamina.values.names import same_name
from lamina.warehouse.iceberg.data_files import DATA, UNREADABLE, current_fields, files_in, records_of
from lamina.warehouse.iceberg.metadata import Metadata

# Longer lists take longer to read than the slice that they would spare takes to build.
_MOST_FILES = 5_000

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STEPS = {
    "date": timedelta(days=1),
    "timestamp": timedelta(microseconds=1),
    "timestamptz": timedelta(microseconds=1),
}


def may_hold_rows(metadata: Metadata, question: RowsQuestion) -> bool:
    """Return whether a version may have rows in a range of a column; so it may where its files do not say."""
    snapshot = metadata.snapshots.get(question.position)
    if snapshot is None or snapshot.count("total-data-files") > _MOST_FILES:
        return True
    try:
        fields = current_fields(metadata.pointer)
        field = next((item for item in fields if same_name(item["name"], question.column)), None)
        step = None if field is None else _STEPS.get(str(field["type"]))
        if field is None or step is None:
            return True
        manifests = (item for item in records_of(snapshot.manifest_list) if item.get("content", DATA) == DATA)
        files = (file for manifest in manifests for file in files_in(manifest))
        return any(_may_hold(file, field["id"], step=step, span=question.span) for file in files)
    except UNREADABLE:
        return True


def _may_hold(file: Any, column: int, *, step: timedelta, span: Interval) -> bool:
    if not file["record_count"] or _of(file, "null_value_counts", column) == file["record_count"]:
        return False
    low, high = _of(file, "lower_bounds", column), _of(file, "upper_bounds", column)
    if low is None or high is None:
        return True
    return _instant(low, step) < span.end and _instant(high, step) >= span.start


def _of(file: Any, kind: str, column: int) -> Any:
    return next((item["value"] for item in file.get(kind) or () if item["key"] == column), None)


def _instant(bound: bytes, step: timedelta) -> datetime:
    try:
        return _EPOCH + int.from_bytes(bound, "little", signed=True) * step
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC) if bound[-1] < 128 else datetime.min.replace(tzinfo=UTC)
