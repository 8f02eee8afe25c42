"""Look over what is asked and what is planned: does it name slices, has anything changed, is it more than expected."""

from datetime import datetime

from lamina.compiler.graph import Graph
from lamina.errors import LaminaError, UsageError
from lamina.planner.axis import grid_of
from lamina.planner.due import selected_range, selects_slices
from lamina.planner.relayout import is_rewrite
from lamina.values.grid import count_units
from lamina.values.names import PlanId
from lamina.values.plan import Plan, Rebuild, Selection
from lamina.values.words import counted, listed


class PlanMoved(LaminaError):
    """Something changed since a plan was made.

    Why: `apply` does exactly what the plan lists, or refuses; code, a table or an input has changed since.
    Fix: make a new plan with `lamina plan`, look at it, and apply that one.
    """

    code = "L510"

    def __init__(self, plan_id: PlanId, differences: tuple[str, ...]) -> None:
        super().__init__(
            f"plan `{plan_id[:12]}` no longer fits: {'; '.join(differences)}",
            hint="nothing was changed; `lamina plan` makes a new plan",
        )


class RebuildTooLarge(LaminaError):
    """A code change would rebuild more slices than `run.rebuild_limit`.

    Why: a small edit can cost a recompute of all history, which should be intended.
    Fix: look at `lamina plan`; then `lamina run --yes`, or apply the plan, or raise `rebuild_limit` under `[run]`.
    """

    code = "L511"

    def __init__(self, slices: int, *, limit: int, models: tuple[str, ...]) -> None:
        super().__init__(
            f"{counted(slices, 'slice')} would be rebuilt, more than `run.rebuild_limit` ({limit}): {listed(models)}",
            hint="look at `lamina plan`, then run again with `--yes`, or apply the plan",
        )


def check_slices(selection: Selection, graph: Graph, *, execution_time: datetime) -> None:
    """Refuse slice flags where no requested model has slices, and keys that name none, whatever else is to be done."""
    if selection.is_full_refresh and (selects_slices(selection) or selection.is_missing):
        hint = "leave one of them out; slices alone are built again, a full refresh replaces the whole table"
        raise UsageError("`--full-refresh` rebuilds whole tables, so it cannot be given with single slices", hint=hint)
    if not selects_slices(selection):
        return
    names = selection.models if selection.models is not None else tuple(model.name for model in graph.models)
    grids = {grid for name in names if (grid := grid_of(graph.model(name))) is not None}
    if not grids:
        hint = "only `time_interval` and `microbatch` models have slices; `--force` builds the others as a whole"
        raise UsageError(f"slices are requested, but {listed(names)} has none", hint=hint)
    for grid in sorted(grids, key=lambda item: (item.unit, item.zone)):
        selected_range(selection, grid=grid, start=execution_time, end=None, execution_time=execution_time)


def moved_since(plan: Plan, now: Plan) -> tuple[str, ...]:
    """Return in words what a plan assumed that holds no more; nothing where it would come out the same."""
    if plan.plan_id == now.plan_id:
        return ()
    before, after = plan.assumed, now.assumed
    names = sorted(before.fingerprints.keys() | after.fingerprints.keys())
    code = tuple(name for name in names if before.fingerprints.get(name) != after.fingerprints.get(name))
    tables = tuple(name for name in names if before.bases.get(name) != after.bases.get(name))
    inputs = tuple(name for name in sorted(before.pins) if before.pins[name] != after.pins.get(name))
    found = []
    if code:
        found.append(f"the code of {listed(code)} changed")
    if tables:
        found.append(f"the table of {listed(tables)} moved")
    if inputs:
        found.append(f"{listed(inputs)} can no longer be read as it was")
    return tuple(found) or ("what is recorded of the models changed",)


def check_size(plan: Plan, graph: Graph, *, limit: int) -> None:
    """Refuse a plan that rebuilds more slices than the limit."""
    slices, models = 0, []
    for action in plan.actions:
        if isinstance(action, Rebuild) and not is_rewrite(action):
            grid = grid_of(graph.model(action.model))
            slices += sum(count_units(grid, span) for span in action.intervals) if grid is not None else 1
            models.append(str(action.model))
    if slices > limit:
        raise RebuildTooLarge(slices, limit=limit, models=tuple(models))
