"""One model at one time: what is due, what is built, and what each input keeps from being built."""

from collections.abc import Mapping
from datetime import datetime

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.planner.axis import grid_of
from lamina.planner.due import cron_zone, declared_end, next_release
from lamina.planner.pending import model_pending
from lamina.planner.readiness import Upstream, input_readiness
from lamina.values.at_time import AtTime, InputAtTime
from lamina.values.facts import ModelFacts
from lamina.values.interval import WHOLE, bound_or_none, merge, subtract
from lamina.values.names import TableName
from lamina.values.plan import Action, Rename, Skip
from lamina.values.result import ModelStatus


def model_at_time(
    model: CompiledModel,
    facts: ModelFacts,
    actions: tuple[Action, ...],
    *,
    status: ModelStatus,
    inputs: Mapping[TableName, ModelStatus],
    upstream: Mapping[TableName, Upstream],
    execution_time: datetime,
) -> AtTime:
    """Return what is decided about a model, beside what it is decided from; facts with folded coverage."""
    own, grid = upstream.get(TableName(model.name)), grid_of(model)
    wanted = merge(tuple(span for item in actions if not isinstance(item, Skip | Rename) for span in item.intervals))

    def input_at_time(use: InputUse) -> InputAtTime:
        state = input_readiness(model, use, wanted, upstream=upstream, execution_time=execution_time)
        parent, known = upstream.get(use.name), inputs.get(use.name)
        return InputAtTime(
            input=use.name,
            is_model=use.is_model,
            status=known.status if known is not None else None,
            reason=known.reason if known is not None else "",
            due=parent.due if parent is not None and parent.grid is not None else None,
            built=known.built if known is not None else (),
            waiting=subtract(state.waiting, state.blocked),
            until=None if state.until is None else bound_or_none(state.until),
            blocked=state.blocked,
        )

    due = own.due if own is not None and own.due != WHOLE else None
    start = own.start if own is not None and own.start is not None else execution_time
    after = next_release(model, grid, max(execution_time, start))
    end = declared_end(model, grid) if grid is not None else None
    is_over = end is not None and due is not None and due.end >= end
    return AtTime(
        execution_time=f"{execution_time:%Y-%m-%dT%H:%M:%SZ}",
        status=status.status,
        reason=status.reason,
        schedule=_schedule(model),
        is_whole=grid is None,
        due=due,
        next_due=None if after is None or is_over else bound_or_none(after),
        built=status.built,
        actions=actions,
        pending=model_pending(model, facts, actions),
        inputs=tuple(input_at_time(use) for use in model.inputs if not model.is_own(use)),
        failing=status.failing,
        timezone=status.timezone,
    )


def _schedule(model: CompiledModel) -> str:
    """Say which slices a model has, between which bounds, and when they are released."""
    settings, grid, zone = model.settings, grid_of(model), cron_zone(model)
    named = f" ({zone})" if zone != "UTC" else ""
    tick = f"`{settings.cron}`{named}" if settings.cron is not None else None
    if grid is None:
        return "the whole table" + (f", at most once for each tick of {tick}" if tick else ", whenever it is stale")
    span = f" from {settings.start}" if settings.start is not None else ""
    span += f" to {settings.end}" if settings.end is not None else ""
    unit = f"slices of {grid.unit}" if grid.unit[0].isdigit() else f"each {grid.unit}"
    return f"{unit}{span}, released " + (f"at ticks of {tick}" if tick else f"when the {grid.unit} is over{named}")
