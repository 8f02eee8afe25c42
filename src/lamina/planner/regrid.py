"""A change of the grid alone: ranges whose bounds lie on the old grid and on the new one stay as they are.

The same query was proven on both grids, so a range between bounds that both have holds the same rows by either. What is
left over (units that owe something in part, the days of an unfinished week) stays a range of the older code: it is
built again with its unit as soon as that is due.
"""

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.logic import built_by
from lamina.planner.segments import cut_out, fuse, leave_out
from lamina.planner.words import spans_in_words, told_first, units_in_words
from lamina.values.coverage import Coverage, Logic, Segment
from lamina.values.grid import Grid, ceil_unit, count_units, floor_unit, widen
from lamina.values.interval import MIN, Interval, intersect, merge, subtract
from lamina.values.plan import Action
from lamina.values.words import listed


def on_new_grid(model: CompiledModel, coverage: Coverage) -> Coverage:
    """Return coverage in which ranges of the same query on another grid count as built by the current code."""
    grid, alike = grid_of(model), _same_query(model, coverage)
    if grid is None or not alike:
        return coverage
    segments = tuple(
        part
        for segment in coverage.segments
        for part in (taken_over(segment, alike[segment.logic], grid, model) if segment.logic in alike else (segment,))
    )
    is_taken = any(segment.logic == model.fingerprint for segment in segments)
    return built_by(model, coverage, fuse(segments)) if is_taken else coverage


def within_both(span: Interval, old: Grid, new: Grid) -> Interval | None:
    """Return the largest range inside a span whose bounds lie on two grids; None where there is none.

    >>> from datetime import UTC, datetime
    >>> april = Interval(datetime(2026, 4, 1, tzinfo=UTC), datetime(2026, 5, 1, tzinfo=UTC))
    >>> weeks = within_both(april, Grid("day"), Grid("week"))
    >>> f"{weeks.start:%m-%d} {weeks.end:%m-%d}"
    '04-06 04-27'
    """
    start, end = span.start, span.end
    while start < end and (later := ceil_unit(new, ceil_unit(old, start))) != start:
        start = later
    while start < end and (earlier := floor_unit(new, floor_unit(old, end))) != end:
        end = earlier
    return Interval(start, end) if start < end else None


def grid_reason(model: CompiledModel, coverage: Coverage) -> str | None:
    """Say how the grid changed of what is built; None where some of it is by code that differs in more than that."""
    grid = grid_of(model)
    older = {segment.logic for segment in coverage.segments} - {model.fingerprint}
    alike = [logic for logic in coverage.logics if logic.fingerprint in older and is_same_query(model, logic)]
    if grid is None or len(alike) < max(len(older), 1):
        return None
    grids = [logic.grid for logic in alike if logic.grid is not None]
    units, zones = sorted({was.unit for was in grids} - {grid.unit}), sorted({was.zone for was in grids} - {grid.zone})
    changes = [f"the granularity changed from {listed(units)} to `{grid.unit}`"] if units else []
    changes += [f"the timezone changed from {listed(zones)} to `{grid.zone}`"] if zones else []
    return " and ".join(changes) or None


def kept_in_words(model: CompiledModel, before: Coverage, after: Coverage, due: Interval | None) -> str:
    """Say what of a table a change of the grid keeps, and what waits for the rest of its unit; nothing without one."""
    grid = grid_of(model)
    now, was = (_by_current(model, coverage) for coverage in (after, before))
    # What lies outside of the model's time may be of other grids still.
    kept = subtract(now, was)
    reason = grid_reason(model, before.replace(segments=cut_out(before.segments, kept))) if kept else None
    if grid is None or reason is None:
        return ""
    units = sum(count_units(grid, span) for span in kept)
    past = (Interval(MIN, due.end),) if due is not None else ()
    waiting = subtract(merge(tuple(item.interval for item in after.segments)), (*now, *past))
    tail = f"; {spans_in_words(waiting, grid)} stays as it is until it is due" if waiting else ""
    return f"{reason}: {units_in_words(units, grid)} kept{tail}"


def say_kept(decided: tuple[Action, ...], words: str) -> tuple[Action, ...]:
    """Return a decision whose first build, or skip, says what a change of the grid keeps."""
    return told_first(decided, lambda reason: f"{words}; {reason}", alone=words) if words else decided


def to_units(spans: tuple[Interval, ...], grid: Grid, due: Interval) -> tuple[Interval, ...]:
    """Return the units, as far as they are due, that spans reach into: a unit is built as a whole."""
    return intersect(merge(tuple(widen(grid, span) for span in spans)), (due,))


def taken_over(segment: Segment, old: Grid, new: Grid, model: CompiledModel) -> tuple[Segment, ...]:
    """Return the parts of a range: by current code where both grids bound it, by its own code beside that."""
    kept = within_both(segment.interval, old, new)
    if kept is None:
        return (segment,)
    inside = (part.replace(logic=model.fingerprint) for part in cut_out((segment,), (kept,)))
    return (*inside, *leave_out((segment,), (kept,)))


def _same_query(model: CompiledModel, coverage: Coverage) -> dict[str, Grid]:
    """Return the grids of other code that is the same query."""
    return {
        logic.fingerprint: logic.grid
        for logic in coverage.logics
        if logic.grid is not None and logic.fingerprint != model.fingerprint and is_same_query(model, logic)
    }


def is_same_query(model: CompiledModel, logic: Logic) -> bool:
    """Say whether other code gives the same rows for every range that both grids bound."""
    grid = grid_of(model)
    if grid is None or logic.grid is None or logic.gridless is None or not model.is_cut_freely:
        return False
    if logic.gridless != model.gridless_fingerprint or not _is_plain(model):
        return False
    return logic.grid.zone == grid.zone or not model.counts_local_days


def _is_plain(model: CompiledModel) -> bool:
    """Say whether staleness alone decides what is built, so that parts of units are never left, held or redone."""
    slices, settings = model.traits.slices, model.settings
    is_redone = slices is not None and slices.rebuild != "stale"
    return not is_redone and settings.on_change == "rebuild" and settings.budget.on_breach == "warn"


def _by_current(model: CompiledModel, coverage: Coverage) -> tuple[Interval, ...]:
    return merge(tuple(item.interval for item in coverage.segments if item.logic == model.fingerprint))
