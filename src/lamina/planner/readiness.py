"""Whether the inputs of a slice are there: ready, waiting for what is not due yet, or blocked by what failed."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.planner.axis import grid_of
from lamina.planner.fold import keeps_old_rows
from lamina.values.grid import Grid, ceil_unit, day_start, floor_unit, local_day, next_unit, widen
from lamina.values.interval import MAX, MIN, Interval, intersect, merge, subtract
from lamina.values.names import ModelName, TableName
from lamina.values.value import Value


class Upstream(Value, frozen=True):
    """The state of a managed input in this pass; a whole-table one has the single slice `WHOLE`."""

    name: ModelName
    grid: Grid | None
    start: datetime | None  # of an interval model
    end: datetime | None  # declared
    due: Interval | None
    built: tuple[Interval, ...]  # covered, or going to be in this pass
    failed: tuple[Interval, ...] = ()  # failed or blocked, even if an older version is there
    waiting: tuple[Interval, ...] = ()  # waiting or held
    failing: tuple[ModelName, ...] = ()  # what failed: itself, or what blocks it
    next_due: datetime | None = None  # when more of it becomes due


class Readiness(Value, frozen=True):
    """Wanted slices by what their inputs allow; of all inputs together, the three do not overlap."""

    ready: tuple[Interval, ...]
    waiting: tuple[Interval, ...] = ()
    blocked: tuple[Interval, ...] = ()
    waits_for: tuple[str, ...] = ()  # models, and sources that are read past the slice
    blocked_by: tuple[ModelName, ...] = ()
    until: datetime | None = None  # when what is waited for becomes due
    ahead_seconds: int = 0  # how far past the slice that is read


def readiness(
    model: CompiledModel,
    wanted: tuple[Interval, ...],
    *,
    upstream: Mapping[TableName, Upstream],
    execution_time: datetime,
) -> Readiness:
    """Sort wanted slices by whether what they read is there."""
    waiting: tuple[Interval, ...] = ()
    blocked: tuple[Interval, ...] = ()
    awaited: list[InputUse] = []
    releases: set[datetime] = set()
    blocked_by: set[ModelName] = set()
    for use in model.inputs:
        state = input_readiness(model, use, wanted, upstream=upstream, execution_time=execution_time)
        awaited += [use] if state.waiting else []
        releases |= {state.until} if state.until is not None else set()
        waiting = merge((*waiting, *state.waiting))
        blocked = merge((*blocked, *state.blocked))
        blocked_by |= set(state.blocked_by)
    if model.reads_itself and (unready := merge((*blocked, *waiting))):
        # Each slice builds on the one before: nothing after the first unready one can be built.
        rest = intersect(wanted, (Interval(unready[0].start, MAX),))
        blocked, waiting = (rest, ()) if blocked and blocked[0] == unready[0] else (blocked, rest)
    return Readiness(
        ready=subtract(wanted, (*blocked, *waiting)),
        waiting=subtract(waiting, blocked),
        blocked=blocked,
        waits_for=tuple(sorted(use.name for use in awaited)),
        blocked_by=tuple(sorted(blocked_by)),
        until=max(releases, default=None),
        ahead_seconds=max((use.after_seconds for use in awaited), default=0),
    )


def input_readiness(
    model: CompiledModel,
    use: InputUse,
    wanted: tuple[Interval, ...],
    *,
    upstream: Mapping[TableName, Upstream],
    execution_time: datetime,
) -> Readiness:
    """Sort wanted slices by whether what they read of one input is there."""
    parent = upstream.get(use.name)
    if model.is_own(use) or (parent is None and use.is_model):
        return Readiness(ready=wanted)
    late: tuple[Interval, ...] = ()
    if model.settings.readiness != "cron":
        late = intersect(wanted, _waiting(model, use, parent=parent, wanted=wanted, now=execution_time))
    bad = intersect(wanted, _blocked(model, use, parent=parent, wanted=wanted)) if parent is not None else ()
    return Readiness(
        ready=subtract(wanted, (*late, *bad)),
        waiting=late,
        blocked=bad,
        waits_for=(use.name,) if late else (),
        blocked_by=parent.failing or (parent.name,) if bad and parent is not None else (),
        until=_release(model, use, parent=parent, late=late),
        ahead_seconds=use.after_seconds if late else 0,
    )


def behind_failures(
    model: CompiledModel, built: tuple[Interval, ...], *, upstream: Mapping[TableName, Upstream]
) -> Readiness:
    """Sort built slices by whether what they read has failed since: such a slice is as stale as its input."""
    blocked: tuple[Interval, ...] = ()
    blocked_by: set[ModelName] = set()
    for use in model.inputs:
        parent = upstream.get(use.name)
        if parent is None or model.is_own(use) or keeps_old_rows(model, use):
            continue
        bad = intersect(built, _blocked(model, use, parent=parent, wanted=built))
        blocked_by |= set(parent.failing or (parent.name,)) if bad else set()
        blocked = merge((*blocked, *bad))
    return Readiness(ready=subtract(built, blocked), blocked=blocked, blocked_by=tuple(sorted(blocked_by)))


def _release(
    model: CompiledModel, use: InputUse, *, parent: Upstream | None, late: tuple[Interval, ...]
) -> datetime | None:
    """Return when the first of some slices can be built; None where it waits for what was left out of this run."""
    grid = grid_of(model)
    if not late or (parent is not None and parent.next_due is None):
        return None
    first = _moved(grid, use, next_unit(grid, late[0].start), use.after_seconds) if grid is not None else None
    if parent is None or parent.next_due is None:
        return first
    last = late[-1].end if grid is None else _moved(grid, use, late[-1].end, use.after_seconds)
    if parent.due is not None and last <= parent.due.end:
        return None
    return max(parent.next_due, first) if use.after_seconds and first is not None else parent.next_due


def _blocked(
    model: CompiledModel, use: InputUse, *, parent: Upstream, wanted: tuple[Interval, ...]
) -> tuple[Interval, ...]:
    """Return the slices that read what failed."""
    if not parent.failed:
        return ()
    grid = grid_of(model)
    if grid is None or parent.grid is None or use.filter_column is None:
        return wanted
    return _readers(grid, use, parent.failed, of=parent.grid)


def _waiting(
    model: CompiledModel, use: InputUse, *, parent: Upstream | None, wanted: tuple[Interval, ...], now: datetime
) -> tuple[Interval, ...]:
    """Return the slices that read what is not there yet."""
    grid = grid_of(model)
    if parent is None:
        return (_ahead_of(now, grid, use),) if grid is not None and use.after_seconds else ()
    if parent.grid is None:
        return () if parent.built else wanted
    if grid is None:
        lacking = subtract((parent.due,), (*parent.built, *parent.waiting)) if parent.due is not None else ()
        return wanted if lacking or not parent.built else ()
    needed = merge(tuple(_needed(span, use, grid=grid, parent=parent.grid) for span in wanted))
    lacking = subtract(intersect(needed, _lifetime(parent)), parent.built)
    return _readers(grid, use, lacking, of=parent.grid)


def _ahead_of(now: datetime, grid: Grid, use: InputUse) -> Interval:
    """Return the slices that read more of a source than there is: it is there up to now."""
    known = _moved(grid, use, now, -use.after_seconds)
    edge = known if known == MIN else next_unit(grid, next_unit(grid, known))
    # Days of a zone differ in length, so that no one step back is the right one.
    while edge > MIN and _moved(grid, use, edge, use.after_seconds) > now:
        edge = floor_unit(grid, edge - timedelta(microseconds=1))
    return Interval(edge, MAX)


def _needed(span: Interval, use: InputUse, *, grid: Grid, parent: Grid) -> Interval:
    """Return what slices read of an interval input, in its whole units but for the end of an unfinished slice."""
    start = floor_unit(parent, _moved(grid, use, span.start, -use.reach_seconds))
    end = _moved(grid, use, span.end, use.after_seconds)
    is_unfinished = floor_unit(grid, span.end) != span.end
    return Interval(start, end if is_unfinished else ceil_unit(parent, end))


def _lifetime(parent: Upstream) -> tuple[Interval, ...]:
    start, end = parent.start or MIN, parent.end or MAX
    return (Interval(start, end),) if start < end else ()


def _readers(grid: Grid, use: InputUse, spans: tuple[Interval, ...], *, of: Grid) -> tuple[Interval, ...]:
    """Return the slices that read spans of an input; a slice needs each unit of its input whole."""
    units = (widen(of, span) for span in spans)
    ends = (
        (_moved(grid, use, unit.start, -use.after_seconds), _moved(grid, use, unit.end, use.reach_seconds))
        for unit in units
    )
    return merge(tuple(widen(grid, Interval(start, end)) for start, end in ends))


def _moved(grid: Grid, use: InputUse, instant: datetime, seconds: int) -> datetime:
    """Return an instant some time earlier or later; where dates are read, days are those of the model's zone."""
    if not seconds:
        return instant
    span = timedelta(seconds=seconds)
    if span >= MAX - instant or -span >= instant - MIN:
        return MAX if seconds > 0 else MIN
    is_local = grid.zone != "UTC" and (use.filters_dates or use.counts_days)
    if not is_local or span % timedelta(days=1) or floor_unit(Grid("day", grid.zone), instant) != instant:
        return instant + span
    return day_start(grid.zone, local_day(grid.zone, instant) + span)
