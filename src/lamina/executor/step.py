"""One model of a run: decide again on the facts as they are now, build what is stale, report the result."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from threading import Event as Signal
from time import monotonic

from lamina.compiler.graph import CompiledModel
from lamina.errors import LaminaError
from lamina.executor.anomalies import AnomalyStopped
from lamina.executor.budget import BatchTooLarge, BudgetUsedUp
from lamina.executor.failpoint import failpoint
from lamina.executor.internal import InternalFailure
from lamina.executor.lost_files import lost_among
from lamina.executor.publish import ChecksFailed, Outcome, Writer, publish_batch
from lamina.executor.report import materialization_of
from lamina.executor.restage import follow_harmless_move
from lamina.executor.retry import RetryBudget, Trail, with_retries
from lamina.executor.run_state import RunState
from lamina.planner.batches import cut_batches, cut_spans
from lamina.planner.bound import within_plan
from lamina.planner.budget import Spent, beyond, breaches_of, used_up, within_slices
from lamina.planner.decide import decide
from lamina.planner.decide_intervals import schedule_of
from lamina.planner.failures import conditions_of, counted_on, failing_of, is_kept
from lamina.planner.kept import accepts_loss, refuse_loss
from lamina.planner.pending import pending_ranges, unread_rows
from lamina.planner.protected import kept_history
from lamina.planner.recover import is_foreign
from lamina.planner.relayout import as_current, is_rewrite
from lamina.planner.segments import covered, indebted
from lamina.planner.staleness import clean_ranges, parameters_at, pins_of
from lamina.state.errors import LeaseLost, PublishConflict
from lamina.state.port import CheckRecord, ModelRecord
from lamina.values.anomaly import Anomaly
from lamina.values.batch import Batch, CheckResult, Pin
from lamina.values.budget import BudgetBreach, Limit
from lamina.values.drift import Drift
from lamina.values.event import StepFinished, StepStarted
from lamina.values.facts import Failure
from lamina.values.interval import MIN, Interval, intersect, merge, subtract
from lamina.values.names import CommitId, TableName
from lamina.values.pending import Pending
from lamina.values.plan import Action, Block, Build, Hold, Rebuild, Selection, Wait
from lamina.values.result import Materialization, Propagation
from lamina.warehouse.failure import NotAppended, RebuildNeeded, WarehouseFailure


@dataclass(frozen=True)
class Bounds:
    """How often a step is tried, and what of the plan may be done."""

    retries: int
    budget: RetryBudget
    planned: tuple[Action, ...]
    may_rebuild: bool  # build a whole table where its columns cannot follow; a plan that is applied does not list that
    is_fail_fast: bool
    failing: Signal  # set by the first failure of any step


@dataclass(frozen=True)
class StepReport:
    """What one step did."""

    materialization: Materialization
    left: tuple[Action, ...] = ()  # what was not built, and why
    checks: tuple[CheckResult, ...] = ()
    drift: tuple[Drift, ...] = ()
    anomalies: tuple[Anomaly, ...] = ()
    breaches: tuple[BudgetBreach, ...] = ()
    propagation: tuple[Propagation, ...] = ()
    has_built: bool = False
    pending: tuple[Pending, ...] = ()  # what of it waits or is held

    @property
    def has_failed(self) -> bool:
        """Return whether something of the model failed or is blocked, even if other slices were built."""
        is_blocked = any(isinstance(action, Block) for action in self.left)
        return is_blocked or self.materialization.status in ("failed", "not_started")


class Step:
    """The work of one model in one pass."""

    def __init__(
        self, writer: Writer, model: CompiledModel, *, state: RunState, selection: Selection, bounds: Bounds
    ) -> None:
        self._writer = writer
        self._model = model
        self._state = state
        self._selection = selection
        self._bounds = bounds
        self._trail = Trail()
        self._outcomes: list[Outcome] = []
        self._checks: list[CheckResult] = []
        self._drift: list[Drift] = []
        self._anomalies: list[Anomaly] = []
        self._failed: list[tuple[tuple[Interval, ...], LaminaError]] = []
        self._failures: list[Failure] = []  # those of them that later passes know of
        self._blocks: list[Block] = []  # slices whose inputs turned out to be lost
        self._held: list[Hold] = []  # slices beyond the budget of the model
        self._refused_rows: int | None = None  # of a batch that is beyond it
        self._clean: tuple[Interval, ...] = ()  # slices that nothing but a lookback builds again
        self._started = monotonic()
        self._last = MIN  # the end of the latest slice that is to be built

    def run(self) -> StepReport:
        """Bring the model up to date, as far as its inputs and the plan allow."""
        propagation = self._fold()
        decided = self._decide()
        self._go_on()
        self._clean = self._looked_back_on(decided)
        works = tuple(action for action in decided if isinstance(action, Build | Rebuild))
        withheld = tuple(action for action in decided if isinstance(action, Wait | Block | Hold))
        if works:
            self._say_started(works)
            self._last = max(span.end for work in works for span in work.intervals)
        in_order = tuple(action for action in works if self._model.reads_itself and not is_rewrite(action))
        for action in works:
            if action not in in_order:
                self._build(action)
        self._build_in_order(in_order)
        withheld = (*withheld, *self._held)
        left = (*self._left(works), *withheld)
        self._state.ended(self._model, left)
        materialization = materialization_of(
            self._model,
            decided=decided,
            left=left,
            outcomes=tuple(self._outcomes),
            error=self._failed[0][1] if self._failed else None,
            attempts=tuple(self._trail.attempts),
            seconds=monotonic() - self._started,
        )
        self._say_finished(materialization)
        return StepReport(
            materialization,
            left=left,
            checks=tuple(self._checks),
            drift=tuple(self._drift),
            anomalies=tuple(self._anomalies),
            breaches=breaches_of(
                self._model,
                self._spent(),
                held=tuple(action for action in withheld if isinstance(action, Hold)),
                refused_rows=self._refused_rows,
            ),
            propagation=propagation,
            has_built=bool(self._outcomes),
            pending=self._pending(action for action in withheld if not isinstance(action, Block)),
        )

    def _pending(self, withheld: Iterable[Action]) -> tuple[Pending, ...]:
        coverage = self._state.record(self._model.name).coverage
        return (*pending_ranges(self._model, coverage, withheld), *unread_rows(self._model, coverage))

    def _fold(self) -> tuple[Propagation, ...]:
        """Turn what the inputs did in this run into debts, durably, before deciding."""
        record, is_changed, propagation = self._state.fold(self._model)
        if is_changed:
            self._store(record)
        return propagation

    def _go_on(self) -> None:
        """Record, durably, which slices go on without a build: on a new grid, or unfinished ones."""
        if (record := self._state.go_on(self._model)) is not None:
            self._store(record)

    def _store(self, record: ModelRecord) -> None:
        writer = self._writer
        writer.runtime.store.fold(writer.runtime.environment, writer.lease, touches=(), models=(record,))
        failpoint("fold.after")

    def _decide(self, done: tuple[Interval, ...] = ()) -> tuple[Action, ...]:
        """Decide on the facts as they are now; slices that are done are not built once more."""
        decided = decide(self._model, self._state.facts(self._model), self._state.now(self._model))
        rest = tuple(part for action in decided for part in _without(action, done))
        decided = within_slices(self._model, rest, self._built())
        return within_plan(decided, self._bounds.planned)

    def _build_in_order(self, works: tuple[Build | Rebuild, ...]) -> None:
        """Build a model that reads its own past, one slice after another: each may make later ones stale."""
        while works and not self._failed and not self._blocks and not self._held:
            first = min(works, key=lambda work: work.intervals[0])
            self._build(self._undoing_writes(first.replace(intervals=(next(cut_spans(first, self._model)),))))
            self._fold()
            owed = indebted(self._state.record(self._model.name).coverage)
            decided = (action for action in self._decide(subtract(self._built(), owed)) if not is_rewrite(action))
            works = tuple(action for action in decided if isinstance(action, Build | Rebuild))
        if self._held:
            # The slices after the one that is held build on it.
            later = (span for work in works for span in work.intervals)
            self._held[-1] = self._held[-1].replace(intervals=merge((*self._held[-1].intervals, *later)))

    def _undoing_writes(self, slice_: Build | Rebuild) -> Build | Rebuild:
        """Return the first slice after another writer's change as one that takes all other slices from before that."""
        if not is_foreign(self._state.record(self._model.name).coverage):
            return slice_
        return Rebuild(model=slice_.model, intervals=slice_.intervals, reason=slice_.reason)

    def _build(self, action: Build | Rebuild) -> None:
        model, writer = self._model, self._writer
        batches = cut_batches(
            action,
            model,
            coverage=self._state.record(model.name).coverage,
            base=None,
            parameters=parameters_at(writer.execution_time, writer.run_id),
            new_commit=lambda: CommitId(writer.runtime.new_id()),
            is_from_nothing=self._is_from_nothing(),
            carries_rows=self._carries_rows(),
            input_bytes=self._state.input_bytes(model),
        )
        for batch in batches:
            limit = used_up(model, self._spent()) if self._outcomes else None
            if limit is not None:
                self._hold(action, (batch, *batches), *limit)
                return
            try:
                self._publish(batch)
            except LeaseLost:
                raise
            except BudgetUsedUp as error:
                self._refused_rows = error.rows
                self._hold(action, (batch, *batches), "max_rows_written", error.allowed)
                return
            except RebuildNeeded as error:
                whole = self._whole_rebuild(action, error)
                kept = self._kept_history(whole, error)
                if kept is not None or not self._can_rebuild(action):
                    self._fail(batch, kept or error)
                    continue
                self._rebuild(whole)
                return
            except LaminaError as error:
                self._fail(batch, error)
            except Exception as error:
                # Not foreseen, so the step ends here; a job that crashes is not repeated in every pass either.
                self._remember(batch, kind="internal", message=InternalFailure(error).message)
                raise

    def _rebuild(self, action: Build | Rebuild) -> None:
        """Build a whole table that was not planned so, unless that would drop rows which only the table holds."""
        facts, selection = self._state.facts(self._model), self._selection if self._is_from_nothing() else Selection()
        for allowed in within_slices(self._model, refuse_loss(self._model, facts, (action,), selection)):
            if isinstance(allowed, Build | Rebuild):
                self._build(allowed)
            elif isinstance(allowed, Hold):
                self._held.append(allowed)
            elif isinstance(allowed, Block):
                self._blocks.append(allowed)

    def _is_from_nothing(self) -> bool:
        """Return whether the table was requested as if it did not exist."""
        return self._selection.is_full_refresh and self._model.name not in self._selection.upstreams

    def _carries_rows(self) -> bool:
        """Return whether a rebuild carries over what only the table holds."""
        is_given_up = self._is_from_nothing() and accepts_loss(self._selection)
        is_readable = self._state.base(self._model) is not None and not self._state.is_base_lost(self._model)
        return not is_given_up and is_readable

    def _can_rebuild(self, action: Build | Rebuild) -> bool:
        """Return whether the whole table may be built in place of a batch that does not fit into it."""
        is_whole = action.mode in ("replace_all", "rewrite")
        return self._bounds.may_rebuild and not is_whole and not self._model.reads_itself

    def _kept_history(self, whole: Build | Rebuild, error: RebuildNeeded) -> WarehouseFailure | None:
        """Return why a whole table is not built in place of a batch, where settings keep its history as it is."""
        coverage = self._state.record(self._model.name).coverage
        why = kept_history(self._model, coverage, whole.intervals)
        # Rows of an input that changed build again what was made of them, as ever.
        if why is None or isinstance(error, NotAppended):
            return None
        return WarehouseFailure(
            f"{error.message}; the table is not built again: {why}",
            kind="data_rejected",
            hint="bring the old types back, or build it with `lamina run --full-refresh --accept-loss "
            f"-s {self._model.name}`",
        )

    def _whole_rebuild(self, action: Build | Rebuild, error: RebuildNeeded) -> Build | Rebuild:
        if isinstance(action, Build) and action.since is not None and action.mode == self._model.traits.mode:
            # All rows do what the new ones would have done, and keys that left the source stay.
            return action.replace(since=None, reason=f"{action.reason}; {error.message}")
        schedule = schedule_of(self._model, self._state.facts(self._model), self._state.now(self._model))
        there = covered(self._state.record(self._model.name).coverage)
        # What is built and not due may have left its source: it is carried over.
        if schedule is not None:
            there = intersect(there, (schedule.due,)) if schedule.due is not None else ()
        spans = merge((*there, *action.intervals))
        return Rebuild(model=action.model, intervals=spans, reason=f"{action.reason}; {error.message}")

    def _publish(self, batch: Batch) -> None:
        """Publish one batch on the head as it is now, again where it failed for a passing reason."""
        model, writer, bounds = self._model, self._writer, self._bounds
        if bounds.is_fail_fast and bounds.failing.is_set():
            raise WarehouseFailure("the run ended at its first failure", kind="interrupted", hint="run again")

        def attempt() -> Outcome:
            for _ in range(3):
                is_followed = max(span.end for span in batch.slices) < self._last
                batch_base = replace(self._state.batch_base(model), is_followed=is_followed, spent=self._spent())
                commit = CommitId(writer.runtime.new_id())
                base, is_lost = self._state.base(model), self._state.is_base_lost(model)
                pins = _other_tables(batch) if is_lost else batch.pins
                fresh = batch.replace(commit=commit, base=base, is_base_lost=is_lost, pins=pins)
                try:
                    return publish_batch(writer, batch_base, fresh)
                except PublishConflict as conflict:
                    # Of the quarantine nothing is recorded, so it is simply staged on again.
                    if conflict.table == model.target:
                        follow_harmless_move(writer, self._state, model)
            raise WarehouseFailure(f"table `{model.target}` keeps being changed by another writer", kind="conflict")

        outcome = with_retries(
            writer.runtime, model.name, attempt, retries=bounds.retries, budget=bounds.budget, trail=self._trail
        )
        self._state.published(model, outcome)
        self._outcomes.append(outcome)
        self._checks += outcome.checks
        self._drift += outcome.drift
        self._anomalies += outcome.anomalies

    def _hold(self, action: Build | Rebuild, batches: tuple[Batch, ...], limit: Limit, allowed: int) -> None:
        """Leave batches to the next run, because this one has done as much of the model as it may."""
        spans = merge(tuple(span for batch in batches for span in batch.slices))
        reason = f"{action.reason}; {beyond(limit, allowed)}"
        self._held.append(Hold(model=self._model.name, intervals=spans, reason=reason, limit=limit))

    def _looked_back_on(self, decided: tuple[Action, ...]) -> tuple[Interval, ...]:
        """Return the slices that only a lookback builds again: their build brings the model no further."""
        slices = self._model.traits.slices
        is_asked = any(isinstance(action, Build) and action.is_asked for action in decided)
        if slices is None or not slices.lookback or is_asked:
            return ()
        facts = self._state.facts(self._model)
        return subtract(clean_ranges(self._model, as_current(self._model, facts.coverage)), facts.requests)

    def _has_gone_on(self) -> bool:
        """Return whether this run has done something of the model that the next one will not have to do again."""
        is_rewritten = any(outcome.published.batch.mode == "rewrite" for outcome in self._outcomes)
        return is_rewritten or bool(subtract(self._built(), self._clean))

    def _spent(self) -> Spent:
        rows = sum(outcome.published.counts.written for outcome in self._outcomes)
        seconds = monotonic() - self._started
        return Spent(slices=self._built(), rows=rows, seconds=seconds, has_gone_on=self._has_gone_on())

    def _fail(self, batch: Batch, error: LaminaError) -> None:
        """Note a failure, also for later passes where it would come again or is dear."""
        if isinstance(error, ChecksFailed):
            self._checks += error.results
        if isinstance(error, BatchTooLarge):
            self._refused_rows = error.rows
        if isinstance(error, AnomalyStopped):
            self._anomalies += error.found
        lost = lost_among(self._writer, self._state.tables_read(self._model), error)
        if lost is not None and lost[0] != self._model:
            block = Block(
                model=self._model.name,
                intervals=batch.slices,
                reason=lost[1].message,
                blocked_by=(lost[0].name,),
            )
            self._blocks.append(block)
            return
        error = error if lost is None else lost[1]
        self._failed.append((batch.slices, error))
        kind = error.kind if isinstance(error, WarehouseFailure) else "internal"
        if kind != "interrupted":
            self._bounds.failing.set()
        # Any other error is about the state or the lease, not about the work.
        if isinstance(error, WarehouseFailure) and is_kept(kind):
            checks = error.results if isinstance(error, ChecksFailed) else ()
            self._remember(batch, kind=kind, message=error.message, checks=checks)

    def _remember(self, batch: Batch, *, kind: str, message: str, checks: tuple[CheckResult, ...] = ()) -> None:
        """Record a failure for later passes: what failed before of its slices is counted in."""
        writer, model = self._writer, self._model
        coverage, now = self._state.record(model.name).coverage, writer.runtime.clock()
        facts = self._state.facts(model)
        failures = tuple(
            counted_on(
                Failure(
                    model=model.name,
                    interval=span,
                    fingerprint=model.fingerprint,
                    pins=pins_of(model, coverage),
                    kind=kind,
                    message=message,
                    attempts=1,
                    first_seen=now,
                    run_id=writer.run_id,
                    conditions=conditions_of(model, facts, writer.execution_time),
                    tried_at=writer.execution_time,
                ),
                facts.failures,
                at=writer.execution_time + (now - writer.started_at),
            )
            for span in batch.slices
        )
        records = tuple(CheckRecord(run_id=writer.run_id, at=now, result=result) for result in checks)
        writer.runtime.store.fail(failures, writer.lease, records)
        self._failures += failures
        failpoint("failure.after")

    def _left(self, works: tuple[Build | Rebuild, ...]) -> tuple[Action, ...]:
        """Return what of the work failed, as blocks that name the model itself."""
        blocked = tuple(span for block in self._blocks for span in block.intervals)
        spans = merge(tuple(span for slices, _ in self._failed for span in slices))
        wanted = merge(tuple(span for work in works if not is_rewrite(work) for span in work.intervals))
        # Slices in order end with the first that fails; what is not wanted any more did not.
        has_ended = bool(self._failed or self._blocks)
        held = tuple(span for hold in self._held for span in hold.intervals)
        missed = subtract(wanted, (*self._built(), *spans, *blocked, *held)) if has_ended else ()
        failed = merge((*spans, *missed))
        if not failed:
            return tuple(self._blocks)
        name = self._model.name
        failing = failing_of(tuple(self._failures))
        own = Block(model=name, intervals=failed, reason="failed in this run", blocked_by=(name,), failing=failing)
        return (own, *self._blocks)

    def _built(self) -> tuple[Interval, ...]:
        batches = (outcome.published.batch for outcome in self._outcomes)
        return merge(tuple(span for batch in batches if batch.mode != "rewrite" for span in batch.slices))

    def _say_started(self, works: tuple[Build | Rebuild, ...]) -> None:
        spans = merge(tuple(span for work in works for span in work.intervals))
        reason = "; ".join(work.reason for work in works)
        self._writer.runtime.emit(StepStarted(model=self._model.name, intervals=spans, reason=reason))

    def _say_finished(self, done: Materialization) -> None:
        self._writer.runtime.emit(
            StepFinished(
                model=self._model.name,
                status=done.status,
                reason=done.reason,
                rows_written=done.rows_written,
                seconds=done.duration_ms / 1000,
                intervals=done.intervals,
                timezone=done.timezone,
            )
        )


def _without(action: Action, done: tuple[Interval, ...]) -> tuple[Action, ...]:
    """Return an action without slices that are done; nothing where none is left."""
    if not done or not isinstance(action, Build | Rebuild):
        return (action,)
    rest = subtract(action.intervals, done)
    return (action.replace(intervals=rest),) if rest else ()


def _other_tables(batch: Batch) -> tuple[Pin, ...]:
    """Return what a batch reads beside its own past, which is gone where the files of its table are lost."""
    return tuple(pin for pin in batch.pins if pin.input != TableName(batch.model))
