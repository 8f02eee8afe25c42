"""In which times of a column the rows of a database table changed, as few intervals."""

from datetime import UTC, date, datetime, timedelta

from lamina.project.source import SourceTable
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName
from lamina.values.schema import Schema
from lamina.values.touch import ColumnRanges, Everything, Extent, Ranges
from lamina.warehouse.files.time_ranges import day_range
from lamina.warehouse.sources.jdbc_frames import ask, column_of
from lamina.warehouse.sources.jdbc_sql import MOST_MINUTES, MOST_UNITS, units_sql
from lamina.warehouse.sources.port import Lake

_MINUTE = timedelta(minutes=1)
_HOUR = timedelta(hours=1)


def extent_of(
    source: SourceTable, lake: Lake, condition: str, *, columns: tuple[ColumnName, ...], schema: Schema
) -> Extent:
    """Return the times of the named columns in which rows are that meet a condition, where they are known."""
    found = ((name, _ranges(source, lake, condition, name, schema)) for name in columns)
    known = tuple(ColumnRanges(column=name, ranges=ranges) for name, ranges in found if ranges is not None)
    return Ranges(columns=known) if known else Everything()


def _ranges(
    source: SourceTable, lake: Lake, condition: str, name: ColumnName, schema: Schema
) -> tuple[Interval, ...] | None:
    column = column_of(source, schema, name)
    if column.type == "date":
        return units_in(_units(source, lake, condition, column.name, unit="day", most=MOST_UNITS), None, MOST_UNITS)
    if not column.type.startswith("timestamp"):
        return None
    minutes = _units(source, lake, condition, column.name, unit="minute", most=MOST_MINUTES)
    if len(minutes) <= MOST_MINUTES:
        return units_in(minutes, _MINUTE, MOST_MINUTES)
    return units_in(_units(source, lake, condition, column.name, unit="hour", most=MOST_UNITS), _HOUR, MOST_UNITS)


def _units(
    source: SourceTable, lake: Lake, condition: str, column: ColumnName, *, unit: str, most: int
) -> tuple[str, ...]:
    rows = ask(source, lake, units_sql(source.location, column, condition, unit=unit, most=most))
    return tuple(str(row[0]) for row in rows)


def units_in(texts: tuple[str, ...], length: timedelta | None, most: int) -> tuple[Interval, ...] | None:
    """Return units of time that a database names, days where they have no length; None of too many, or odd ones.

    >>> units_in(("2026-04-07 10:00:00+00", "2026-04-07 11:00:00+00"), timedelta(hours=1), 9)[0].end.hour
    12
    >>> units_in(("infinity",), None, 9)
    """
    if len(texts) > most:
        return None
    try:
        if length is None:
            return merge(tuple(day_range(date.fromisoformat(text)) for text in texts))
        starts = (datetime.fromisoformat(text) for text in texts)
        aware = [start if start.tzinfo is not None else start.replace(tzinfo=UTC) for start in starts]
        return merge(tuple(Interval(start.astimezone(UTC), start.astimezone(UTC) + length) for start in aware))
    except (ValueError, OverflowError):
        return None  # a time that Python has no value for, such as `infinity`
