"""Which units of an interval model are due, which of those are missing, and which ones a selection names."""

from datetime import UTC, date, datetime, time, timedelta

from lamina.compiler.graph import CompiledModel
from lamina.errors import UsageError
from lamina.planner.segments import covered
from lamina.values.coverage import Coverage
from lamina.values.cron import cron_floor, next_tick
from lamina.values.grid import Grid, advance, ceil_unit, day_start, floor_unit, widen
from lamina.values.interval import Interval, intersect, merge, subtract
from lamina.values.partition_key import example_key, parse_coarse_key, parse_key
from lamina.values.plan import Selection


def effective_start(
    model: CompiledModel, coverage: Coverage, *, grid: Grid, parents: tuple[datetime, ...], execution_time: datetime
) -> datetime:
    """Return where a model's time begins: declared, as resolved before, as its parents', or one period ago."""
    if model.settings.start is not None:
        return floor_unit(grid, read_instant(model.settings.start, grid.zone))
    if coverage.start is not None:
        return floor_unit(grid, datetime.fromisoformat(coverage.start))
    if parents:
        return floor_unit(grid, min(parents))
    bound = _released(model, grid, execution_time)
    return floor_unit(grid, _previous_release(model, grid, bound))


def due_range(
    model: CompiledModel, start: datetime, *, grid: Grid, execution_time: datetime, selection: Selection
) -> Interval | None:
    """Return the range of a model that should exist by now, None where nothing is due yet."""
    bound = execution_time if selection.ignore_cron else _released(model, grid, execution_time)
    if (last := declared_end(model, grid)) is not None:
        bound = min(bound, last)
    if not model.settings.allow_partials:
        bound = floor_unit(grid, bound)
    first = floor_unit(grid, start)
    return Interval(first, bound) if first < bound else None


def declared_end(model: CompiledModel, grid: Grid) -> datetime | None:
    """Return the instant a model's time ends; an end written as a date includes that day."""
    text = model.settings.end
    if text is None:
        return None
    instant = read_instant(text, grid.zone)
    return advance(Grid("day", grid.zone), instant, count=1) if _is_date(text) else instant


def missing(coverage: Coverage, due: Interval, *, grid: Grid) -> tuple[Interval, ...]:
    """Return the due units that no recorded range contains whole."""
    whole = (_whole_units(span, due, grid) for span in intersect(covered(coverage), (due,)))
    return subtract((due,), tuple(span for span in whole if span is not None))


def with_lookback(
    coverage: Coverage, gaps: tuple[Interval, ...], *, due: Interval, grid: Grid, units: int
) -> tuple[Interval, ...]:
    """Return missing ranges with the units before the newest ones; a hole in old history redoes itself only."""
    built = covered(coverage)
    if not gaps or not built or units <= 0:
        return gaps
    newer = next((span for span in gaps if span.end > built[-1].end), None)
    if newer is None:
        return gaps
    first = max(newer.start, floor_unit(grid, built[-1].end))
    again = Interval(max(advance(grid, first, count=-units), due.start), due.end)
    return intersect(merge((*gaps, again)), (due,))


def tail_after_end(
    model: CompiledModel, coverage: Coverage, *, grid: Grid, execution_time: datetime, units: int
) -> tuple[Interval, ...]:
    """Return what the lookback redoes after a model's end: for each unit of time that passed since its last build."""
    end = declared_end(model, grid)
    if end is None or coverage.built is None or units <= 0:
        return ()
    before = max(end, floor_unit(grid, _released(model, grid, datetime.fromisoformat(coverage.built))))
    now = floor_unit(grid, _released(model, grid, execution_time))
    first = advance(grid, floor_unit(grid, before), count=-units)
    return (Interval(first, end),) if before < now and first < end else ()


def selected_range(
    selection: Selection, *, grid: Grid, start: datetime, end: datetime | None, execution_time: datetime
) -> Interval | None:
    """Return the range that slice flags name, cut to the model's time as far as it has begun; None if that is nothing.

    After the end of a model, its last slices are the latest ones, as if it were still that time.
    """
    is_over = end is not None and end <= execution_time
    now = end if end is not None and is_over else execution_time
    newest = floor_unit(grid, now - timedelta(microseconds=1) if is_over else now)
    finished = floor_unit(grid, now)
    span = _named_range(selection, grid=grid, newest=newest, finished=finished, execution_time=execution_time)
    if span is None:
        return None
    first, last = max(span.start, floor_unit(grid, start)), min(span.end, now)
    return Interval(first, last) if first < last else None


def selects_slices(selection: Selection) -> bool:
    """Say whether slice flags are given, which ignore cron and rebuild what they name."""
    keys = (selection.partition, selection.from_key, selection.to_key)
    return selection.is_latest or selection.lookback is not None or any(key is not None for key in keys)


def next_release(model: CompiledModel, grid: Grid | None, instant: datetime) -> datetime | None:
    """Return when something of a model becomes due after an instant; None for a whole-table model without cron."""
    if model.settings.cron is not None:
        return next_tick(model.settings.cron, cron_zone(model), instant)
    return advance(grid, floor_unit(grid, instant), count=1) if grid is not None else None


def cron_zone(model: CompiledModel) -> str:
    """Return the zone a model's cron is read in."""
    return model.settings.cron_timezone or model.settings.timezone


def read_instant(text: str, zone: str) -> datetime:
    """Read a date as its first instant in a zone, or a date and time, which means UTC unless it says otherwise."""
    if _is_date(text):
        return day_start(zone, date.fromisoformat(text))
    instant = datetime.fromisoformat(text)
    return instant.replace(tzinfo=UTC) if instant.tzinfo is None else instant.astimezone(UTC)


def _is_date(text: str) -> bool:
    return len(text) in (8, 10)


def _released(model: CompiledModel, grid: Grid, execution_time: datetime) -> datetime:
    """Return the last tick; without a cron, the last boundary of the unit."""
    if model.settings.cron is None:
        return floor_unit(grid, execution_time)
    tick = cron_floor(model.settings.cron, cron_zone(model), execution_time)
    return tick if tick is not None else datetime.combine(date.min, time(), tzinfo=UTC)


def _previous_release(model: CompiledModel, grid: Grid, bound: datetime) -> datetime:
    if model.settings.cron is None:
        return advance(grid, floor_unit(grid, bound), count=-1)
    tick = cron_floor(model.settings.cron, cron_zone(model), bound - timedelta(microseconds=1))
    return min(tick if tick is not None else bound, advance(grid, floor_unit(grid, bound), count=-1))


def _whole_units(span: Interval, due: Interval, grid: Grid) -> Interval | None:
    """Cut a built span to whole units; where what is due ends inside a unit, that part counts as one."""
    start = ceil_unit(grid, span.start)
    end = span.end if span.end == due.end else floor_unit(grid, span.end)
    return Interval(start, end) if start < end else None


def _named_range(
    selection: Selection, *, grid: Grid, newest: datetime, finished: datetime, execution_time: datetime
) -> Interval | None:
    """Return the units that slice flags name; a lookback alone means the last finished ones."""
    if selection.partition is not None:
        named = _unit(grid, selection.partition)
    elif selection.from_key is not None or selection.to_key is not None:
        named = _range_of_keys(selection, grid=grid, execution_time=execution_time)
    elif selection.is_latest:
        named = Interval(newest, advance(grid, newest, count=1))
    else:
        return _units_before(grid, finished, selection.lookback or 0)
    return Interval(advance(grid, named.start, count=-(selection.lookback or 0)), named.end)


def _units_before(grid: Grid, boundary: datetime, units: int) -> Interval | None:
    return Interval(advance(grid, boundary, count=-units), boundary) if units > 0 else None


def _range_of_keys(selection: Selection, *, grid: Grid, execution_time: datetime) -> Interval:
    first = _span(grid, selection.from_key) if selection.from_key is not None else None
    last = _span(grid, selection.to_key) if selection.to_key is not None else None
    start = first.start if first is not None else datetime.min.replace(tzinfo=UTC)
    end = last.end if last is not None else widen(grid, Interval(execution_time, execution_time + timedelta(1))).end
    if start >= end:
        hint = "`--from` and `--to` are both included; give the earlier one first"
        raise UsageError(f"`--from {selection.from_key}` is after `--to {selection.to_key}`", hint=hint)
    return Interval(start, end)


def _unit(grid: Grid, key: str) -> Interval:
    if (found := parse_key(grid, key)) is None:
        raise UsageError(f"`{key}` is not the key of a {grid.unit}", hint=f"write it like `{example_key(grid)}`")
    return found


def _span(grid: Grid, key: str) -> Interval:
    if (found := parse_coarse_key(grid, key)) is None:
        hint = f"write it like `{example_key(grid)}`, or a coarser key"
        raise UsageError(f"`{key}` is not the key of a {grid.unit} or of a longer period", hint=hint)
    return found
