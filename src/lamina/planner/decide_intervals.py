"""Decide about an interval model: which slices are missing, owe something, or are requested, and which can be built."""

from datetime import datetime, timedelta

from lamina.compiler.graph import CompiledModel
from lamina.compiler.slices.units import SECOND, in_words
from lamina.planner.axis import grid_of
from lamina.planner.due import (
    declared_end,
    due_range,
    effective_start,
    missing,
    next_release,
    selected_range,
    selects_slices,
    tail_after_end,
    with_lookback,
)
from lamina.planner.failures import failed_units, failing_of, failure_in_words, given_up, unchanged_since
from lamina.planner.now import Now
from lamina.planner.readiness import Readiness, behind_failures, readiness
from lamina.planner.redone import (
    always_new,
    current_in_words,
    late_in_words,
    late_ranges,
    not_shortened,
    redone_in_words,
    redone_ranges,
)
from lamina.planner.regrid import grid_reason, to_units
from lamina.planner.segments import covered, cut_out, indebted
from lamina.planner.staleness import (
    built_by_older_code,
    debts_in_words,
    keeps_older_code,
    older_ranges,
    parameter_reason,
    rebuild_reason,
    stale_ranges,
)
from lamina.planner.words import spans_in_words, units_in_words
from lamina.strategies.traits import Slices
from lamina.values.coverage import Coverage
from lamina.values.facts import ModelFacts
from lamina.values.grid import Grid, count_units, widen
from lamina.values.interval import MAX, Interval, intersect, merge, subtract
from lamina.values.plan import UNCHANGED, Action, Block, Build, Hold, Rebuild, Selection, Skip, Wait
from lamina.values.value import Value
from lamina.values.words import listed


class Schedule(Value, frozen=True):
    """The time of one interval model: its grid, where it begins and ends, and what of it is due."""

    grid: Grid
    slices: Slices
    start: datetime
    end: datetime | None
    due: Interval | None
    tail: tuple[Interval, ...] = ()  # redone after the end, while the lookback still reaches it

    @property
    def lifetime(self) -> Interval:
        """Return what of time is due now or later."""
        return Interval(self.start, max(self.end or MAX, self.start + timedelta(microseconds=1)))


class Want(Value, frozen=True):
    """Slices to build and why; a rebuild takes all of them in one step."""

    spans: tuple[Interval, ...]
    reason: str
    is_rebuild: bool = False
    is_asked: bool = False  # in this run: then earlier failures do not matter
    held: tuple[Interval, ...] = ()  # stale, and kept back
    held_reason: str = ""


def schedule_of(model: CompiledModel, facts: ModelFacts, now: Now) -> Schedule | None:
    """Return the schedule of an interval model, None for a whole-table one."""
    slices, grid, time = model.traits.slices, grid_of(model), now.execution_time
    if slices is None or grid is None:
        return None
    parents = tuple(parent.start for parent in now.upstream.values() if parent.start is not None)
    start = effective_start(model, facts.coverage, grid=grid, parents=parents, execution_time=time)
    due = due_range(model, start, grid=grid, execution_time=time, selection=now.selection)
    end = declared_end(model, grid)
    tail = tail_after_end(model, facts.coverage, grid=grid, execution_time=time, units=slices.lookback)
    tail = intersect(tail, (due,)) if due is not None else ()
    return Schedule(grid=grid, slices=slices, start=start, end=end, due=due, tail=tail)


def decide_intervals(model: CompiledModel, facts: ModelFacts, now: Now) -> tuple[Action, ...]:
    """Return what the slices of an interval model need: work first, then what is withheld and why."""
    schedule, upstream = schedule_of(model, facts, now), now.upstream
    if schedule is None:
        return ()
    want = _want(model, facts, schedule=schedule, now=now)
    idle = _idle(facts, want=want, schedule=schedule)
    failed_since = behind_failures(model, idle, upstream=upstream)
    held = subtract(want.held, failed_since.blocked)
    behind = _withheld(model, failed_since, grid=schedule.grid)
    behind = (*behind, Hold(model=model.name, intervals=held, reason=want.held_reason)) if held else behind
    if not want.spans:
        return behind or (Skip(model=model.name, reason=want.reason),)
    failures = () if want.is_asked else given_up(model, facts, now.execution_time)
    failures = tuple(item for item in failures if intersect(want.spans, (item.interval,)))
    again = intersect(want.spans, failed_units(failures, schedule.grid))
    spans = subtract(want.spans, again)
    state = readiness(model, spans, upstream=upstream, execution_time=now.execution_time)
    withheld = _withheld(model, state, grid=schedule.grid)
    if again:
        own = Block(
            model=model.name,
            intervals=again,
            reason=failure_in_words(failures),
            blocked_by=(model.name,),
            failing=failing_of(failures),
        )
        withheld = (own, *withheld)
    return (*_work(model, facts, want=want, state=state, failed=again), *withheld, *behind)


def _idle(facts: ModelFacts, *, want: Want, schedule: Schedule) -> tuple[Interval, ...]:
    """Return the built slices that nothing is wanted of."""
    due = (schedule.due,) if schedule.due is not None else ()
    return subtract(intersect(covered(facts.coverage), due), want.spans)


def _want(model: CompiledModel, facts: ModelFacts, *, schedule: Schedule, now: Now) -> Want:
    grid, due = schedule.grid, schedule.due
    selection, execution_time = now.selection, now.execution_time
    redone = _redone(model, facts, schedule=schedule, now=now)
    if due is not None and (reason := rebuild_reason(model, facts, selection, due)) is not None:
        wanted = _rebuilt(_unfinished(model, facts, selection, grid=grid, due=due), redone)
        return Want(spans=wanted, reason=reason, is_rebuild=True, is_asked=selection.is_full_refresh)
    if selects_slices(selection):
        chosen = selected_range(
            selection, grid=grid, start=schedule.start, end=schedule.end, execution_time=execution_time
        )
        if chosen is None:
            return Want(spans=(), reason="none of the selected slices is between its start and now, or its end")
        return Want(spans=(chosen,), reason=f"requested: {spans_in_words((chosen,), grid)}", is_asked=True)
    if due is None:
        release = next_release(model, grid, max(execution_time, schedule.start))
        until = f" before {release:%Y-%m-%dT%H:%MZ}" if release is not None else ""
        nothing = Want(spans=(), reason=f"nothing is due{until}")
        return nothing if selection.is_missing else _with_redone(model, nothing, redone, schedule)
    if selection.is_missing:
        gaps = missing(facts.coverage, due, grid=grid)
        return Want(spans=gaps, reason=_gaps_in_words(facts, gaps, grid) if gaps else "nothing is missing")
    if selection.is_forced:
        return Want(spans=(due,), reason="requested with `--force`", is_asked=True)
    if facts.coverage.segments and (reason := parameter_reason(model, facts.coverage, execution_time)) is not None:
        return Want(spans=_rebuilt(due, redone), reason=reason, is_rebuild=True)
    return _with_redone(model, _stale(model, facts, schedule=schedule, due=due, now=now), redone, schedule)


def _rebuilt(due: Interval, redone: tuple[Interval, ...]) -> tuple[Interval, ...]:
    """Return what a rebuild takes in one step; of what every run builds, parts that lie away from that come later."""
    return tuple(span for span in merge((due, *redone)) if intersect((span,), (due,)))


def _unfinished(
    model: CompiledModel, facts: ModelFacts, selection: Selection, *, grid: Grid, due: Interval
) -> Interval:
    """Return what is left of a rebuild: one that goes on slice after slice does not begin again where it ended."""
    if not model.reads_itself or selection.is_full_refresh or facts.target.status != "ours":
        return due
    coverage = facts.coverage
    stale = (*missing(coverage, due, grid=grid), *to_units(stale_ranges(model, coverage), grid, due))
    return Interval(merge(stale)[0].start, due.end) if stale else due


def _stale(model: CompiledModel, facts: ModelFacts, *, schedule: Schedule, due: Interval, now: Now) -> Want:
    """Return the due slices that are missing, owe something to an input, or are to be restated."""
    coverage, grid = facts.coverage, schedule.grid
    gaps = missing(coverage, due, grid=grid)
    # A missing slice that cannot be built yet redoes nothing, else the ones before it were built in every run.
    failed = failed_units(given_up(model, facts, now.execution_time), grid)
    time, upstream = now.execution_time, now.upstream
    coming = readiness(model, subtract(gaps, failed), upstream=upstream, execution_time=time).ready
    looked_back = with_lookback(coverage, coming, due=due, grid=grid, units=schedule.slices.lookback)
    # What an input no longer gives is not redone: `keep` saved it.
    again = merge((*gaps, *subtract((*looked_back, *schedule.tail), coverage.held)))
    # What code with another grid built may end inside a unit.
    older = to_units(older_ranges(model, coverage, due), grid, due)
    asked = merge(tuple(widen(grid, span) for span in facts.requests))
    asked = intersect(asked, (due,))
    if asked and model.reads_itself:
        asked = (Interval(asked[0].start, due.end),)
    late = late_ranges(model, coverage, grid=grid, execution_time=time)
    held = subtract(intersect(late, (due,)), merge((*again, *older, *asked)))
    owed = to_units(subtract(intersect(indebted(coverage), (due,)), held), grid, due)
    held = subtract(held, owed)
    reasons = []
    if gaps:
        reasons.append(_gaps_in_words(facts, gaps, grid))
    if subtract(again, gaps):
        reasons.append(f"lookback of {units_in_words(schedule.slices.lookback, grid)}")
    if older:
        why = "not kept from the old grid" if grid_reason(model, coverage) is not None else "built by older code"
        reasons.append(f"{why}: {spans_in_words(older, grid)}")
    if owed:
        reasons.append(_debts(model, coverage, owed, now))
    if asked:
        reasons.append(f"requested: {spans_in_words(asked, grid)}")
    spans = merge((*again, *older, *owed, *asked))
    waits = late_in_words(schedule.slices, grid, _debts(model, coverage, held, now)) if held else ""
    kept = _kept_in_words(model, coverage, schedule) if keeps_older_code(model) else UNCHANGED
    nothing = current_in_words(model, schedule.slices, grid, _owed_later(coverage, schedule, due) or kept)
    return Want(spans=spans, reason="; ".join(reasons) or nothing, held=held, held_reason=waits)


def _with_redone(model: CompiledModel, want: Want, redone: tuple[Interval, ...], schedule: Schedule) -> Want:
    """Return what is stale and what every run builds beside it."""
    if not subtract(redone, want.spans):
        return want
    words = redone_in_words(model, schedule.slices, schedule.grid)
    reason = f"{want.reason}; {words}" if want.spans else words
    return want.replace(spans=merge((*want.spans, *redone)), reason=reason)


def _debts(model: CompiledModel, coverage: Coverage, spans: tuple[Interval, ...], now: Now) -> str:
    debts = (debt for segment in cut_out(coverage.segments, spans) for debt in segment.debts)
    return debts_in_words(model, debts, now.touches)


def _redone(model: CompiledModel, facts: ModelFacts, *, schedule: Schedule, now: Now) -> tuple[Interval, ...]:
    """Return what `rebuild` has built in this run: what is ready of it; slices whose rows `keep` saved stay."""
    slices, grid, time = schedule.slices, schedule.grid, now.execution_time
    slices = slices.replace(rebuild="always") if always_new(model) else slices
    if slices.rebuild == "stale":
        return ()
    wanted = redone_ranges(slices, schedule.due, grid=grid, lifetime=schedule.lifetime, execution_time=time)
    if not now.redoes:
        # What failed is not fine because it was only to be built once more.
        wanted = intersect(wanted, failed_units(unchanged_since(model, facts, time), grid))
    wanted = not_shortened(wanted, covered(facts.coverage), grid=grid)
    wanted = subtract(wanted, facts.coverage.held)
    return readiness(model, wanted, upstream=now.upstream, execution_time=time).ready


def _kept_in_words(model: CompiledModel, coverage: Coverage, schedule: Schedule) -> str:
    """Say which slices stay as older code built them."""
    older = intersect(built_by_older_code(model, coverage), (schedule.lifetime,))
    if not older:
        return UNCHANGED
    return f'{spans_in_words(older, schedule.grid)}: as older code built it (`on_change = "forward_only"`)'


def _owed_later(coverage: Coverage, schedule: Schedule, due: Interval) -> str:
    """Say which slices that were built before their time have changed since: nothing is lost, but it waits."""
    later = subtract(intersect(indebted(coverage), (schedule.lifetime,)), (due,))
    if not later:
        return ""
    return f"{spans_in_words(later, schedule.grid)} changed after it was built, and is built again when it is due"


def _gaps_in_words(facts: ModelFacts, gaps: tuple[Interval, ...], grid: Grid) -> str:
    if not facts.coverage.segments:
        return "first build"
    units = sum(count_units(grid, span) for span in gaps)
    return f"{units_in_words(units, grid)} missing: {spans_in_words(gaps, grid)}"


def _work(
    model: CompiledModel, facts: ModelFacts, *, want: Want, state: Readiness, failed: tuple[Interval, ...]
) -> tuple[Action, ...]:
    if not state.ready:
        return ()
    if not want.is_rebuild:
        return (_build(model, want, state),)
    if model.reads_itself:
        # Each slice reads the one before it, so they cannot be made in one step.
        return (_build(model, want, state),)
    # Of a table that is gone no slice is left that a rebuild without it could drop.
    there = () if facts.target.status in ("absent", "lost") else covered(facts.coverage)
    lost = intersect(subtract(want.spans, state.ready), there)
    if lost or failed or len(state.ready) > 1:
        reason = f"{want.reason}, but not every slice can be rebuilt yet, and the table is replaced in one step"
        if not failed and not state.blocked:
            return (Wait(model=model.name, intervals=state.ready, reason=reason),)
        return (Block(model=model.name, intervals=state.ready, reason=reason, blocked_by=state.blocked_by),)
    return (Rebuild(model=model.name, intervals=state.ready, reason=want.reason),)


def _build(model: CompiledModel, want: Want, state: Readiness) -> Build:
    return Build(
        model=model.name,
        intervals=state.ready,
        reason=want.reason,
        mode="replace_slices",
        is_asked=want.is_asked,
    )


def _awaited(state: Readiness, grid: Grid) -> str:
    """Say what slices wait for."""
    inputs, spans = listed(state.waits_for), spans_in_words(state.waiting, grid)
    if not state.ahead_seconds:
        return f"{inputs} has not built {spans} yet"
    return f"{spans} waits for rows of {inputs} up to {in_words(state.ahead_seconds * SECOND)} after the slice"


def _withheld(model: CompiledModel, state: Readiness, *, grid: Grid) -> tuple[Action, ...]:
    actions: list[Action] = []
    if state.blocked:
        reason = f"{listed(state.blocked_by)} failed in {spans_in_words(state.blocked, grid)}"
        actions.append(Block(model=model.name, intervals=state.blocked, reason=reason, blocked_by=state.blocked_by))
    if state.waiting:
        reason = _awaited(state, grid)
        reason += f"; it is due at {state.until:%Y-%m-%dT%H:%MZ}" if state.until is not None else ""
        actions.append(Wait(model=model.name, intervals=state.waiting, reason=reason, until=state.until))
    return tuple(actions)
