"""Whether the inputs of a slice are there: ready, waiting for what is not due yet, or blocked by what failed."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.planner.axis import grid_of
from lamina.planner.fold import keeps_old_rows
from lamina.values.grid import Grid, ceil_unit, floor_unit, widen
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
    """Wanted slices by what their inputs allow; the three do not overlap."""

    ready: tuple[Interval, ...]
    waiting: tuple[Interval, ...] = ()
    blocked: tuple[Interval, ...] = ()
    waits_for: tuple[ModelName, ...] = ()
    blocked_by: tuple[ModelName, ...] = ()
    until: datetime | None = None  # when what is waited for becomes due


def readiness(
    model: CompiledModel, wanted: tuple[Interval, ...], *, upstream: Mapping[TableName, Upstream]
) -> Readiness:
    """Sort wanted slices by whether what they read is there."""
    waiting: tuple[Interval, ...] = ()
    blocked: tuple[Interval, ...] = ()
    waits_for: set[ModelName] = set()
    releases: set[datetime] = set()
    blocked_by: set[ModelName] = set()
    for use in model.inputs:
        parent = upstream.get(use.name)
        if parent is None or model.is_own(use):
            continue
        bad = intersect(wanted, _blocked(model, use, parent=parent, wanted=wanted))
        late = () if model.settings.readiness == "cron" else _waiting(model, use, parent=parent, wanted=wanted)
        late = intersect(wanted, late)
        blocked_by |= set(parent.failing or (parent.name,)) if bad else set()
        waits_for |= {parent.name} if late else set()
        releases |= {parent.next_due} if late and parent.next_due and _is_ahead(parent, late) else set()
        blocked, waiting = merge((*blocked, *bad)), merge((*waiting, *late))
    if model.reads_itself and (unready := merge((*blocked, *waiting))):
        # Each slice builds on the one before: nothing after the first unready one can be built.
        rest = intersect(wanted, (Interval(unready[0].start, MAX),))
        blocked, waiting = (rest, ()) if blocked and blocked[0] == unready[0] else (blocked, rest)
    return Readiness(
        ready=subtract(wanted, (*blocked, *waiting)),
        waiting=subtract(waiting, blocked),
        blocked=blocked,
        waits_for=tuple(sorted(waits_for)),
        blocked_by=tuple(sorted(blocked_by)),
        until=max(releases, default=None),
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


def _is_ahead(parent: Upstream, late: tuple[Interval, ...]) -> bool:
    """Say whether slices wait for what is not due yet, and not for what was left out of this run."""
    return parent.due is None or late[-1].end > parent.due.end


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
    model: CompiledModel, use: InputUse, *, parent: Upstream, wanted: tuple[Interval, ...]
) -> tuple[Interval, ...]:
    """Return the slices that read what is not there yet."""
    if parent.grid is None:
        return () if parent.built else wanted
    grid = grid_of(model)
    if grid is None:
        lacking = subtract((parent.due,), (*parent.built, *parent.waiting)) if parent.due is not None else ()
        return wanted if lacking or not parent.built else ()
    needed = merge(tuple(_needed(span, use, grid=grid, parent=parent.grid) for span in wanted))
    lacking = subtract(intersect(needed, _lifetime(parent)), parent.built)
    return _readers(grid, use, lacking, of=parent.grid)


def _needed(span: Interval, use: InputUse, *, grid: Grid, parent: Grid) -> Interval:
    """Return what slices read of an interval input, in its whole units but for the end of an unfinished slice."""
    reach = timedelta(seconds=use.reach_seconds)
    start = floor_unit(parent, MIN if span.start - MIN <= reach else span.start - reach)
    is_unfinished = floor_unit(grid, span.end) != span.end
    return Interval(start, span.end if is_unfinished else ceil_unit(parent, span.end))


def _lifetime(parent: Upstream) -> tuple[Interval, ...]:
    start, end = parent.start or MIN, parent.end or MAX
    return (Interval(start, end),) if start < end else ()


def _readers(grid: Grid, use: InputUse, spans: tuple[Interval, ...], *, of: Grid) -> tuple[Interval, ...]:
    """Return the slices that read spans of an input; a slice needs each unit of its input whole."""
    reach = timedelta(seconds=use.reach_seconds)
    units = (widen(of, span) for span in spans)
    ends = ((unit, MAX if MAX - unit.end <= reach else unit.end + reach) for unit in units)
    return merge(tuple(widen(grid, Interval(unit.start, end)) for unit, end in ends))
