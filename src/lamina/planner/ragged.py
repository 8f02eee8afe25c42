"""Unfinished slices: their end moves on without a build while none of their rows could be missing."""

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.compiler.link.parameters import bound_type
from lamina.compiler.slices.units import DAY_OR_LONGER
from lamina.planner.axis import earlier, grid_of
from lamina.planner.decide_intervals import schedule_of
from lamina.planner.now import Now
from lamina.planner.readiness import readiness
from lamina.planner.relayout import as_current
from lamina.planner.segments import cut_out, ever_built, fuse
from lamina.planner.words import spans_in_words, told_first
from lamina.values.batch import Batch, RowsQuestion
from lamina.values.bounds import typed_bounds
from lamina.values.coverage import Coverage, Segment
from lamina.values.facts import ModelFacts
from lamina.values.grid import Grid, floor_unit, next_unit
from lamina.values.interval import Interval, intersect, merge
from lamina.values.plan import Action, Build, Rebuild


def unfinished_rest(model: CompiledModel, batch: Batch) -> Interval | None:
    """Return what is left of the unit in which a batch ends; None where it ends with one."""
    grid, end = grid_of(model), batch.slices[-1].end
    if grid is None or batch.mode == "rewrite" or floor_unit(grid, end) == end:
        return None
    return Interval(end, next_unit(grid, end))


def rest_questions(model: CompiledModel, batch: Batch, rest: Interval) -> tuple[RowsQuestion, ...] | None:
    """Return what to ask of the inputs so that a rest is known to be without rows; None where nothing can show it."""
    grid = grid_of(model)
    if grid is None or not model.is_cut_freely:
        return None
    positions = {pin.input: pin.position for pin in batch.pins}
    asked: list[RowsQuestion] = []
    for use in model.inputs:
        if use.is_read_whole:
            continue
        spans = _columns_rest(model, use, grid, rest)
        if spans is None or use.filter_column is None or use.name not in positions:
            return None
        asked += [RowsQuestion(use.name, positions[use.name], use.filter_column, span) for span in spans]
    return tuple(asked)


def _columns_rest(model: CompiledModel, use: InputUse, grid: Grid, rest: Interval) -> tuple[Interval, ...] | None:
    """Return which values of an input's filter column may give rows of a rest; None where that is not known.

    Rows before it that were read may do so too, where slices reach back.
    """
    if use.filter_column is None or use.after_seconds:
        return None
    before = timedelta(seconds=use.reach_seconds)
    if not use.filters_dates:
        return (Interval(earlier(rest.start, before), rest.end),)
    is_local = grid.zone != "UTC" and bound_type(model) != "date"
    if grid.unit not in DAY_OR_LONGER or is_local:
        return None
    # A slice reads a date whole as soon as it reaches into its day.
    first, last = _dates(rest, grid)
    return (Interval(earlier(first, before), last),) if first < last else ()


def _dates(rest: Interval, grid: Grid) -> tuple[datetime, datetime]:
    """Return the first date that a slice up to a rest does not read, and the one after the rest, as UTC midnights."""
    before = Interval(floor_unit(grid, rest.start), rest.start)
    ends = (typed_bounds(span, "date", zone=grid.zone)[1] for span in (before, rest))
    first, last = (datetime.combine(end, time(), tzinfo=UTC) for end in ends)
    return first, last


def with_moved_ends(model: CompiledModel, facts: ModelFacts, now: Now) -> ModelFacts:
    """Return what is known of a model after its unfinished slices went on as far as is due and as they can."""
    spans = moved_ends(model, facts, now)
    if not spans:
        return facts
    coverage = as_current(model, facts.coverage)
    moved = tuple(Segment(interval=span, logic=model.fingerprint) for span in spans)
    grown = coverage.replace(
        segments=fuse((*coverage.segments, *moved)),
        quiet=tuple(part for rest in coverage.quiet for part in _left_of(rest, spans)),
        ever_built=merge((*ever_built(coverage), *spans)),
    )
    return facts.replace(coverage=grown)


def moved_ends(model: CompiledModel, facts: ModelFacts, now: Now) -> tuple[Interval, ...]:
    """Return the ranges by which unfinished slices go on without a build: nothing came that is not in them."""
    coverage = as_current(model, facts.coverage)
    # Rows that another program wrote and that were accepted may lie anywhere.
    if not coverage.quiet or coverage.not_followed or facts.target.status != "ours":
        return ()
    schedule = schedule_of(model, facts, now)
    if schedule is None or schedule.due is None:
        return ()
    until = schedule.due.end
    return tuple(_moved(model, coverage, now, grid=schedule.grid, until=until))


def say_moved(decided: tuple[Action, ...], spans: tuple[Interval, ...], grid: Grid) -> tuple[Action, ...]:
    """Return a decision that says which unfinished slices go on without a build, unless they are built all the same."""
    works = tuple(span for action in decided if isinstance(action, Build | Rebuild) for span in action.intervals)
    units = (Interval(floor_unit(grid, span.start), span.end) for span in spans)
    words = "; ".join(_moved_in_words(unit, grid) for unit in units if not intersect((unit,), works))
    return told_first(decided, lambda reason: f"{reason}; {words}", alone=words) if words else decided


def _moved_in_words(unit: Interval, grid: Grid) -> str:
    is_whole = next_unit(grid, unit.start) == unit.end
    goes_on = "is whole" if is_whole else f"goes on to {unit.end:%Y-%m-%dT%H:%MZ}"
    return f"{spans_in_words((unit,), grid)} {goes_on} without a build: no row of it came since it was built"


def _moved(model: CompiledModel, coverage: Coverage, now: Now, *, grid: Grid, until: datetime) -> Iterator[Interval]:
    for rest in coverage.quiet:
        start, end = floor_unit(grid, rest.start), min(rest.end, until)
        if end <= rest.start or next_unit(grid, rest.start) != rest.end or not is_clean(model, coverage, start, rest):
            continue
        unit = (Interval(start, end),)
        if readiness(model, unit, upstream=now.upstream, execution_time=now.execution_time).ready == unit:
            yield Interval(rest.start, end)


def is_clean(model: CompiledModel, coverage: Coverage, start: datetime, rest: Interval) -> bool:
    """Return whether a unit is built up to its rest by current code, and owes nothing: no touch reached it since."""
    if start == rest.start:
        return False
    built = cut_out(coverage.segments, (Interval(start, rest.end),))
    is_whole = merge(tuple(item.interval for item in built)) == (Interval(start, rest.start),)
    return is_whole and all(item.logic == model.fingerprint and not item.debts for item in built)


def _left_of(rest: Interval, moved: tuple[Interval, ...]) -> Iterator[Interval]:
    end = next((span.end for span in moved if span.start == rest.start), rest.start)
    if end < rest.end:
        yield Interval(end, rest.end)
