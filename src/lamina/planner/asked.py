"""The slices that a run was asked for, as requests: they stay stale until they are built, whatever becomes of it."""

from lamina.values.interval import Interval, merge
from lamina.values.names import ModelName
from lamina.values.plan import Build, Hold, Plan


def asked_slices(plan: Plan) -> dict[ModelName, tuple[Interval, ...]]:
    """Return what a plan builds because it was asked for, and what of that a budget leaves to later runs.

    A full refresh of a table that is replaced is one step, done or not done.
    """
    chosen = plan.selection.models
    asked: dict[ModelName, tuple[Interval, ...]] = {}
    for action in plan.actions:
        if isinstance(action, Build | Hold) and action.is_asked and (chosen is None or action.model in chosen):
            asked[action.model] = merge((*asked.get(action.model, ()), *action.intervals))
    return asked
