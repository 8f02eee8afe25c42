"""How a model's slices map to the time columns of its table and of its inputs."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.compiler.slices.units import DAY_OR_LONGER
from lamina.values.coverage import InputRange
from lamina.values.grid import Grid, ceil_unit, day_start, local_day, next_unit, widen
from lamina.values.interval import MAX, MIN, Interval, merge
from lamina.values.names import TableName, folded

_LONG = timedelta(days=400)  # a change of more dates is not worth a list of them


def grid_of(model: CompiledModel) -> Grid | None:
    """Return the unit grid of an interval model, None for a whole-table one."""
    slices = model.traits.slices
    return Grid(slices.unit, model.settings.timezone) if slices is not None else None


def column_ranges(model: CompiledModel, slices: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """Return the ranges of an interval model's time column, in the column's own domain, that slices cover."""
    if not _has_local_dates(model):
        return slices
    zone = model.settings.timezone
    return merge(tuple(_dates_of(zone, span) for span in slices))


def inverse_image(grid: Grid, read: InputRange, ranges: tuple[Interval, ...], *, is_own: bool) -> tuple[Interval, ...]:
    """Return the slices that read any of the given ranges of an input's filter column; `is_own`: of their own table."""
    before, after = timedelta(seconds=read.before_seconds), timedelta(seconds=read.after_seconds)
    # A local date in a column is written as the same date in UTC, where each day is as long as any other.
    in_days = read.counts_days and bool(before or after)
    zone = grid.zone if read.is_date or in_days else "UTC"
    if in_days:
        ranges = tuple(_dates_of(zone, span) for span in ranges)
    if is_own:
        return merge(tuple(_own_future(grid, _as_local_days(zone, span), before) for span in ranges))
    if read.is_date and grid.unit not in DAY_OR_LONGER:
        ranges = tuple(part for span in ranges for part in _midnights(span))
    # A slice [s, e) reads [s - before, e + after).
    reached = (Interval(earlier(span.start, after), _later(span.end, before)) for span in ranges)
    return merge(tuple(widen(grid, _as_local_days(zone, span)) for span in reached))


def can_see(model: CompiledModel, use: InputUse, ranges: tuple[Interval, ...], *, span: Interval) -> bool:
    """Return whether slices in a span may read rows of an input whose filter column lies in some ranges."""
    grid, read = grid_of(model), use.range
    if grid is None or read is None:
        return True
    readers = inverse_image(grid, read, ranges, is_own=use.name == TableName(model.name))
    return any(reader.start < span.end and reader.end > span.start for reader in readers)


def reach_of(grid: Grid, read: InputRange, span: Interval) -> Interval:
    """Return a range of an input's filter column, in the column's own domain, outside of which slices see no row."""
    before, after = timedelta(seconds=read.before_seconds), timedelta(seconds=read.after_seconds)
    in_days = read.counts_days and bool(before or after)
    held = _dates_of(grid.zone, span) if read.is_date or in_days else span
    reached = Interval(earlier(held.start, before), _later(held.end, after))
    if not read.is_date and not in_days:
        return reached
    # A day is seen whole, or not at all, also where the reach ends within one.
    whole = widen(Grid("day"), reached)
    return whole if read.is_date else _as_local_days(grid.zone, whole)


def _midnights(span: Interval) -> Iterator[Interval]:
    """Yield where the dates of a span begin, all that slices shorter than a day see of them; a long span is left."""
    days = widen(Grid("day"), span)
    if days.start <= MIN or days.end >= MAX or days.end - days.start > _LONG:
        yield span
        return
    for number in range((days.end - days.start).days):
        start = days.start + timedelta(days=number)
        yield Interval(start, start + timedelta(microseconds=1))


def _own_future(grid: Grid, span: Interval, window: timedelta) -> Interval:
    """Return the later slices that read a slice of their own table; without a window, all of them."""
    start = next_unit(grid, span.start)
    end = ceil_unit(grid, _later(span.end, window)) if window else MAX
    return Interval(start, max(end, start + timedelta(microseconds=1)))


def _has_local_dates(model: CompiledModel) -> bool:
    slices = model.traits.slices
    if slices is None or model.settings.timezone == "UTC":
        return False
    wanted = folded(slices.time_column)
    return any(column.type == "date" for column in model.columns or () if folded(column.name) == wanted)


def _as_local_days(zone: str, span: Interval) -> Interval:
    """Return the local days of the dates whose UTC midnights bound a span; in UTC they are the same."""
    if zone == "UTC":
        return span
    days = widen(Grid("day"), span)
    if days.start <= MIN or days.end >= MAX:
        return days
    return Interval(day_start(zone, days.start.date()), day_start(zone, days.end.date()))


def _dates_of(zone: str, span: Interval) -> Interval:
    """Return the dates of the local days that hold a span, written as the same dates in UTC."""
    days = widen(Grid("day", zone), span)
    start = MIN if days.start <= MIN else _utc(local_day(zone, days.start))
    return Interval(start, MAX if days.end >= MAX else _utc(local_day(zone, days.end)))


def earlier(instant: datetime, window: timedelta) -> datetime:
    """Return the instant a while before another, not before time begins."""
    return MIN if instant - MIN <= window else instant - window


def _later(instant: datetime, window: timedelta) -> datetime:
    return MAX if MAX - instant <= window else instant + window


def _utc(day: date) -> datetime:
    return datetime.combine(day, time(), tzinfo=UTC)
