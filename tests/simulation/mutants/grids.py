"""Slices that become longer or shorter: each rule of what is kept then taken away."""

from tests.simulation.mutants.mutant import Mutant

from lamina.compiler.graph import CompiledModel
from lamina.planner import decide_intervals, regrid
from lamina.planner.axis import grid_of
from lamina.values.coverage import Logic, Segment
from lamina.values.grid import Grid
from lamina.values.interval import Interval

# The original, which mutants still call.
taken_over = regrid.taken_over


def _same_grid_or_not(model: CompiledModel, logic: Logic) -> bool:
    return grid_of(model) is not None and logic.grid is not None and logic.grid != grid_of(model)


def _forgiven(segment: Segment, old: Grid, new: Grid, model: CompiledModel) -> tuple[Segment, ...]:
    parts = taken_over(segment, old, new, model)
    return tuple(part.replace(debts=()) if part.logic == model.fingerprint else part for part in parts)


def _whole_units_only(segment: Segment, old: Grid, new: Grid, model: CompiledModel) -> tuple[Segment, ...]:
    parts = taken_over(segment, old, new, model)
    return tuple(part for part in parts if part.logic == model.fingerprint)


def _as_they_are(spans: tuple[Interval, ...], _grid: Grid, _due: Interval) -> tuple[Interval, ...]:
    return spans


GRIDS = (
    Mutant(
        "another_query_is_kept_on_a_new_grid",
        "a range of another grid is kept only where the query is the same",
        regrid,
        "is_same_query",
        _same_grid_or_not,
    ),
    Mutant(
        "debts_are_left_on_the_old_grid",
        "a range that is kept on another grid owes what it owed",
        regrid,
        "taken_over",
        _forgiven,
    ),
    Mutant(
        "rest_of_the_old_grid_is_forgotten",
        "what does not fit the new grid stays covered until its unit is built",
        regrid,
        "taken_over",
        _whole_units_only,
    ),
    Mutant(
        "units_are_built_in_part",
        "what older code built of a unit is built again as a whole unit",
        decide_intervals,
        "to_units",
        _as_they_are,
    ),
)
