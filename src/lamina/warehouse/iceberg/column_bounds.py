"""Which times the files of a table's version can hold, by the bounds that their manifests keep; no JVM."""

from datetime import UTC, datetime, timedelta
from typing import Any

from lamina.values.batch import RowsQuestion
from lamina.values.grid import day_start
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Position, same_name
from lamina.values.value import Value
from lamina.warehouse.iceberg.data_files import DATA, UNREADABLE, current_fields, files_in, records_of
from lamina.warehouse.iceberg.metadata import Metadata

# Longer lists take longer to read than what they would spare.
_MOST_FILES = 5_000

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_STEPS = {
    "date": timedelta(days=1),
    "timestamp": timedelta(microseconds=1),
    "timestamptz": timedelta(microseconds=1),
}


class FileTimes(Value, frozen=True):
    """The rows of one file, and the least and the greatest time in them where that is known."""

    rows: int
    has_times: bool  # some row may have one
    low: datetime | None = None
    high: datetime | None = None
    step: timedelta = timedelta(microseconds=1)  # how long one value lasts

    @property
    def span(self) -> Interval | None:
        """The range that its times lie in, to the end of the last one; None where it is not known."""
        if self.low is None or self.high is None:
            return None
        try:
            return Interval(self.low, self.high + self.step)
        except OverflowError:
            return None


def file_times(metadata: Metadata, position: Position, column: ColumnName) -> tuple[FileTimes, ...] | None:
    """Return what the files of a version say about a column of times; None where they do not, or are too many."""
    snapshot = metadata.snapshots.get(position)
    if snapshot is None or snapshot.count("total-data-files") > _MOST_FILES:
        return None
    try:
        field = next((item for item in current_fields(metadata.pointer) if same_name(item["name"], column)), None)
        step = None if field is None else _STEPS.get(str(field["type"]))
        if field is None or step is None:
            return None
        manifests = (item for item in records_of(snapshot.manifest_list) if item.get("content", DATA) == DATA)
        return tuple(_times(file, field["id"], step=step) for manifest in manifests for file in files_in(manifest))
    except UNREADABLE:
        return None  # who reads the rows says what is wrong


def newest_time(metadata: Metadata, column: ColumnName, *, zone: str) -> tuple[datetime | None] | None:
    """Return the latest time in a column of the current version, if any row has one; None where files do not say."""
    files = None if metadata.position is None else file_times(metadata, metadata.position, column)
    # Rows that were deleted one by one are still in the bounds of their files.
    if files is None or metadata.rows is None:
        return None
    timed = tuple(file for file in files if file.has_times)
    known = tuple(file for file in timed if file.high is not None)
    if len(known) < len(timed):
        return None
    return (max((_in_zone(file.high, file.step, zone) for file in known if file.high is not None), default=None),)


def _in_zone(high: datetime, step: timedelta, zone: str) -> datetime:
    return day_start(zone, high.date()) if step == _STEPS["date"] else high


def may_hold_rows(metadata: Metadata, question: RowsQuestion) -> bool:
    """Return whether a version may have rows in a range of a column; so it may where its files do not say."""
    files = file_times(metadata, question.position, question.column)
    return files is None or any(_may_hold(file, question.span) for file in files)


def _may_hold(file: FileTimes, span: Interval) -> bool:
    if not file.has_times:
        return False
    return file.low is None or file.high is None or (file.low < span.end and file.high >= span.start)


def _times(file: Any, column: int, *, step: timedelta) -> FileTimes:
    rows = int(file["record_count"])
    has_times = bool(rows) and _of(file, "null_value_counts", column) != rows
    low, high = (_of(file, kind, column) for kind in ("lower_bounds", "upper_bounds"))
    if low is None or high is None:
        return FileTimes(rows, has_times, step=step)
    return FileTimes(rows, has_times, _instant(low, step), _instant(high, step), step)


def _of(file: Any, kind: str, column: int) -> Any:
    return next((item["value"] for item in file.get(kind) or () if item["key"] == column), None)


def _instant(bound: bytes, step: timedelta) -> datetime:
    try:
        return _EPOCH + int.from_bytes(bound, "little", signed=True) * step
    except OverflowError:
        return datetime.max.replace(tzinfo=UTC) if bound[-1] < 128 else datetime.min.replace(tzinfo=UTC)
