"""The verbs that ask state and tables and change nothing; wiring only, each returns the value its command prints."""

from collections.abc import Callable, Mapping
from datetime import datetime

from lamina.api.engine import Engine, open_known, open_store
from lamina.compiler.graph import CompiledModel
from lamina.compiler.link.parameters import quoted
from lamina.compiler.render import verbatim
from lamina.errors import LaminaError, UsageError
from lamina.executor.observe import World
from lamina.executor.run import observe, selected_models
from lamina.executor.verify import verify_model
from lamina.planner.broken import Broken, with_promoted
from lamina.planner.cadence import next_due
from lamina.planner.fold import fold
from lamina.planner.plain_query import plain_query
from lamina.planner.plan import build_plan
from lamina.planner.question import Question, question_of, unknown_table
from lamina.planner.select import select, table_named
from lamina.planner.standing import broken_status, interval_ranges, model_status, unbuilt_status
from lamina.state.port import BatchRecord, RunRecord
from lamina.values.batch import Pin
from lamina.values.codec import from_json
from lamina.values.coverage import Coverage
from lamina.values.event import Event, StepFinished, StepStarted
from lamina.values.facts import Head, ModelFacts, TargetFacts
from lamina.values.interval import Interval, bound_or_none
from lamina.values.names import RunId, TableName
from lamina.values.plan import Action, Selection
from lamina.values.result import (
    BuiltInterval,
    IntervalsResult,
    ModelVerdict,
    QueryResult,
    RangeReason,
    RunLine,
    RunResult,
    StatusResult,
    VerifyResult,
    verified,
)
from lamina.values.rows_asked import RowsAsked
from lamina.warehouse.sources.kinds import catalog_tables

HISTORY = 1000  # batches looked through to say what built a range


def project_status(
    root: str,
    environment_variables: Mapping[str, str],
    *,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    execution_time: datetime | None,
    emit: Callable[[Event], None],
) -> StatusResult:
    """Return the state of every selected model: current, stale and why, waiting, blocked."""
    with open_known(root, environment_variables, emit=emit) as engine:
        world, actions = _plan_now(engine, execution_time)
        chosen = set(select(with_promoted(engine.whole, engine.graph), include, exclude))
        models = tuple(model for model in selected_models(engine.graph, Selection()) if model.name in chosen)
        known = {model.name: model_status(model, _folded(model, world), _of(model, actions)) for model in models}
        others = (model for model in selected_models(engine.whole, Selection()) if model.name in chosen)
        known = {**{model.name: unbuilt_status(model) for model in others}, **known}
        return StatusResult(
            environment=engine.runtime.environment,
            models=tuple(broken_status(status, engine.broken) for _, status in sorted(known.items())),
            next_due=next_due(models, world.facts.execution_time),
            diagnostics=engine.findings,
        )


def model_intervals(
    root: str,
    environment_variables: Mapping[str, str],
    *,
    model: str,
    execution_time: datetime | None,
    emit: Callable[[Event], None],
) -> IntervalsResult:
    """Return the ranges of a model by their state."""
    with open_known(root, environment_variables, emit=emit) as engine:
        found = table_named(with_promoted(engine.graph, engine.whole), model)
        reason = engine.broken.reason(found.name) if engine.broken is not None else None
        world, actions = _plan_now(engine, execution_time)
        # A model that does not compile is known as it was last run; one that never ran has no ranges.
        is_known = found.name in world.facts.models
        facts = _folded(found, world) if is_known else ModelFacts(coverage=Coverage(), target=TargetFacts("absent"))
        ranges = interval_ranges(found, facts, _of(found, actions) if reason is None else ())
        batches = engine.runtime.store.batches(engine.runtime.environment, found.name, limit=HISTORY)
        built = tuple(_built(segment.interval, batches) for segment in facts.coverage.segments)
        if reason is not None:
            ranges = ranges.replace(failed=(RangeReason(reason=reason),))
        concerned = engine.findings if reason is not None or engine.broken is None else ()
        return ranges.replace(coverage=built, diagnostics=concerned)


def project_history(root: str, environment_variables: Mapping[str, str], *, limit: int) -> tuple[RunLine, ...]:
    """Return the latest runs, newest first."""
    with open_store(root, environment_variables) as store:
        return tuple(_line(record) for record in store.runs(limit=limit))


def run_info(root: str, environment_variables: Mapping[str, str], *, run_id: str) -> RunResult:
    """Return the document an earlier run printed."""
    with open_store(root, environment_variables) as store:
        latest = next((item.run_id for item in store.runs(limit=1)), None)
        if latest is None:
            raise LaminaError("nothing has run yet", hint="`lamina run` makes the first run")
        record = store.run(latest if run_id == "latest" else RunId(run_id))
        if record is None:
            raise UsageError(f"there is no run `{run_id}`", hint="`lamina history` lists the runs")
        if record.result is None:
            raise LaminaError(
                f"run `{record.run_id}` did not end: it is running, or it was killed",
                hint="what it published is kept; `lamina run` goes on from there",
            )
        return from_json(record.result, RunResult)


def verify_project(
    root: str,
    environment_variables: Mapping[str, str],
    *,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    emit: Callable[[Event], None],
) -> VerifyResult:
    """Recompute the selected tables over their recorded inputs and compare."""
    with open_known(root, environment_variables, emit=emit) as engine:
        whole = with_promoted(engine.graph, engine.whole)
        chosen = set(select(whole, include, exclude))
        left_out = _left_out(selected_models(whole, Selection(models=tuple(chosen))), engine.broken)
        selection = Selection(models=tuple(sorted(chosen - {item.model for item in left_out})))
        world = observe(engine.runtime, engine.graph, selection, execution_time=engine.runtime.clock())
        verdicts = []
        for model in selected_models(engine.graph, selection):
            emit(StepStarted(model=model.name, intervals=(), reason="comparing with a recompute"))
            verdict = verify_model(engine.runtime, model, world)
            emit(StepFinished(model=model.name, status="skipped", reason=verdict.status))
            verdicts.append(verdict)
        every = tuple(sorted((*verdicts, *left_out), key=lambda verdict: verdict.model))
        return VerifyResult(status=verified(every), models=every, diagnostics=engine.findings)


def _left_out(models: tuple[CompiledModel, ...], broken: Broken | None) -> tuple[ModelVerdict, ...]:
    """Return the verdicts on models that cannot be computed, since they or what they read do not compile."""
    reasons = {} if broken is None else {model.name: broken.reason(model.name) for model in models}
    return tuple(
        ModelVerdict(model=name, status="unverifiable", reason=reason)
        for name, reason in reasons.items()
        if reason is not None
    )


def query_tables(
    root: str, environment_variables: Mapping[str, str], *, sql: str, limit: int, emit: Callable[[Event], None]
) -> QueryResult:
    """Run a query over the project's tables; models and sources go by their project names."""
    with open_known(root, environment_variables, emit=emit) as engine:
        catalog = engine.config.catalog.name
        now, tables = engine.runtime.clock(), catalog_tables(engine.graph.sources)
        question = question_of(engine.graph, sql, catalog=catalog, tables_of=tables, execution_time=now)
        views = _views(engine, question)
        plain = _without_spark(engine, question, sql=sql, limit=limit)
        return plain or engine.warehouse.query(question.rendering, limit=limit, views=views)


def _without_spark(engine: Engine, question: Question, *, sql: str, limit: int) -> QueryResult | None:
    """Answer a plain query over one model's table from its files, where that is surely what Spark would answer."""
    if len(question.models) != 1 or question.sources or question.others or question.is_composed:
        return None
    table = question.models[0].target
    asked = plain_query(sql, engine.warehouse.heads([table])[table].columns)
    return None if asked is None else engine.warehouse.read_rows(table, asked, limit=limit)


def _views(engine: Engine, question: Question) -> dict[str, Pin]:
    """Return the files a query reads, as they are now; whatever is not there is told before Spark starts."""
    tables = [*(model.target for model in question.models), *(_table_of(name) for name in question.others)]
    heads = engine.warehouse.heads(tables)
    for model in question.models:
        _require_built(model, heads[model.target])
    for name in question.others:
        if heads[_table_of(name)].pointer is None:
            raise unknown_table(engine.graph, name)
    sources = engine.warehouse.source_heads(question.sources)
    positions = {name: head.position for name, head in sources.items() if head.position is not None}
    return {view: Pin(input=name, position=positions[name]) for view, name in question.views.items()}


def show_model(
    root: str, environment_variables: Mapping[str, str], *, model: str, limit: int, emit: Callable[[Event], None]
) -> QueryResult:
    """Return some rows of a model's table."""
    with open_known(root, environment_variables, emit=emit) as engine:
        found = table_named(engine.graph, model)
        _require_built(found, engine.warehouse.heads([found.target])[found.target])
        slices = found.traits.slices
        asked = RowsAsked(order_by=slices.time_column if slices is not None else None)
        plain = engine.warehouse.read_rows(found.target, asked, limit=limit)
        return plain or engine.warehouse.query(verbatim(_rows_of(found)), limit=limit)


def _require_built(model: CompiledModel, head: Head) -> None:
    if head.pointer is None:
        raise LaminaError(f"`{model.name}` is not built yet", hint=f"`lamina run -s {model.name}` builds it")


def _table_of(name: TableName) -> TableName:
    """Return the table of a name, which may go on with what Iceberg says of it: `sales.orders.snapshots`."""
    return TableName(".".join(name.split(".")[:2]))


def _rows_of(model: CompiledModel) -> str:
    """Return the query for a model's rows, in the order of its time."""
    slices = model.traits.slices
    names = ".".join(quoted(part) for part in model.target.split("."))
    order = f" ORDER BY {quoted(slices.time_column)}" if slices is not None else ""
    return f"SELECT * FROM {names}{order}"


def _plan_now(engine: Engine, execution_time: datetime | None) -> tuple[World, tuple[Action, ...]]:
    time = execution_time or engine.runtime.clock()
    world = observe(engine.runtime, engine.graph, Selection(), execution_time=time)
    environment = engine.runtime.environment
    return world, build_plan(engine.graph, world.facts, environment=environment, selection=Selection()).actions


def _folded(model: CompiledModel, world: World) -> ModelFacts:
    facts = world.facts.models[model.name]
    coverage, _ = fold(facts.coverage, model, touches=world.facts.touches, heads=world.facts.heads)
    return facts.replace(coverage=coverage)


def _of(model: CompiledModel, actions: tuple[Action, ...]) -> tuple[Action, ...]:
    return tuple(action for action in actions if action.model == model.name)


def _built(span: Interval, batches: tuple[BatchRecord, ...]) -> BuiltInterval:
    last = next((batch for batch in batches if any(_overlap(span, item) for item in batch.slices)), None)
    return BuiltInterval(
        start=bound_or_none(span.start),
        end=bound_or_none(span.end),
        run_id=last.run_id if last is not None else None,
        execution_time=f"{last.execution_time:%Y-%m-%dT%H:%M:%SZ}" if last is not None else None,
        built_at=f"{last.published_at:%Y-%m-%dT%H:%M:%SZ}" if last is not None else None,
    )


def _overlap(left: Interval, right: Interval) -> bool:
    return left.start < right.end and right.start < left.end


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
