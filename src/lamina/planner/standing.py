"""The state of models, in the words of `status` and `intervals`: the plan of this moment, described and not done."""

from collections.abc import Iterable

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.broken import Broken
from lamina.planner.segments import covered
from lamina.planner.surplus import surplus_ranges
from lamina.values.facts import ModelFacts
from lamina.values.grid import floor_unit
from lamina.values.interval import Interval, bound_or_none, merge
from lamina.values.names import ModelName
from lamina.values.plan import Action, Block, Build, Hold, Rebuild, Wait
from lamina.values.result import IntervalsResult, ModelStatus, RangeReason, Standing


def model_status(model: CompiledModel, facts: ModelFacts, actions: tuple[Action, ...]) -> ModelStatus:
    """Return the state of a model, from what a run would do with it now."""
    works = tuple(action for action in actions if isinstance(action, Build | Rebuild))
    status, reason = _word(model, facts, actions)
    return ModelStatus(
        model=model.name,
        strategy=model.traits.name,
        status=status,
        reason=reason,
        built=covered(facts.coverage),
        stale=merge(tuple(span for work in works for span in work.intervals)),
        watermark=facts.coverage.watermark,
        timezone=model.settings.timezone,
    )


def unbuilt_status(model: CompiledModel) -> ModelStatus:
    """Return the state of a model of which no version was ever run."""
    return ModelStatus(model=model.name, strategy=model.traits.name, status="not_built", reason="never run")


def broken_status(status: ModelStatus, broken: Broken | None) -> ModelStatus:
    """Return the state of a model that does not compile, or reads one that does not; what is built of it stays."""
    name = ModelName(status.model)
    reason = broken.reason(name) if broken is not None else None
    if broken is None or reason is None:
        return status
    return status.replace(status="failed" if name in broken.faults else "blocked", reason=reason, stale=())


def interval_ranges(model: CompiledModel, facts: ModelFacts, actions: tuple[Action, ...]) -> IntervalsResult:
    """Return the ranges of a model by their state; what built them is added from history."""
    built = covered(facts.coverage)
    works = tuple(action for action in actions if isinstance(action, Build | Rebuild))
    own = tuple(action for action in actions if isinstance(action, Block) and model.name in action.blocked_by)
    missing: list[RangeReason] = []
    pending: list[RangeReason] = []
    for work in works:
        for span in work.intervals:
            is_built = any(there.start <= span.start and span.end <= there.end for there in built)
            (pending if is_built else missing).append(_said(span, work.reason))
    return IntervalsResult(
        model=model.name,
        axis="event_time",
        coverage=(),
        partial=tuple(_said(last, "unfinished") for span in built for last in _unfinished(model, span)),
        missing=tuple(missing),
        pending=tuple(pending),
        failed=_all_said(own),
        waiting=_all_said(action for action in actions if isinstance(action, Wait | Hold)),
        surplus=tuple(
            _said(span, "outside its start and end: kept, and never due")
            for span in surplus_ranges(model, facts.coverage)
        ),
        timezone=model.settings.timezone,
    )


def _word(model: CompiledModel, facts: ModelFacts, actions: tuple[Action, ...]) -> tuple[Standing, str]:
    works = tuple(action for action in actions if isinstance(action, Build | Rebuild))
    blocks = tuple(action for action in actions if isinstance(action, Block))
    if blocks:
        is_own = any(model.name in block.blocked_by for block in blocks)
        return "failed" if is_own else "blocked", "; ".join(block.reason for block in blocks)
    if works:
        status: Standing = "stale" if facts.coverage.segments else "not_built"
        return status, "; ".join(work.reason for work in works)
    for action in actions:
        if isinstance(action, Wait | Hold):
            return "waiting" if isinstance(action, Wait) else "held", action.reason
    return "current", "; ".join(action.reason for action in actions)


def _unfinished(model: CompiledModel, span: Interval) -> tuple[Interval, ...]:
    """Return the last slice of a built range where it ends before its unit does."""
    grid = grid_of(model)
    start = span.end if grid is None else floor_unit(grid, span.end)
    return (Interval(max(start, span.start), span.end),) if start < span.end else ()


def _all_said(actions: Iterable[Action]) -> tuple[RangeReason, ...]:
    return tuple(
        _said(span, action.reason)
        for action in actions
        if isinstance(action, Wait | Hold | Block)
        for span in action.intervals
    )


def _said(span: Interval, reason: str) -> RangeReason:
    return RangeReason(start=bound_or_none(span.start), end=bound_or_none(span.end), reason=reason)
