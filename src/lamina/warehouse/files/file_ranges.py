"""Which times one file holds: from its folders, its footer, or a scan of just that column; no JVM."""

from datetime import date
from pathlib import Path

from lamina.project.source import SourceTable
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, same_name
from lamina.values.touch import ColumnRanges
from lamina.warehouse.failure import SourceUnreadable
from lamina.warehouse.files.formats import format_of
from lamina.warehouse.files.manifest import FileEntry, path_of
from lamina.warehouse.files.partition_folders import folder_values
from lamina.warehouse.files.time_ranges import day_range
from lamina.warehouse.plain_sentence import system_words


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
        return format_of(source).ranges(path, source, column)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError, KeyError, OverflowError):
        # What only Spark can read may hold anything; if Spark cannot either, the batch says so.
        return None
    except OSError as error:
        raise SourceUnreadable(source.name, str(path), system_words(error)) from error


def _folder_value(path: str, column: str) -> str | None:
    return next((value for name, value in folder_values(path) if same_name(name, column)), None)


def _folder_ranges(value: str) -> tuple[Interval, ...] | None:
    try:
        day = date.fromisoformat(value)
    except ValueError:
        return None
    return (day_range(day),)
