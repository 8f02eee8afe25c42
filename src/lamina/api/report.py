"""The verbs that say how things are: status, intervals, history and earlier runs; wiring only, nothing is changed."""

from datetime import UTC, datetime

from lamina.api.engine import open_known
from lamina.api.foreseen import foresee, look_at
from lamina.api.opened import Opened
from lamina.api.state import environment_of, open_store
from lamina.compiler.graph import CompiledModel
from lamina.errors import LaminaError, UsageError
from lamina.executor.lease import is_alive
from lamina.planner.broken import with_promoted
from lamina.planner.pending import built_again, pending_ranges
from lamina.planner.select import table_named
from lamina.planner.standing import interval_ranges
from lamina.planner.surplus import surplus_ranges
from lamina.state.port import BatchRecord, CheckRecord, RunRecord, StateStore
from lamina.values.codec import from_json
from lamina.values.coverage import Coverage
from lamina.values.facts import ModelFacts, TargetFacts
from lamina.values.interval import Interval, bound_or_none, intersect, subtract
from lamina.values.names import RunId
from lamina.values.pending import Pending
from lamina.values.plan import Action
from lamina.values.result import (
    BuiltInterval,
    CheckLine,
    IntervalsResult,
    RangeReason,
    RunLine,
    RunResult,
    StatusResult,
)

KILLED = "killed"
HISTORY = 1000  # batches looked through to say what built a range


def project_status(
    project: Opened, *, include: tuple[str, ...], exclude: tuple[str, ...], execution_time: datetime | None
) -> StatusResult:
    """Return the state of every selected model: current, stale and why, waiting, blocked."""
    with open_known(project) as engine:
        looked = look_at(engine, include=include, exclude=exclude, execution_time=execution_time)
        return StatusResult(
            environment=engine.runtime.environment,
            models=looked.statuses,
            next_due=looked.next_due,
            pending=tuple(
                item
                for model, known in looked.buildable
                for item in _pending(model, known.coverage, looked.foreseen.actions(model))
            ),
            diagnostics=engine.findings,
        )


def model_intervals(project: Opened, model: str, *, execution_time: datetime | None) -> IntervalsResult:
    """Return the ranges of a model by their state."""
    with open_known(project) as engine:
        found = table_named(with_promoted(engine.graph, engine.whole), model)
        reason = engine.broken.reason(found.name) if engine.broken is not None else None
        foreseen = foresee(engine, execution_time)
        # A model that does not compile is known as it was last run; one that never ran has no ranges.
        is_known = found.name in foreseen.facts.models
        facts = foreseen.known(found) if is_known else ModelFacts(coverage=Coverage(), target=TargetFacts("absent"))
        ranges = interval_ranges(found, facts, foreseen.actions(found) if reason is None else ())
        batches = engine.runtime.store.batches(engine.runtime.environment, found.name, limit=HISTORY)
        surplus = surplus_ranges(found, facts.coverage)
        spans = (span for item in facts.coverage.segments for span in subtract((item.interval,), surplus))
        built = tuple(part for span in spans for part in _built(span, batches))
        if reason is not None:
            ranges = ranges.replace(failed=(RangeReason(reason=reason),))
        concerned = engine.findings if reason is not None or engine.broken is None else ()
        return ranges.replace(coverage=built, diagnostics=concerned)


def project_history(project: Opened, *, limit: int) -> tuple[RunLine, ...]:
    """Return the latest runs, newest first."""
    with open_store(project) as store:
        return tuple(_line(_as_it_is(record, store)) for record in store.runs(environment_of(project), limit=limit))


def check_history(project: Opened, model: str, *, limit: int) -> tuple[CheckLine, ...]:
    """Return the latest results of each check of a model, newest first."""
    with open_known(project) as engine:
        found = table_named(with_promoted(engine.graph, engine.whole), model)
        records = engine.runtime.store.checks(engine.runtime.environment, found.name, limit=limit)
        return tuple(_check_line(record) for record in records)


def _check_line(record: CheckRecord) -> CheckLine:
    result = record.result
    return CheckLine(
        check=result.name,
        type=result.type,
        severity=result.severity,
        run_id=record.run_id,
        at=f"{record.at:%Y-%m-%dT%H:%M:%SZ}",
        passed=result.passed,
        observed=result.observed,
        expected=result.expected,
        rows_failed=result.rows_failed,
        rows_quarantined=result.rows_quarantined,
        intervals=result.intervals,
    )


def run_info(project: Opened, run_id: str) -> RunResult:
    """Return the document an earlier run printed."""
    environment = environment_of(project)
    with open_store(project) as store:
        latest = next((item.run_id for item in store.runs(environment, limit=1)), None)
        if latest is None:
            raise LaminaError("nothing has run yet", hint="`lamina run` starts the first run")
        record = store.run(environment, latest if run_id == "latest" else RunId(run_id))
        record = record and _as_it_is(record, store)
        if record is None:
            raise UsageError(f"there is no run `{run_id}`", hint="`lamina history` lists the runs")
        if record.result is None:
            was_killed = record.status == KILLED
            raise LaminaError(
                f"run `{record.run_id}` {'was killed before it could report' if was_killed else 'is still running'}",
                hint="what it published is kept" + ("; `lamina run` goes on from there" if was_killed else ""),
            )
        return from_json(record.result, RunResult)


def _pending(model: CompiledModel, coverage: Coverage, actions: tuple[Action, ...]) -> tuple[Pending, ...]:
    return pending_ranges(model, coverage, built_again(coverage, actions))


def _built(span: Interval, batches: tuple[BatchRecord, ...]) -> tuple[BuiltInterval, ...]:
    """Cut a built range by the runs that last built its parts; a part whose batch is not known has none."""
    left: tuple[Interval, ...] = (span,)
    parts: list[tuple[Interval, BatchRecord | None]] = []
    for run_id in dict.fromkeys(batch.run_id for batch in batches):
        if not left:
            break
        of_run = tuple(batch for batch in batches if batch.run_id == run_id)
        slices = tuple(item for batch in of_run for item in batch.slices)
        parts += ((part, of_run[0]) for part in intersect(left, slices))
        left = subtract(left, slices)
    parts += ((part, None) for part in left)
    return tuple(_built_by(part, batch) for part, batch in sorted(parts, key=lambda item: item[0].start))


def _built_by(span: Interval, batch: BatchRecord | None) -> BuiltInterval:
    return BuiltInterval(
        start=bound_or_none(span.start),
        end=bound_or_none(span.end),
        run_id=batch.run_id if batch is not None else None,
        execution_time=f"{batch.execution_time:%Y-%m-%dT%H:%M:%SZ}" if batch is not None else None,
        built_at=f"{batch.published_at:%Y-%m-%dT%H:%M:%SZ}" if batch is not None else None,
    )


def _as_it_is(record: RunRecord, store: StateStore) -> RunRecord:
    """Return the record of a run; one that did not end is running while it holds the lease; otherwise it was killed."""
    if record.finished_at is not None:
        return record
    lease = store.current_lease(record.environment)
    if lease is not None and lease.holder == record.run_id and is_alive(lease, now=datetime.now(UTC)):
        return record
    # Looked at again: it may have ended between the two looks.
    last = store.run(record.environment, record.run_id) or record
    return last if last.finished_at is not None else last.replace(status=KILLED)


def _line(record: RunRecord) -> RunLine:
    result = from_json(record.result, RunResult) if record.result is not None else None
    finished = record.finished_at
    return RunLine(
        run_id=record.run_id,
        command=record.command,
        status=record.status,
        started_at=f"{record.started_at:%Y-%m-%dT%H:%M:%SZ}",
        finished_at=f"{finished:%Y-%m-%dT%H:%M:%SZ}" if finished is not None else None,
        tables_built=result.tables_built if result is not None else 0,
        tables_failed=result.tables_failed if result is not None else 0,
        rows_written=result.rows_written if result is not None else 0,
        duration_ms=result.duration_ms if result is not None else 0,
    )
