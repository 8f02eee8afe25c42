"""The result of one step, as the run's document shows it."""

from lamina.compiler.graph import CompiledModel
from lamina.errors import LaminaError
from lamina.executor.publish import Outcome
from lamina.values.diagnostic import Diagnostic
from lamina.values.interval import merge
from lamina.values.names import quarantine_of
from lamina.values.plan import UNCHANGED, Action, Block, Build, Hold, Rebuild, Skip, Wait
from lamina.values.result import Attempt, Materialization, StepStatus
from lamina.values.touch import Nothing
from lamina.values.words import counted
from lamina.warehouse.failure import WarehouseFailure

_UNFINISHED: tuple[tuple[type[Action], StepStatus], ...] = ((Block, "blocked"), (Wait, "waiting"), (Hold, "held"))


def materialization_of(
    model: CompiledModel,
    *,
    decided: tuple[Action, ...],
    left: tuple[Action, ...],
    outcomes: tuple[Outcome, ...],
    error: LaminaError | None,
    attempts: tuple[Attempt, ...],
    seconds: float,
) -> Materialization:
    """Return the line of one model: its status, why, and the sums over its batches."""
    status, reason = _status(model, decided=decided, left=left, outcomes=outcomes, error=error)
    counts = tuple(outcome.published.counts for outcome in outcomes)
    last = outcomes[-1].published if outcomes else None
    blocked_by = {name for item in left if isinstance(item, Block) for name in item.blocked_by}
    read = [count.read for count in counts if count.read is not None]
    return Materialization(
        model=model.name,
        status=status,
        strategy=model.traits.name,
        reason=reason,
        intervals=merge(tuple(span for outcome in outcomes for span in outcome.published.batch.slices)),
        rows_read=sum(read) if read and len(read) == len(counts) else None,
        rows_written=sum(count.written for count in counts),
        rows_inserted=sum(count.inserted for count in counts),
        rows_replaced=sum(count.replaced for count in counts),
        rows_deleted=sum(count.deleted for count in counts),
        rows_carried=sum(count.carried for count in counts),
        rows_duplicate=sum(count.duplicate for count in counts),
        rows_rejected=sum(count.rejected for count in counts),
        rows_quarantined=sum(count.quarantined for count in counts),
        rows_closed=sum(count.closed for count in counts),
        rows_reopened=sum(count.reopened for count in counts),
        rows_unchanged=sum(count.unchanged for count in counts),
        bytes_written=sum(count.bytes_written for count in counts),
        watermark=last.mark.coverage.watermark if last is not None else None,
        snapshot_id=last.position if last is not None else None,
        duration_ms=round(seconds * 1000),
        attempts=attempts,
        failure_kind=_failure_kind(error),
        error=_diagnostic(model, error) if error is not None else None,
        failing=next((item.failing for item in left if isinstance(item, Block) and item.failing), None),
        blocked_by=tuple(sorted(blocked_by - {model.name})),
        timezone=model.settings.timezone,
    )


def _status(
    model: CompiledModel,
    *,
    decided: tuple[Action, ...],
    left: tuple[Action, ...],
    outcomes: tuple[Outcome, ...],
    error: LaminaError | None,
) -> tuple[StepStatus, str]:
    if isinstance(error, WarehouseFailure) and error.kind == "interrupted":
        return "not_started", "the run ended before this batch was published"
    if error is not None:
        return "failed", error.message
    own = [item for item in left if isinstance(item, Block) and model.name in item.blocked_by]
    if own:
        return "failed", own[0].reason
    if outcomes:
        reasons = [item.reason for item in decided if isinstance(item, Build | Rebuild)]
        counts = tuple(outcome.published.counts for outcome in outcomes)
        if carried := sum(count.carried for count in counts):
            reasons.append(f"{counted(carried, 'row')} that only the table holds carried over")
        if closed := sum(count.closed for count in counts):
            reasons.append(f"{counted(closed, 'row')} no longer current")
        if reopened := sum(count.reopened for count in counts):
            reasons.append(f"{counted(reopened, 'removed key')} came back")
        if quarantined := sum(count.quarantined for count in counts):
            reasons.append(f"{counted(quarantined, 'row')} in `{quarantine_of(model.target)}`")
        if all(isinstance(outcome.touch.extent, Nothing) for outcome in outcomes):
            is_written = any(count.bytes_written for count in counts)
            reasons.append("the same rows as before" if is_written else "the same rows as before, nothing written")
        return "completed", "; ".join(reasons)
    for kind, status in _UNFINISHED:
        reasons = [item.reason for item in left if isinstance(item, kind)]
        if reasons:
            return status, "; ".join(reasons)
    return "skipped", "; ".join(item.reason for item in decided if isinstance(item, Skip)) or UNCHANGED


def _diagnostic(model: CompiledModel, error: LaminaError) -> Diagnostic:
    """Return an error as a finding of its model; one without a place of its own names the model's file, and no line."""
    found = error.diagnostic().replace(model=model.name)
    return found if found.file is not None else found.replace(file=model.path)


def _failure_kind(error: LaminaError | None) -> str | None:
    if error is None:
        return None
    return error.kind if isinstance(error, WarehouseFailure) else "internal"
