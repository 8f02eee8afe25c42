"""The slices that a run was asked for, as requests: they stay stale until they are built, whatever becomes of it."""

from lamina.planner.due import selects_slices
from lamina.values.interval import Interval, merge
from lamina.values.names import ModelName
from lamina.values.plan import Build, Plan, Rebuild


def asked_slices(plan: Plan) -> dict[ModelName, tuple[Interval, ...]]:
    """Return what a plan builds because it was asked for; a full refresh is one step, done or not done."""
    selection = plan.selection
    if selection.is_full_refresh or not (selection.is_forced or selects_slices(selection)):
        return {}
    asked: dict[ModelName, tuple[Interval, ...]] = {}
    for action in plan.actions:
        is_chosen = selection.models is None or action.model in selection.models
        if isinstance(action, Build | Rebuild) and is_chosen:
            asked[action.model] = merge((*asked.get(action.model, ()), *action.intervals))
    return asked
