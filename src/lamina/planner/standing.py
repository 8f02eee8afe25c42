"""The state of models, in the words of `status` and `intervals`: the plan of this moment, described and not done."""

from collections.abc import Iterable

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import grid_of
from lamina.planner.broken import Broken
from lamina.planner.failures import failed_before
from lamina.planner.owed_rows import in_all, rows_by_input
from lamina.planner.segments import covered
from lamina.planner.surplus import surplus_ranges
from lamina.values.coverage import Coverage
from lamina.values.facts import ModelFacts, ViewFacts
from lamina.values.failing import Failing
from lamina.values.grid import floor_unit
from lamina.values.interval import Interval, bound_or_none, merge
from lamina.values.names import ModelName
from lamina.values.plan import Action, Block, Build, Hold, Rebuild, Wait
from lamina.values.result import IntervalsResult, ModelStatus, NotChecked, RangeReason, Standing


def model_status(model: CompiledModel, facts: ModelFacts, actions: tuple[Action, ...]) -> ModelStatus:
    """Return the state of a model, from what a run would do with it now."""
    works = tuple(action for action in actions if isinstance(action, Build | Rebuild))
    stale = merge(tuple(span for work in works for span in work.intervals))
    status, reason = _word(model, is_built=bool(facts.coverage.segments), actions=actions)
    left = next((item.failing for item in actions if isinstance(item, Block) and item.failing), None)
    return ModelStatus(
        model=model.name,
        strategy=model.traits.name,
        status=status,
        reason=reason,
        built=covered(facts.coverage),
        stale=stale,
        watermark=facts.coverage.watermark,
        failing=left or failed_before(facts, stale),
        timezone=model.settings.timezone,
    )


def view_status(model: CompiledModel, facts: ViewFacts, actions: tuple[Action, ...]) -> ModelStatus:
    """Return the state of a view, which is defined or not: it has no rows that could be stale."""
    status, reason = _word(model, is_built=facts.status == "ours", actions=actions)
    return ModelStatus(model=model.name, strategy=model.traits.name, status=status, reason=reason)


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


def not_checked(model: CompiledModel, facts: ModelFacts) -> NotChecked | None:
    """Return why the rows of a table cannot be looked at; None where they can."""
    if facts.called is not None:
        return NotChecked(model=model.name, reason=f"its table is still called `{facts.called}`; a run renames it")
    target = facts.target
    match target.status:
        case "absent":
            return NotChecked(model=model.name, reason="not built yet", is_fault=False)
        case "unmarked" | "other_project":
            return NotChecked(model=model.name, reason="the table does not belong to this project")
        case "lost" | "unreadable" | "unregistered":
            return NotChecked(model=model.name, reason=target.detail)
        case _:
            return None


def _with_rows(said: RangeReason, model: CompiledModel, coverage: Coverage, span: Interval) -> RangeReason:
    rows = in_all(rows_by_input(coverage, span, inputs=model.inputs))
    if rows is None:
        return said
    oldest = None if rows.oldest_load is None else bound_or_none(rows.oldest_load)
    return said.replace(rows_on_time=rows.on_time, rows_late=rows.late, oldest_load=oldest)


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
            said = _said(span, work.reason)
            if is_built:
                pending.append(_with_rows(said, model, facts.coverage, span))
            else:
                missing.append(said)
    return IntervalsResult(
        model=model.name,
        axis="event_time",
        coverage=(),
        partial=tuple(_said(last, "unfinished") for span in built for last in _unfinished(model, span)),
        missing=tuple(missing),
        pending=tuple(pending),
        failed=_all_said(own),
        waiting=tuple(
            _with_rows(_said(span, action.reason), model, facts.coverage, span)
            for action in actions
            if isinstance(action, Wait | Hold)
            for span in action.intervals
        ),
        surplus=tuple(
            _said(span, "outside its start and end: kept, and never due")
            for span in surplus_ranges(model, facts.coverage)
        ),
        timezone=model.settings.timezone,
    )


def _word(model: CompiledModel, *, is_built: bool, actions: tuple[Action, ...]) -> tuple[Standing, str]:
    works = tuple(action for action in actions if isinstance(action, Build | Rebuild))
    blocks = tuple(action for action in actions if isinstance(action, Block))
    if blocks:
        is_own = any(model.name in block.blocked_by for block in blocks)
        return "failed" if is_own else "blocked", "; ".join(block.reason for block in blocks)
    if works:
        status: Standing = "stale" if is_built else "not_built"
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


def _all_said(blocks: Iterable[Block]) -> tuple[RangeReason, ...]:
    return tuple(_said(span, block.reason, failing=block.failing) for block in blocks for span in block.intervals)


def _said(span: Interval, reason: str, *, failing: Failing | None = None) -> RangeReason:
    return RangeReason(start=bound_or_none(span.start), end=bound_or_none(span.end), reason=reason, failing=failing)
