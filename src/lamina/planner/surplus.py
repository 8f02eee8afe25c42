"""Ranges that were built before a start or end was moved inwards: kept, never due, and not compared."""

from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.due import declared_end, read_instant
from lamina.planner.segments import covered
from lamina.values.coverage import Coverage
from lamina.values.grid import floor_unit
from lamina.values.interval import MAX, MIN, Interval, subtract


def surplus_ranges(model: CompiledModel, coverage: Coverage) -> tuple[Interval, ...]:
    """Return the built ranges outside a model's start and end; the rows in them may have no source any more."""
    grid = grid_of(model)
    if grid is None:
        return ()
    start = MIN
    if model.settings.start is not None:
        start = floor_unit(grid, read_instant(model.settings.start, grid.zone))
    elif coverage.start is not None:
        start = floor_unit(grid, datetime.fromisoformat(coverage.start))
    end = declared_end(model, grid) or MAX
    return subtract(covered(coverage), (Interval(start, end),)) if start < end else covered(coverage)
