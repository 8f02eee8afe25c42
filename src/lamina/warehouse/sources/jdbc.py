"""Sources that are tables of a database, which keeps no versions: a position is a load time with the rows up to it.

Without a `load_time` nothing says whether rows changed: every look is a new position. Spark asks all questions.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.project.source import SourceTable
from lamina.values.batch import Pin, RowsQuestion
from lamina.values.codec import content_hash
from lamina.values.duration import parse_duration
from lamina.values.facts import Head
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.result import Detection, Detector
from lamina.values.row_counts import rows_on_time
from lamina.values.schema import Schema
from lamina.values.touch import Everything, Touch
from lamina.warehouse.failure import NotAppended
from lamina.warehouse.schemas import SchemaAnswer, UnknownSchema
from lamina.warehouse.sources.jdbc_faults import RowsMoved
from lamina.warehouse.sources.jdbc_frames import ask, column_of, columns_in_database, read_rows
from lamina.warehouse.sources.jdbc_ranges import extent_of
from lamina.warehouse.sources.jdbc_sql import ago, counts_sql, high_sql, newer_in, presence_sql, rows_sql, up_to_in
from lamina.warehouse.sources.jdbc_watermark import Counted, Watermark, change_since, is_as_it_was, watermark_at
from lamina.warehouse.sources.port import ForSlices, Lake, Pointers, SourceRows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Where a look without a load time found no row.
_EMPTY = " empty"


def detector(source: SourceTable) -> Detector:
    """Return how changes are found: by the declared load time, else every look counts as a change."""
    return "always" if source.load_time is None else "watermark"


def table_of(_source: SourceTable) -> TableName | None:
    """Return None: a database is not the catalog."""
    return None


def schema(source: SourceTable, _root: Path, _pointers: Pointers) -> SchemaAnswer:
    """Return that the columns are not known: compiling asks no network."""
    return UnknownSchema(
        reason="a database is asked for its columns only when models are built",
        hint=f"declare `columns` for `{source.name}`",
    )


def head(source: SourceTable, lake: Lake, pin: Position | None, _columns: tuple[ColumnName, ...]) -> Head:
    """Return where the table is now, or the pin if its rows are as many as they were."""
    columns = columns_in_database(source, lake)
    found = Head(TableName(source.name), pointer=None, position=None, columns=columns)
    if source.load_time is None:
        ((is_present,),) = ask(source, lake, presence_sql(source.location))
        ending = "" if is_present else _EMPTY
        is_pinned = pin is not None and _is_look(pin) and pin.endswith(_EMPTY) == bool(ending)
        now = Position(f"{datetime.now(UTC).isoformat()}{ending}")
        return found.replace(position=pin if is_pinned else now, files=None if is_present else 0)
    name = column_of(source, columns, source.load_time).name
    before = None if pin is None else _watermark(source, pin)
    if before is not None and is_as_it_was(before, _counted(source, lake, name, before, until=None)):
        return found.replace(position=pin, files=None if before.rows else 0)
    rows = ask(source, lake, high_sql(source.location, name, until=_latest(source, columns)))
    high, below, at, undated, digest = rows[0] if rows else (None, 0, 0, 0, "0")
    now_at = Watermark(_place(source), high=high, below=below, at=at, undated=undated, digest=digest)
    return found.replace(position=now_at.position, files=None if now_at.rows else 0)


def changes(
    source: SourceTable, lake: Lake, since: Position, *, columns: tuple[ColumnName, ...], until: Position | None
) -> tuple[Touch, ...]:
    """Return one touch for all rows that came, with their ranges where rows only came after the earlier position."""
    end = until or head(source, lake, None, columns).position
    if end is None or end == since:
        return ()
    whole = Touch(TableName(source.name), position=end, parent=since, extent=Everything(), has_new_rows=True)
    before, after = _watermark(source, since), _watermark(source, end)
    if source.load_time is None:
        detail = "no `load_time` is declared, so nothing says whether it changed"
        return (whole.replace(detail=detail, has_new_rows=False),)
    if before is None or after is None:
        detail = "it was read from another place, or not by this `load_time`, before"
        return (whole.replace(detail=detail, has_new_rows=False),)
    known = columns_in_database(source, lake)
    name = column_of(source, known, source.load_time).name
    now = _counted(source, lake, name, before, until=after)
    change = change_since(before, now, column=source.load_time)
    touch = whole.replace(detail=change.detail, has_new_rows=now.newer > 0)
    if change.rows == "anywhere":
        return (touch,)
    where = newer_in(name, high=before.high, until=after.high, is_closed=change.rows == "from")
    touch = touch.replace(extent=extent_of(source, lake, where, columns=columns, schema=known))
    if change.rows == "from":
        return (touch,)
    rows = rows_on_time(now.newer, is_append=True)
    return (touch.replace(is_append=True, rows_added=now.newer, rows=rows),)


def detection(source: SourceTable, _lake: Lake, since: Position | None, *, until: Position) -> Detection:
    """Return the load time that rows came up to; as changed where it is not a later one."""
    before, after = (None if item is None else _watermark(source, item) for item in (since, until))
    if after is None:
        return Detection(input=source.name, detector=detector(source), changed=(until,))
    named = (after.high or "no load time",)
    is_new = before is None or before.high != after.high
    return Detection(
        input=source.name,
        detector=detector(source),
        added=named if is_new else (),
        changed=() if is_new else named,
    )


def is_emptied(source: SourceTable, _lake: Lake, since: Position, *, until: Position) -> bool:
    """Return whether a table has no rows now, and had some, or that is not known, at an earlier position."""
    return _is_empty(source, until) and not _is_empty(source, since)


def may_hold(_source: SourceTable, _lake: Lake, _question: RowsQuestion) -> bool:
    """Return True: rows may come at any time."""
    return True


def read(source: SourceTable, lake: Lake, session: "SparkSession", pin: Pin, _wanted: ForSlices | None) -> SourceRows:
    """Return the rows up to the pinned load time, or those after an earlier one; Spark lets the database filter."""
    columns = columns_in_database(source, lake)
    rows = _pinned_rows(source, columns, pin)
    frame = read_rows(source, lake, session, columns=columns, rows=rows)
    return SourceRows(frame=frame, after_reading=lambda: None)


def recheck(source: SourceTable, lake: Lake, position: Position) -> None:
    """Raise if rows came or left up to a load time; where there is none, nothing can be said."""
    if source.load_time is None:
        return
    pinned = _watermark(source, position)
    if pinned is None:
        raise RowsMoved(source.name, source.load_time, None)
    name = column_of(source, columns_in_database(source, lake), source.load_time).name
    if not is_as_it_was(pinned, _counted(source, lake, name, pinned, until=None)):
        raise RowsMoved(source.name, source.load_time, pinned.high)


def unrepeatable(source: SourceTable, position: Position) -> str | None:
    """Return that rows may have changed since they were read, where no load time would show it."""
    if source.load_time is not None:
        return None
    read_at = position.removesuffix(_EMPTY)
    return (
        f"`{source.name}` keeps no versions and has no `load_time`: it may have changed since it was read ({read_at})"
    )


def rows_read(_source: SourceTable, _lake: Lake, _pin: Pin, _wanted: ForSlices | None) -> int | None:
    """Return None: only the database could count them."""
    return None


def bytes_read(_source: SourceTable, _lake: Lake, _position: Position, _since: Position | None) -> int:
    """Return 0: how much a database holds is not known."""
    return 0


def _pinned_rows(source: SourceTable, columns: Schema, pin: Pin) -> str | None:
    """Return the query for the rows of a pin; None where they are the whole table as it is."""
    if source.load_time is None and pin.since is None:
        return None
    since = None if pin.since is None else _watermark(source, pin.since)
    if pin.since is not None and (since is None or source.load_time is None):
        raise NotAppended(TableName(source.name), pin.since)
    until = _watermark(source, pin.position)
    if until is None or source.load_time is None:
        raise RowsMoved(source.name, str(source.load_time), None)
    name = column_of(source, columns, source.load_time).name
    if since is None:
        return rows_sql(source.location, up_to_in(name, until=until.high))
    # Rows up to any earlier position are in the table already.
    loaded = (found for item in pin.loaded if (found := _watermark(source, item)) is not None)
    conditions = [newer_in(name, high=found.high, until=until.high) for found in (since, *loaded)]
    return rows_sql(source.location, " AND ".join(conditions))


def _counted(
    source: SourceTable, lake: Lake, column: ColumnName, before: Watermark, *, until: Watermark | None
) -> Counted:
    last = before.high if until is None else until.high
    ((below, at, undated, newer, digest),) = ask(
        source, lake, counts_sql(source.location, column, high=before.high, until=last)
    )
    return Counted(below=below, at=at, undated=undated, newer=newer, digest=digest)


def _watermark(source: SourceTable, position: Position) -> Watermark | None:
    return watermark_at(position, _place(source))


def _latest(source: SourceTable, columns: Schema) -> str | None:
    """Return up to which load time rows are taken, as the database computes it; None where all are."""
    if source.safety_lag is None or source.load_time is None:
        return None
    kind = column_of(source, columns, source.load_time).type
    return ago(parse_duration(source.safety_lag) or 0, is_local=kind == "timestamp_ntz")


def _place(source: SourceTable) -> str:
    """Return what stands for the table and the column that is watched: elsewhere an equal load time says nothing."""
    url = "" if source.connection is None else source.connection.url
    return content_hash((url, source.location, source.load_time))[:8]


def _is_look(position: Position) -> bool:
    """Return whether a position is the time of a look, as it is without a load time."""
    try:
        datetime.fromisoformat(position.removesuffix(_EMPTY))
    except ValueError:
        return False
    return True


def _is_empty(source: SourceTable, position: Position) -> bool:
    found = _watermark(source, position)
    return position.endswith(_EMPTY) if found is None else found.rows == 0
