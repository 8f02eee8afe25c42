"""One run: lease, look, fold, plan, execute, record; the same steps for `run` and for `apply`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from threading import Event as Signal
from time import monotonic

from lamina.compiler.graph import CompiledModel, Graph
from lamina.executor.execute import Execution, Limits
from lamina.executor.failpoint import failpoint
from lamina.executor.lease import held_lease
from lamina.executor.naming import rename_tables
from lamina.executor.observe import Observed, look, managed_models, sources_of, with_moved
from lamina.executor.publish import Writer
from lamina.executor.run_state import RunState
from lamina.executor.runtime import Runtime
from lamina.executor.stale_inputs import judge_of
from lamina.executor.state_copy import keep_copy
from lamina.executor.summary import ended_result, run_result
from lamina.planner.asked import asked_slices
from lamina.planner.cadence import next_due
from lamina.planner.plan import build_plan
from lamina.planner.relayout import as_current
from lamina.planner.staleness import keeps_older_code
from lamina.state.errors import LeaseLost
from lamina.state.port import Lease, ModelRecord, RunRecord
from lamina.values.codec import to_json
from lamina.values.event import Recovered
from lamina.values.names import ModelName, PlanId, RunId
from lamina.values.plan import Build, Plan, Rebuild, Rename, Selection
from lamina.values.result import Propagation, RunResult
from lamina.warehouse.port import NO_PINS, Pins

Folded = tuple[ModelRecord, bool, tuple[Propagation, ...]]  # a record, whether it changed, and what was decided


@dataclass(frozen=True)
class Request:
    """What a run was asked to do; `review` may refuse the plan by raising."""

    command: str
    run_id: RunId
    selection: Selection
    execution_time: datetime
    limits: Limits
    review: Callable[[Plan], None]
    left_out: frozenset[ModelName] = frozenset()  # models that do not compile: what is recorded of them stays
    pins: Pins = field(default_factory=dict)  # what a plan that is applied read of its sources


def run(runtime: Runtime, graph: Graph, request: Request, *, stop: Signal) -> RunResult:
    """Do one pass over the selected models and return what it did."""
    try:
        return _run(runtime, graph, request, stop=stop)
    finally:
        keep_copy(runtime)


def _run(runtime: Runtime, graph: Graph, request: Request, *, stop: Signal) -> RunResult:
    started, above = monotonic(), 0
    while True:
        with held_lease(runtime, request.run_id, above=above) as lease:
            observed = observe(
                runtime, graph, request.selection, execution_time=request.execution_time, pins=request.pins
            )
            if observed.highest_token < lease.token:
                return _run_leased(runtime, graph, request, observed=observed, lease=lease, stop=stop, started=started)
        # State was lost and the marks know higher tokens: a paused run could still hold one of them.
        above = observed.highest_token


def observe(
    runtime: Runtime, graph: Graph, selection: Selection, *, execution_time: datetime, pins: Pins = NO_PINS
) -> Observed:
    """Look at everything that the selected models need."""
    sources = sources_of(graph, selected_models(graph, selection))
    return look(
        runtime,
        graph,
        sources=sources,
        execution_time=execution_time,
        pins=pins,
        is_empty_accepted=selection.is_empty_accepted,
    )


def selected_models(graph: Graph, selection: Selection) -> tuple[CompiledModel, ...]:
    """Return the models with tables that a selection takes in."""
    if selection.models is None:
        return managed_models(graph)
    chosen = {*selection.models, *selection.upstreams}
    return tuple(model for model in managed_models(graph) if model.name in chosen)


def _run_leased(
    runtime: Runtime, graph: Graph, request: Request, *, observed: Observed, lease: Lease, stop: Signal, started: float
) -> RunResult:
    begun = RunRecord(
        run_id=request.run_id,
        environment=runtime.environment,
        command=request.command,
        status="running",
        started_at=runtime.clock(),
        execution_time=request.execution_time,
        token=lease.token,
    )
    runtime.store.begin(begun, lease, now=runtime.clock())
    try:
        result, lost = _work(
            runtime, graph, request, observed=observed, lease=lease, stop=stop, started=started, begun=begun
        )
        failpoint("finish.before")
    except BaseException as error:
        # Whatever ended it, a run that is over is not recorded as running.
        ended = ended_result(
            request.command,
            error,
            run_id=request.run_id,
            environment=runtime.environment,
            execution_time=request.execution_time,
            seconds=monotonic() - started,
        )
        _finish(runtime, begun, ended)
        raise
    _finish(runtime, begun, result)
    if lost is not None:
        raise lost
    return result


def _finish(runtime: Runtime, begun: RunRecord, result: RunResult) -> None:
    runtime.store.finish(
        begun.replace(
            status=result.status,
            plan_id=PlanId(result.plan_id or ""),
            finished_at=runtime.clock(),
            result=to_json(result).decode(),
        )
    )


def _work(
    runtime: Runtime,
    graph: Graph,
    request: Request,
    *,
    observed: Observed,
    lease: Lease,
    stop: Signal,
    started: float,
    begun: RunRecord,
) -> tuple[RunResult, LeaseLost | None]:
    """Clean up what earlier runs left, decide, execute; the second value says that the lease was lost meanwhile."""
    if observed.taken_over is not None:
        runtime.store.adopt(observed.taken_over, lease)
        runtime.emit(Recovered(detail="the state was lost; it is derived again from the tables"))
    clean_up(runtime)
    names = frozenset(model.name for model in graph.models) | request.left_out | observed.renaming.keys()
    runtime.store.expire(names, lease, now=runtime.clock())
    state, folded = _folded(runtime, graph, observed, request)
    facts = observed.facts.replace(models={model.name: state.facts(model) for model in managed_models(graph)})
    plan = build_plan(graph, facts, environment=runtime.environment, selection=request.selection)
    request.review(plan)  # a plan that is refused leaves no trace
    renamed: tuple[Rename, ...] = ()
    if is_renaming := bool(observed.renaming) or any(isinstance(action, Rename) for action in plan.actions):
        # Before anything is recorded under the names of now.
        _begin_plan(runtime, plan, graph, lease)
        renamed, moved = rename_tables(runtime, plan, lease, models=observed.renaming)
        observed = with_moved(observed, moved)
        state, folded = _folded(runtime, graph, observed, request)
    _store_folds(runtime, folded, observed=observed, lease=lease)
    if observed.recompiled:
        # After the records: should it end here, they know their promoted text by our fingerprints already.
        runtime.store.recompiled(observed.recompiled, lease, compiler=runtime.compiling.origin.compiler)
    propagation = tuple(decision for _, _, decisions in folded for decision in decisions)
    if not is_renaming and any(isinstance(action, Build | Rebuild) for action in plan.actions):
        _begin_plan(runtime, plan, graph, lease)
    writer = Writer(
        runtime=runtime,
        run_id=request.run_id,
        lease=lease,
        execution_time=request.execution_time,
        started_at=begun.started_at,
        stop=stop,
    )
    execution = Execution(writer, graph, request.limits, plan=plan, state=state, stop=stop, views=facts.views)
    try:
        reports = execution.run()
    except KeyboardInterrupt:
        if not stop.is_set():
            raise
        # The run was ending already, and is now to end at once: what was under way is left to the next run.
        reports = execution.left()
    result = run_result(
        request.command,
        plan,
        reports,
        run_id=request.run_id,
        renamed=renamed,
        detections=observed.detections,
        diagnostics=observed.diagnostics,
        propagation=propagation,
        next_due=next_due(selected_models(graph, request.selection), request.execution_time),
        is_interrupted=stop.is_set(),
        threads=request.limits.threads,
        seconds=monotonic() - started,
    )
    is_whole = request.selection.models is None and not request.left_out
    if is_whole and execution.lost is None and result.status in ("success", "nothing_to_do"):
        _promote(runtime, graph, observed=observed, state=state, lease=lease)
    return result, execution.lost


def _folded(
    runtime: Runtime, graph: Graph, observed: Observed, request: Request
) -> tuple[RunState, tuple[Folded, ...]]:
    """Return the state of a run, with what was seen folded into the debts of every model."""
    judge = judge_of(runtime, graph, request.execution_time)
    state = RunState(graph, observed, selection=request.selection, judge=judge)
    return state, tuple(state.fold(model) for model in managed_models(graph))


def _begin_plan(runtime: Runtime, plan: Plan, graph: Graph, lease: Lease) -> None:
    runtime.store.begin_plan(plan, graph, lease, asked=asked_slices(plan))
    failpoint("plan.after")


def _promote(runtime: Runtime, graph: Graph, *, observed: Observed, state: RunState, lease: Lease) -> None:
    """Promote what needed no build too, unless nothing is new; each built model was promoted with its publication."""
    origin = runtime.compiling.origin
    known = {name: (item.compiler, item.text) for name, item in observed.promoted.items()}
    if known == {model.name: (origin.compiler, origin.text.hash) for model in graph.models}:
        return
    waiting = frozenset(model.name for model in managed_models(graph) if _is_older(model, state))
    runtime.store.promote(graph, lease, waiting=waiting, origin=origin)


def _is_older(model: CompiledModel, state: RunState) -> bool:
    """Return whether all that is built of a model is by other code and to be replaced, whatever it waits for."""
    segments = as_current(model, state.record(model.name).coverage).segments
    is_other = bool(segments) and all(segment.logic != model.fingerprint for segment in segments)
    return is_other and not keeps_older_code(model)


def clean_up(runtime: Runtime) -> None:
    """Drop the stages of runs that ended before they could publish or abandon them: no lease of theirs is held."""
    left = runtime.store.intents(runtime.environment)
    held = runtime.store.held_tokens(runtime.environment, now=runtime.clock()) if left else frozenset()
    for intent in (item for item in left if item.token not in held):
        runtime.warehouse.discard(intent.commit)
        runtime.store.abandon(intent.commit)
        runtime.emit(
            Recovered(detail=f"`{intent.model}` was left half built by `{intent.run_id}`; its stage is dropped")
        )
    failpoint("recover.after")


def _store_folds(
    runtime: Runtime,
    folded: tuple[Folded, ...],
    *,
    observed: Observed,
    lease: Lease,
) -> None:
    """Store what was folded into the models' debts in one transaction; nothing new writes nothing."""
    records = tuple(record for record, is_changed, _ in folded if is_changed or record.model in observed.recovered)
    if records or observed.new_touches:
        runtime.store.fold(runtime.environment, lease, touches=observed.new_touches, models=records)
        failpoint("fold.after")
