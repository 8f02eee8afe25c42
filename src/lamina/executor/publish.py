"""One batch, exactly once: intent, stage, checks, diff, publish and record; nothing is seen before the last step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event as Signal
from time import monotonic

from lamina.compiler.graph import CompiledModel
from lamina.errors import LaminaError
from lamina.executor.anomalies import judge_batch
from lamina.executor.budget import within_rows
from lamina.executor.failpoint import failpoint
from lamina.executor.runtime import Runtime
from lamina.planner.anomalies import size_of
from lamina.planner.budget import Spent
from lamina.planner.ragged import rest_questions, unfinished_rest
from lamina.planner.record import record_batch
from lamina.planner.touches import (
    adds_nothing,
    batch_extent,
    has_new_rows,
    is_append,
    is_compared,
    naming_questions,
    new_slices,
)
from lamina.planner.unique_keys import proven_keys, replaced_later, unproven_keys
from lamina.state.errors import LeaseLost, PublishConflict
from lamina.state.port import Lease, ModelRecord, Promotion
from lamina.values.anomaly import Anomaly
from lamina.values.batch import CANNOT_RUN, Batch, CheckResult, Diff, DiffQuestion, Published, Staged
from lamina.values.coverage import Mark, ProvenKey
from lamina.values.diagnostic import Place
from lamina.values.drift import Drift
from lamina.values.event import StepProgress
from lamina.values.facts import Intent
from lamina.values.interval import Interval
from lamina.values.names import RunId, TableName
from lamina.values.row_counts import rows_on_time
from lamina.values.touch import Extent, Nothing, Touch
from lamina.values.words import counted
from lamina.warehouse.failure import WarehouseFailure


class ChecksFailed(WarehouseFailure):
    """Checks of severity error refused the staged rows; nothing was published.

    Why: the new rows break what `[[checks]]` of the model promises, so readers keep the old ones.
    Fix: correct the rows or the query and run again; `severity = "warn"` lets a check report without refusing.
    """

    code = "L610"

    def __init__(self, results: tuple[CheckResult, ...]) -> None:
        first, *others = [item for item in results if item.refuses]
        said = ", ".join((failure_words(first), *(failure_words(item) + _at(item) for item in others)))
        super().__init__(
            f"`{first.model}`: {counted(1 + len(others), 'check')} failed: {said}",
            kind="data_rejected",
            hint="nothing was published; correct the data or the query and run again",
            place=Place(file=first.file, line=first.line or 1) if first.file is not None else None,
        )
        self.results = results


def failure_words(check: CheckResult) -> str:
    """Say what a failed check saw, or why it could not run."""
    if not check.could_run:
        return f"`{check.name}` could not run: {str(check.observed).removeprefix(CANNOT_RUN)}"
    if check.rows_failed is None:
        seen = "no rows" if check.observed is None else check.observed
        return f"`{check.name}` ({seen}, expected {check.expected})"
    examples = f" ({'; '.join(f'`{item}`' for item in check.examples)})" if check.examples else ""
    return f"`{check.name}` in {counted(check.rows_failed, 'row')}{examples}"


def _at(check: CheckResult) -> str:
    return f" at {check.file}:{check.line}" if check.file is not None else ""


@dataclass(frozen=True)
class Writer:
    """Who publishes: for which run, under which lease."""

    runtime: Runtime
    run_id: RunId
    lease: Lease
    execution_time: datetime
    started_at: datetime  # by the clock: how long the run has been going on
    stop: Signal  # set when the run is to end without publishing more


@dataclass(frozen=True)
class BatchBase:
    """What a batch of a model builds on: its record so far, its effective start, and what its readers want to know."""

    model: CompiledModel
    record: ModelRecord
    start: datetime | None
    lifetime: Interval  # what of time the model is about; all of it where it has no slices
    questions: tuple[DiffQuestion, ...]
    logs: Mapping[TableName, tuple[Touch, ...]]  # of its inputs
    is_followed: bool = False  # this run builds later slices of the table after it
    spent: Spent = field(default_factory=Spent)  # by earlier batches of the model in this run


@dataclass(frozen=True)
class Outcome:
    """A published batch, the touch it made, what its checks said, and what was unusual about it."""

    published: Published
    touch: Touch
    checks: tuple[CheckResult, ...]
    drift: tuple[Drift, ...] = ()
    anomalies: tuple[Anomaly, ...] = ()


def publish_batch(writer: Writer, batch_base: BatchBase, batch: Batch) -> Outcome:
    """Write one batch aside, check it, and make it visible and recorded in one step."""
    runtime, started = writer.runtime, monotonic()
    _intend(writer, batch_base, batch)
    try:
        staged = _stage(writer, batch_base, batch)
        within_rows(runtime, batch_base.model, staged, spent=batch_base.spent)
        checks, proven = _check(writer, batch_base, staged)
        unusual = judge_batch(runtime, batch_base.model, staged, before=batch_base.record.coverage)
        size = size_of(batch, staged.counts)
        published = _prepare(writer, batch_base, staged, proven).replace(checks=checks, size=size)
        _say(writer, batch_base, "publishing")
    except LaminaError:
        _abandon(runtime, batch)
        raise
    published = published.replace(duration_ms=round((monotonic() - started) * 1000))
    touch = _record(writer, batch_base.model, published)
    return Outcome(published=published, touch=touch, checks=checks, drift=staged.drift, anomalies=unusual)


def _intend(writer: Writer, batch_base: BatchBase, batch: Batch) -> None:
    intent = Intent(
        commit=batch.commit,
        run_id=writer.run_id,
        model=batch.model,
        target=batch_base.model.target,
        base=batch.base,
        token=writer.lease.token,
        pins={pin.input: pin.position for pin in batch.pins},
    )
    writer.runtime.store.intend(intent, writer.lease)
    failpoint("intent.after")


def _abandon(runtime: Runtime, batch: Batch) -> None:
    runtime.warehouse.discard(batch.commit)
    runtime.store.abandon(batch.commit)


def _stage(writer: Writer, batch_base: BatchBase, batch: Batch) -> Staged:
    _say(writer, batch_base, "building")
    mark = _mark(writer, batch_base, batch)
    staged = writer.runtime.warehouse.stage(batch, batch_base.model, mark)
    failpoint("stage.after")
    return staged


def _check(
    writer: Writer, batch_base: BatchBase, staged: Staged
) -> tuple[tuple[CheckResult, ...], tuple[ProvenKey, ...]]:
    """Run the checks of a batch; return what they say, and which keys are unique in the whole table."""
    model, batch, coverage = batch_base.model, staged.batch, batch_base.record.coverage
    # The rows of a rewrite were checked when they were built.
    if not model.settings.checks or batch.mode == "rewrite":
        return (), ()
    _say(writer, batch_base, "checking")
    besides = replaced_later(model, coverage, batch, lifetime=batch_base.lifetime)
    unproven = unproven_keys(model, coverage, batch, besides=besides)
    found = writer.runtime.warehouse.check(
        staged, model, outdated=besides, unproven=unproven, execution_time=writer.execution_time
    )
    # The newest rows of the table are still to come.
    kept = tuple(item for item in placed_checks(writer.runtime, model, found) if not _is_early(item, batch_base))
    failpoint("check.after")
    if any(item.refuses for item in kept):
        # Nothing is published, so nothing is in quarantine either.
        raise ChecksFailed(tuple(item for item in kept if not item.rows_quarantined))
    return kept, proven_keys(model, found, besides=besides)


def _is_early(check: CheckResult, batch_base: BatchBase) -> bool:
    return check.type == "freshness" and batch_base.is_followed


def placed_checks(runtime: Runtime, model: CompiledModel, results: tuple[CheckResult, ...]) -> tuple[CheckResult, ...]:
    """Return the results of all checks of a model, failed ones with the place where they are written."""
    places = (
        None if item.passed else runtime.place_of(model, f"checks.{number}") for number, item in enumerate(results)
    )
    pairs = zip(results, places, strict=True)
    return tuple(item if at is None else item.replace(file=at.file, line=at.line) for item, at in pairs)


def _prepare(writer: Writer, batch_base: BatchBase, staged: Staged, proven: tuple[ProvenKey, ...]) -> Published:
    """Compare with what was there, write the late facts, and return all that one transaction will record."""
    warehouse = writer.runtime.warehouse
    mark = _late_mark(writer, batch_base, staged, proven)
    diff = _diff(writer, batch_base, staged)
    touch = touch_of(batch_base, staged, diff)
    # Finished first: where the catalog is lost, the mark of the table says which version of it belongs to the table.
    beside = warehouse.prepare_beside(staged, mark, touch)
    failpoint("beside.after")
    # Equal rows in another layout are written all the same, and touch no reader.
    if diff is not None and diff.is_equal and not staged.is_relaid:
        staged, move = warehouse.prepare_mark(staged, mark, touch)
    else:
        move = warehouse.prepare_publish(staged, mark, touch)
    failpoint("prepare.after")
    return Published(
        batch=staged.batch,
        position=staged.position,
        parent=touch.parent,
        extent=touch.extent,
        is_append=touch.is_append,
        has_new_rows=touch.has_new_rows,
        refinements=touch.refinements,
        rows=touch.rows,
        counts=staged.counts,
        mark=mark,
        move=move,
        beside=beside,
    )


def _diff(writer: Writer, batch_base: BatchBase, staged: Staged) -> Diff | None:
    if not is_compared(staged.batch, batch_base.record.coverage, batch_base.questions, staged.counts):
        return None
    _say(writer, batch_base, "comparing")
    warehouse = writer.runtime.warehouse
    diff = warehouse.diff(staged, batch_base.questions)
    # Single columns are compared only where a reader is spared: it will be shown which of them changed.
    if names := naming_questions(batch_base.model.columns or (), diff):
        diff = diff.replace(refinements=(*diff.refinements, *warehouse.diff(staged, names).refinements))
    failpoint("diff.after")
    return diff


def touch_of(batch_base: BatchBase, staged: Staged, diff: Diff | None) -> Touch:
    """Return what a batch touches for the readers of its table; an equal result touches nothing."""
    batch = staged.batch
    is_equal = diff is not None and diff.is_equal
    is_same = is_equal or adds_nothing(staged)
    is_appended = is_append(batch, staged.counts)
    return Touch(
        table=TableName(batch.model),
        position=staged.position,
        parent=batch_base.record.position,
        extent=Nothing() if is_same else _extent(batch_base, staged, is_appended=is_appended),
        is_append=is_appended,
        has_new_rows=has_new_rows(batch, batch_base.record.coverage),
        refinements=diff.refinements if diff is not None and not is_equal else (),
        rows_added=staged.counts.written,
        rows=rows_on_time(staged.counts.written, is_append=is_appended),
    )


def _extent(batch_base: BatchBase, staged: Staged, *, is_appended: bool) -> Extent:
    return batch_extent(staged.batch, batch_base.model, added=staged.added, is_appended=is_appended)


def _record(writer: Writer, model: CompiledModel, published: Published) -> Touch:
    """Publish and record; an unknown outcome is looked at, never blindly tried again."""
    runtime = writer.runtime
    try:
        touch = runtime.store.record(
            published,
            writer.lease,
            at=runtime.clock(),
            execution_time=writer.execution_time,
            promotion=Promotion(model, runtime.compiling.origin),
        )
    except (LeaseLost, PublishConflict):
        _abandon(runtime, published.batch)
        raise
    except LaminaError:
        found = _find_touch(runtime, published)
        if found is None:
            raise
        touch = found
    failpoint("publish.after")
    return touch


def _find_touch(runtime: Runtime, published: Published) -> Touch | None:
    """Return the touch of a publication whose answer was lost, if it happened."""
    log = runtime.store.view(runtime.environment).touches.get(TableName(published.batch.model), ())
    return next((touch for touch in log if touch.position == published.position), None)


def _late_mark(writer: Writer, batch_base: BatchBase, staged: Staged, proven: tuple[ProvenKey, ...]) -> Mark:
    """Return the mark of a batch with what is known only when it is written and checked."""
    coverage = record_batch(
        batch_base.record.coverage,
        batch_base.model,
        staged.batch,
        start=batch_base.start,
        watermark=staged.watermark,
        logs=batch_base.logs,
        retained=staged.retained,
        former=staged.former,
        proven=proven,
        quiet=_quiet(writer, batch_base.model, staged.batch),
        quarantine=staged.batch.commit if staged.beside else None,
        times=staged.times,
    )
    return _mark(writer, batch_base, staged.batch).replace(coverage=coverage)


def _quiet(writer: Writer, model: CompiledModel, batch: Batch) -> tuple[Interval, ...]:
    """Return the rest of a batch's unfinished slice where no input can have a row in it."""
    rest = unfinished_rest(model, batch)
    asked = None if rest is None else rest_questions(model, batch, rest)
    if rest is None or asked is None:
        return ()
    return () if any(writer.runtime.warehouse.may_hold(item) for item in asked) else (rest,)


def _mark(writer: Writer, batch_base: BatchBase, batch: Batch) -> Mark:
    runtime, model, before, logs = writer.runtime, batch_base.model, batch_base.record.coverage, batch_base.logs
    return Mark(
        commit=batch.commit,
        run_id=writer.run_id,
        token=writer.lease.token,
        project=runtime.project,
        environment=runtime.environment,
        store=runtime.store.identity,
        model=model.name,
        fingerprint=model.fingerprint,
        slices=batch.slices,
        pins={pin.input: pin.position for pin in batch.pins},
        coverage=record_batch(before, model, batch, start=batch_base.start, watermark=None, logs=logs),
        new_slices=new_slices(batch, before),
    )


def _say(writer: Writer, batch_base: BatchBase, phase: str) -> None:
    """Say what comes next, unless the run is to end here: nothing of the batch is published then."""
    if writer.stop.is_set():
        raise WarehouseFailure("interrupted", kind="interrupted", hint="run again: nothing is lost")
    writer.runtime.emit(StepProgress(model=batch_base.model.name, phase=phase))
