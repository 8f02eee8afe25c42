"""Rows of a driver by their timestamps: what it has, and the condition of those that a batch takes."""

from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING

from lamina.compiler.graph import CompiledModel
from lamina.planner.time_position import instant_of, local_text, next_of
from lamina.values.batch import Batch
from lamina.values.bounds import Bound
from lamina.values.codec import content_hash
from lamina.values.names import ColumnName, folded, folded_names
from lamina.values.schema import Column, DataType
from lamina.values.time_position import Tally, TimeRead, TimeSpan, TimesSeen
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.spark.checksum import SALTS, is_hashable, row_hash, sums_of, value_hashes
from lamina.warehouse.spark.ranges import TimeRange, literal
from lamina.warehouse.sql import quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_TIMES = ("date", "timestamp", "timestamp_ntz")
_PLACE = "lamina__place"


class UnfitTimestamp(WarehouseFailure):
    """A timestamp column cannot be a position: it holds no times, or one that no calendar has.

    Why: with `position = "timestamp"` rows are new if they lie after the largest time that was read.
    Fix: name a `date` or `timestamp` column; a time far in the future is held back by `safety_lag`.
    """

    code = "L648"

    def __init__(self, column: ColumnName, found: str) -> None:
        super().__init__(
            f"`{column}` cannot be read by its timestamps: {found}",
            kind="data_rejected",
            hint="name a `date` or `timestamp` column; `safety_lag` holds back times that are far ahead",
        )


def condition(span: TimeSpan) -> str:
    """Return which rows lie in a span, as SQL."""
    name = quote(span.column)
    parts = [f"{name} {'<=' if span.has_end else '<'} {_literal(span.end)}"] if span.end is not None else ["false"]
    if span.start is not None:
        parts.append(f"{name} {'>=' if span.has_start else '>'} {_literal(span.start)}")
    within = " AND ".join(parts)
    return f"({within}) OR {name} IS NULL" if span.has_nulls else within


def from_watermark(batch: Batch) -> str:
    """Return which rows of a table are of a batch that replaced those at the watermark: all from there on."""
    read = batch.by_time
    before = None if read is None or read.before is None else read.before.at
    return "true" if read is None or before is None else f"{quote(read.column)} >= {_literal(before)}"


def reading(batch: Batch, span: TimeSpan) -> Batch:
    """Return a batch that reads only the rows of its driver in a span."""
    read = batch.by_time
    assert read is not None, "only a read by timestamps has a span"
    pins = (pin.replace(span=span) if pin.input == read.input else pin for pin in batch.pins)
    return batch.replace(pins=tuple(pins))


def replaced_range(span: TimeSpan) -> TimeRange | None:
    """Return the one time of a table whose rows are replaced; None where rows are only added."""
    if not span.replaces or span.start is None:
        return None
    return TimeRange(column=span.column, start=_bound(span.start), end=next_of(span.start))


def see_times(rows: "DataFrame", model: CompiledModel, read: TimeRead) -> TimesSeen:
    """Return what a driver has at, after and, where it may have changed, below the watermark."""
    zone, columns, kind = model.settings.timezone, _columns(rows, model, read), _kind(rows, read.column)
    named = content_hash([(folded(column.name), column.type) for column in columns])
    before = None if read.before is None else read.before.at
    cap = None if read.until is None else local_text(datetime.fromisoformat(read.until), kind, zone=zone)
    last, ahead = _bounds(rows, read.column, kind, after=before, cap=cap)
    # Sums of other columns cannot be compared with those that are known.
    looks_below = read.before is None or read.before.is_touched or read.before.columns != named
    found = _tallies(rows, read.column, columns, last=last, before=before, looks_below=looks_below)
    return TimesSeen(
        at=last,
        ties=found.get("ties", Tally()),
        between=found.get("between", Tally()),
        last=found.get("last", Tally()),
        nulls=found.get("nulls", Tally()),
        below=found.get("below", Tally()) if looks_below and before is not None else None,
        columns=named,
        due_at=_due_at(ahead, read, zone=zone),
    )


def _due_at(ahead: str | None, read: TimeRead, *, zone: str) -> str | None:
    """Return when a row that is too young may be read; never one at the end of the calendar, where "never" is."""
    try:
        due = None if ahead is None else instant_of(ahead, zone=zone) + timedelta(seconds=read.lag_seconds)
    except (ValueError, OverflowError):
        return None
    return None if due is None else due.isoformat()


def _bounds(
    rows: "DataFrame", column: ColumnName, kind: str, *, after: str | None, cap: str | None
) -> tuple[str | None, str | None]:
    """Return the largest time after the watermark that may be read, and the smallest one that may not."""
    name = quote(column)
    new = rows if after is None else rows.where(f"{name} > {_literal(after)}")
    is_old = "true" if cap is None else f"{name} <= {_literal(cap)}"
    found = new.selectExpr(
        f"CAST(max({name}) FILTER (WHERE {is_old}) AS STRING) AS last",
        f"CAST(min({name}) FILTER (WHERE NOT ({is_old})) AS STRING) AS ahead",
    )
    ((last, ahead),) = found.collect()
    watermark = None if last is None else _text(last, kind)
    if watermark is not None and not _is_in_calendar(watermark):
        raise UnfitTimestamp(column, f"`{last}` is beyond the calendar")
    return watermark, None if ahead is None else _text(ahead, kind)


def _tallies(
    rows: "DataFrame",
    column: ColumnName,
    columns: tuple[Column, ...],
    *,
    last: str | None,
    before: str | None,
    looks_below: bool,
) -> dict[str, Tally]:
    """Return how many rows lie where, with the sums of their hashes; one pass, of no more rows than it must."""
    from pyspark.sql import functions

    name = quote(column)
    end = last if last is not None else before
    span = TimeSpan(column, start=None if looks_below else before, has_start=True, end=end, has_nulls=True)
    places = [f"WHEN {name} IS NULL THEN 'nulls'"]
    places += [] if last is None else [f"WHEN {name} = {_literal(last)} THEN 'last'"]
    places += [] if before is None else [f"WHEN {name} = {_literal(before)} THEN 'ties'"]
    places += [] if before is None else [f"WHEN {name} < {_literal(before)} THEN 'below'"]
    can_hash = all(is_hashable(item.type) for item in columns)
    values = [value_hashes(item) for item in columns] if can_hash else []
    hashes = [f"{row_hash(value[place] for value in values)} AS h{salt}" for place, salt in enumerate(SALTS)]
    placed = rows.where(condition(span)).selectExpr(
        f"CASE {' '.join(places)} ELSE 'between' END AS {_PLACE}", *(hashes if can_hash else ())
    )
    sums = [part for salt in SALTS for part in sums_of(f"h{salt}", "1")] if can_hash else []
    found = placed.groupBy(_PLACE).agg(functions.expr("count(1)"), *map(functions.expr, sums)).collect()
    return {place: Tally(rows=count, sums=tuple(sums)) for place, count, *sums in map(tuple, found)}


def _columns(rows: "DataFrame", model: CompiledModel, read: TimeRead) -> tuple[Column, ...]:
    """Return the columns of the driver that the model reads, sorted, and the one it is read by."""
    use = next(use for use in model.inputs if use.name == read.input)
    names = None if use.read_set is None else folded_names((*use.read_set, read.column))
    found = (
        Column(name=ColumnName(name), type=DataType(kind))
        for name, kind in rows.dtypes
        if names is None or folded(name) in names
    )
    return tuple(sorted(found, key=lambda column: folded(column.name)))


def _kind(rows: "DataFrame", column: ColumnName) -> str:
    kind = {folded(name): kind for name, kind in rows.dtypes}.get(folded(column))
    if kind is None or kind not in _TIMES:
        raise UnfitTimestamp(column, "there is no such column" if kind is None else f"it is `{kind}`")
    return kind


def _text(found: str, kind: str) -> str:
    """Return a time that Spark wrote, as text in its domain; sessions are in UTC."""
    return f"{found.replace(' ', 'T')}{'Z' if kind == 'timestamp' else ''}"


def _is_in_calendar(text: str) -> bool:
    try:
        next_of(text)
    except (ValueError, OverflowError):
        return False
    return True


def _bound(text: str) -> Bound:
    return date.fromisoformat(text) if len(text) == len("2026-04-07") else datetime.fromisoformat(text)


def _literal(text: str) -> str:
    return literal(_bound(text))
