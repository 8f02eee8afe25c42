"""Which times one file holds: from its folders, its footer, or a scan of just that column; no JVM."""

from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamina.project.source import SourceTable
from lamina.values.interval import MAX, Interval, merge
from lamina.values.names import ColumnName
from lamina.values.touch import ColumnRanges
from lamina.warehouse.failure import SourceUnreadable
from lamina.warehouse.files.manifest import FileEntry, path_of
from lamina.warehouse.files.partition_folders import folder_values

if TYPE_CHECKING:
    import pyarrow

_DAY = timedelta(days=1)
_HOUR = timedelta(hours=1)
_INSTANT = timedelta(microseconds=1)

# Bounds that lie no further apart than this are given as they are; wider ones are refined by looking at the values.
_FEW_UNITS = timedelta(hours=26)

# Options of Spark's CSV reader that say nothing about how times are written, or the same to both readers.
_PLAIN_OPTIONS = {"header", "sep", "delimiter"}


def held_by(
    source: SourceTable, location: Path, entry: FileEntry, *, columns: tuple[ColumnName, ...]
) -> tuple[ColumnRanges, ...]:
    """Return the known ranges of each column; a column that is not listed may hold anything."""
    path = path_of(location, entry)
    found = ((column, _ranges(source, path, entry, column)) for column in columns)
    return tuple(ColumnRanges(column=column, ranges=ranges) for column, ranges in found if ranges is not None)


def _ranges(source: SourceTable, path: Path, entry: FileEntry, column: ColumnName) -> tuple[Interval, ...] | None:
    folder = _folder_value(entry.path, column)
    if folder is not None:
        return _folder_ranges(folder)
    import pyarrow

    try:
        return _scanned(source, path, column)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError, KeyError, OverflowError):
        # What only Spark can read may hold anything; if Spark cannot either, the batch says so.
        return None
    except OSError as error:
        raise SourceUnreadable(source.name, str(path), error.strerror or str(error)) from error


def _folder_value(path: str, column: str) -> str | None:
    return next((value for name, value in folder_values(path) if name.casefold() == column.casefold()), None)


def _folder_ranges(value: str) -> tuple[Interval, ...] | None:
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return None
    return (_day(day),)


def parquet_ranges(path: Path, column: str) -> tuple[Interval, ...] | None:
    """Return the times of a column in a Parquet file, or None if it has no such column of times, or is gone."""
    import pyarrow.parquet

    if not path.is_file():
        return None
    with suppress(OverflowError), pyarrow.parquet.ParquetFile(path) as file:
        if column not in file.schema_arrow.names or not _is_time(file.schema_arrow.field(column).type):
            return None
        bounds = _footer_bounds(file, column)
        if bounds is not None:
            span = span_of(*bounds)
            if span.end - span.start <= _FEW_UNITS:
                return (span,)
        return ranges_of(file.read(columns=[column]).column(0))
    return None  # a time outside of Python's calendar


def _is_time(kind: "pyarrow.DataType") -> bool:
    import pyarrow

    return bool(pyarrow.types.is_date(kind) or pyarrow.types.is_timestamp(kind))


def _footer_bounds(file: Any, column: str) -> tuple[Any, Any] | None:
    """Return the least and greatest value, if the footer tells them for every row group."""
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    chunks = [
        chunk
        for group in groups
        for chunk in (group.column(place) for place in range(group.num_columns))
        if chunk.path_in_schema == column and group.num_rows
    ]
    known = [chunk.statistics for chunk in chunks if chunk.statistics is not None and chunk.statistics.has_min_max]
    if not known or len(known) != len(chunks):
        return None
    return min(item.min for item in known), max(item.max for item in known)


def _scanned(source: SourceTable, path: Path, column: str) -> tuple[Interval, ...] | None:
    """Read one column of a file, or only its footer where that tells enough."""
    match source.format:
        case "parquet":
            return parquet_ranges(path, column)
        case "csv":
            return _csv_ranges(source, path, column)
        case "json":
            return _json_ranges(source, path, column)
        case "orc":
            import pyarrow.orc

            file = pyarrow.orc.ORCFile(path)
            return ranges_of(file.read(columns=[column]).column(0)) if column in file.schema.names else None
        case _:
            return None


def _csv_ranges(source: SourceTable, path: Path, column: str) -> tuple[Interval, ...] | None:
    import pyarrow
    import pyarrow.csv

    if not set(source.options) <= _PLAIN_OPTIONS:
        return None
    has_header = source.options.get("header", "true") == "true"
    if not has_header and not source.columns:
        return None
    names = None if has_header else [item.name for item in source.columns]
    read = pyarrow.csv.ReadOptions(column_names=names)
    separator = source.options.get("sep") or source.options.get("delimiter") or ","
    kind = next((item.type for item in source.columns if item.name == column), None)
    known = {"date": pyarrow.date32(), "timestamp": None}.get(kind or "")
    convert = pyarrow.csv.ConvertOptions(
        include_columns=[column], column_types={column: known} if known else None, strings_can_be_null=True
    )
    parse = pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True)
    table = pyarrow.csv.read_csv(path, read_options=read, parse_options=parse, convert_options=convert)
    return ranges_of(table.column(0))


def _json_ranges(source: SourceTable, path: Path, column: str) -> tuple[Interval, ...] | None:
    import pyarrow.json

    if source.options:
        return None
    table = pyarrow.json.read_json(path)
    return ranges_of(_as_times(table.column(column)))


def _as_times(values: "pyarrow.ChunkedArray") -> "pyarrow.ChunkedArray":
    """Read text as the time it tells, since JSON has no times of its own."""
    import pyarrow

    if not pyarrow.types.is_string(values.type):
        return values
    return values.cast(pyarrow.timestamp("us", tz="UTC"))


def ranges_of(values: "pyarrow.ChunkedArray") -> tuple[Interval, ...] | None:
    """Return the days of dates, or the hours of times, as few intervals as possible; None if they are neither."""
    import pyarrow
    from pyarrow import compute

    if pyarrow.types.is_null(values.type) or values.null_count == len(values):
        return ()
    if pyarrow.types.is_date(values.type):
        days = compute.unique(values.cast(pyarrow.date32()))
        return merge(tuple(_day(day) for day in days.to_pylist() if day is not None))
    if not pyarrow.types.is_timestamp(values.type):
        return None
    bounds = compute.min_max(values.cast(pyarrow.timestamp("us", tz=values.type.tz)))
    span = span_of(bounds["min"].as_py(), bounds["max"].as_py())
    if span.end - span.start <= _FEW_UNITS:
        return (span,)
    hours = compute.unique(compute.floor_temporal(values, unit="hour").cast(pyarrow.timestamp("s", tz=values.type.tz)))
    return merge(tuple(_hour(hour) for hour in hours.to_pylist() if hour is not None))


def span_of(first: Any, last: Any) -> Interval:
    """Return the interval that holds two values of one time column and all between them."""
    if isinstance(first, datetime):
        return Interval(min(_utc(first), MAX - _INSTANT), _after(_utc(last), _INSTANT))
    return Interval(_day(first).start, _day(last).end)


def _day(day: date) -> Interval:
    start = min(datetime(day.year, day.month, day.day, tzinfo=UTC), MAX - _DAY)
    return Interval(start, _after(start, _DAY))


def _hour(hour: datetime) -> Interval:
    start = min(_utc(hour), MAX - _HOUR)
    return Interval(start, _after(start, _HOUR))


def _after(start: datetime, length: timedelta) -> datetime:
    """Return the end of a unit; dates that mean "never" lie at the end of the calendar, where no slice is."""
    return MAX if start >= MAX - length else start + length


def _utc(at: datetime) -> datetime:
    return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
