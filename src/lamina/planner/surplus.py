"""Ranges that were built before a start or end was moved inwards: kept, never due, and not compared."""

from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.due import declared_end, read_instant
from lamina.planner.segments import covered
from lamina.values.coverage import Coverage
from lamina.values.grid import floor_unit
from lamina.values.interval import MAX, MIN, WHOLE, Interval, subtract


def surplus_ranges(model: CompiledModel, coverage: Coverage) -> tuple[Interval, ...]:
    """Return the built ranges outside a model's start and end; the rows in them may have no source any more."""
    return subtract(covered(coverage), own_time(model, coverage)) if grid_of(model) is not None else ()


def own_time(model: CompiledModel, coverage: Coverage) -> tuple[Interval, ...]:
    """Return what of time lies between a model's start and end, as far as they are known; all of it without slices."""
    grid = grid_of(model)
    if grid is None:
        return (WHOLE,)
    start = MIN
    if model.settings.start is not None:
        start = floor_unit(grid, read_instant(model.settings.start, grid.zone))
    elif coverage.start is not None:
        start = floor_unit(grid, datetime.fromisoformat(coverage.start))
    end = declared_end(model, grid) or MAX
    return (Interval(start, end),) if start < end else ()
