"""The document of a run: counts, status and exit code from what its steps reported."""

from datetime import datetime

from lamina.errors import LaminaError
from lamina.executor.internal import InternalFailure
from lamina.executor.step import StepReport
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import EnvironmentName, RunId
from lamina.values.pending import NextDue
from lamina.values.plan import UNCHANGED, Plan, Rename
from lamina.values.result import (
    Concurrency,
    Detection,
    Materialization,
    Propagation,
    RenamedTable,
    RunResult,
    RunStatus,
)
from lamina.version import VERSION

_EXIT_CODES: dict[RunStatus, int] = {
    "success": 0,
    "nothing_to_do": 0,
    "failure": 1,
    "partial": 2,
    "interrupted": 130,
    "lease_held": 5,
}


def run_result(
    command: str,
    plan: Plan,
    reports: tuple[StepReport, ...],
    *,
    run_id: RunId,
    renamed: tuple[Rename, ...],
    detections: tuple[Detection, ...],
    diagnostics: tuple[Diagnostic, ...],
    propagation: tuple[Propagation, ...],
    next_due: tuple[NextDue, ...],
    is_interrupted: bool,
    threads: int,
    seconds: float,
) -> RunResult:
    """Return what a run did, as its JSON document says it."""
    propagation = (*propagation, *(item for report in reports for item in report.propagation))
    done = tuple(_with_reason(report.materialization, propagation) for report in reports)
    status = _status(reports, has_renamed=bool(renamed), is_interrupted=is_interrupted)
    return RunResult(
        version=VERSION,
        command=command,
        status=status,
        exit_code=_EXIT_CODES[status],
        run_id=run_id,
        environment=plan.environment,
        plan_id=plan.plan_id,
        execution_time=_instant(plan.execution_time),
        duration_ms=round(seconds * 1000),
        tables_built=_count(done, "completed"),
        tables_failed=_count(done, "failed"),
        tables_skipped=_count(done, "skipped"),
        tables_blocked=_count(done, "blocked"),
        rows_written=sum(item.rows_written for item in done),
        concurrency=Concurrency(max=threads, final=threads),
        materializations=done,
        renamed=tuple(
            RenamedTable(model=item.model, before=item.before, after=item.after)
            for item in renamed
            if item.before != item.after
        ),
        detections=detections,
        diagnostics=diagnostics,
        propagation=propagation,
        check_results=tuple(check for report in reports for check in report.checks),
        drift=tuple(item for report in reports for item in report.drift),
        anomalies=tuple(item for report in reports for item in report.anomalies),
        budget_breaches=tuple(item for report in reports for item in report.breaches),
        pending=tuple(item for report in reports for item in report.pending),
        next_due=next_due,
    )


def ended_result(
    command: str,
    error: BaseException,
    *,
    run_id: RunId,
    environment: EnvironmentName,
    execution_time: datetime,
    seconds: float,
) -> RunResult:
    """Return the document of a run that an error ended outside its steps."""
    status: RunStatus = "failure" if isinstance(error, Exception) else "interrupted"
    reported = error if isinstance(error, LaminaError) else InternalFailure(error)
    return RunResult(
        version=VERSION,
        command=command,
        status=status,
        exit_code=_EXIT_CODES[status],
        run_id=run_id,
        environment=environment,
        plan_id=None,
        execution_time=_instant(execution_time),
        duration_ms=round(seconds * 1000),
        diagnostics=(reported.diagnostic(),),
    )


def _with_reason(done: Materialization, propagation: tuple[Propagation, ...]) -> Materialization:
    """Return a line that says why a change of an input did not reach its model."""
    if done.status != "skipped" or done.reason != UNCHANGED:
        return done
    reasons = dict.fromkeys(item.reason for item in propagation if item.model == done.model and item.decision == "skip")
    return done.replace(reason="; ".join(reasons) or done.reason)


def _instant(time: datetime) -> str:
    return f"{time:%Y-%m-%dT%H:%M:%S.%fZ}"


def _status(reports: tuple[StepReport, ...], *, has_renamed: bool, is_interrupted: bool) -> RunStatus:
    if is_interrupted:
        return "interrupted"
    built = has_renamed or any(report.has_built for report in reports)
    if any(report.has_failed for report in reports):
        return "partial" if built else "failure"
    return "success" if built else "nothing_to_do"


def _count(done: tuple[Materialization, ...], status: str) -> int:
    return sum(1 for item in done if item.status == status)
