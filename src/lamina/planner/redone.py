"""What every run builds whatever changed: as `rebuild` asks for, or because an input is never known to be current."""

from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.planner.fold import keeps_old_rows
from lamina.planner.words import units_in_words
from lamina.strategies.traits import Slices
from lamina.values.coverage import Coverage, Debt
from lamina.values.grid import Grid, advance, floor_unit, next_unit
from lamina.values.interval import MIN, Interval, intersect, merge
from lamina.values.names import TableName
from lamina.values.plan import UNCHANGED
from lamina.values.words import listed


def always_new(model: CompiledModel) -> tuple[TableName, ...]:
    """Return the inputs that every run reads again; of those whose changes are not followed, old rows stay."""
    return tuple(use.name for use in model.inputs if use.is_always_new and not keeps_old_rows(model, use))


def always_in_words(names: tuple[TableName, ...]) -> str:
    """Say why every run builds a model."""
    return f'{listed(names)} {"is" if len(names) == 1 else "are"} read again by every run (`detect = "always"`)'


def redone_ranges(
    slices: Slices, due: Interval | None, *, grid: Grid, lifetime: Interval, execution_time: datetime
) -> tuple[Interval, ...]:
    """Return what every run builds: what is due, or the last units with the one of now, as far as it has come."""
    if slices.rebuild == "stale":
        return ()
    if slices.rebuild == "always":
        return () if due is None else (due,)
    now = floor_unit(grid, execution_time)
    # Where a part of the unit of now is due, that part is what is built of it.
    end = due.end if due is not None and due.end > now else execution_time
    first = _first_of_last(slices.rebuild, grid, execution_time)
    return intersect((Interval(first, end),), (lifetime,)) if first < end else ()


def not_shortened(spans: tuple[Interval, ...], built: tuple[Interval, ...], *, grid: Grid) -> tuple[Interval, ...]:
    """Return ranges without the part of a unit that is built further already: the clock of a run may go back."""
    if not spans or (start := floor_unit(grid, spans[-1].end)) == spans[-1].end:
        return spans
    further = intersect(built, (Interval(spans[-1].end, next_unit(grid, start)),))
    return intersect(spans, (Interval(MIN, start),)) if further else spans


def late_ranges(
    model: CompiledModel, coverage: Coverage, *, grid: Grid, execution_time: datetime
) -> tuple[Interval, ...]:
    """Return built slices before the last units that owe nothing but late rows: they wait until they are requested."""
    slices = model.traits.slices
    if slices is None or not isinstance(slices.rebuild, int) or always_new(model):
        return ()
    owing = (item for item in coverage.segments if item.debts and all(_is_late(model, debt) for debt in item.debts))
    first = _first_of_last(slices.rebuild, grid, execution_time)
    before = (Interval(MIN, first),) if first > MIN else ()
    return intersect(merge(tuple(item.interval for item in owing)), before)


def _first_of_last(units: int, grid: Grid, execution_time: datetime) -> datetime:
    return advance(grid, floor_unit(grid, execution_time), count=1 - units)


def _is_late(model: CompiledModel, debt: Debt) -> bool:
    """Return whether a debt is one of rows that came late: of an input whose slices hold them, written by its owner."""
    if debt.is_foreign:
        return False
    uses = (use for use in model.inputs if use.name == debt.input and not model.is_own(use))
    return any(use.filter_column is not None for use in uses)


def redone_in_words(model: CompiledModel, slices: Slices, grid: Grid) -> str:
    """Say which slices every run builds, and why."""
    if names := always_new(model):
        return always_in_words(names)
    if not isinstance(slices.rebuild, int):
        return "every slice is built in every run"
    return f"{_last(slices.rebuild, grid)} {'is' if slices.rebuild == 1 else 'are'} built in every run"


def _last(units: int, grid: Grid) -> str:
    words = units_in_words(units, grid)
    return f"the last {words.removeprefix('1 ')}" if units == 1 else f"the last {words}"


def current_in_words(model: CompiledModel, slices: Slices, grid: Grid, reason: str) -> str:
    """Say that nothing is stale, and what the next run builds all the same."""
    is_stale_only = slices.rebuild == "stale" and not always_new(model)
    return reason if is_stale_only or reason != UNCHANGED else f"{reason}; {redone_in_words(model, slices, grid)}"


def late_in_words(slices: Slices, grid: Grid, reason: str) -> str:
    """Say why slices that owe something stay pending."""
    count = slices.rebuild if isinstance(slices.rebuild, int) else 0
    return f"{reason}; before {_last(count, grid)}, so it stays pending until it is requested with `--from` and `--to`"
