"""The verbs that ask state and tables and change nothing; wiring only, each returns the value its command prints."""

from collections.abc import Callable, Mapping
from datetime import datetime

from lamina.compiler.graph import CompiledModel
from lamina.compiler.parameters import quoted
from lamina.compiler.render import verbatim
from lamina.engine import Engine, open_engine, open_store
from lamina.errors import LaminaError, UsageError
from lamina.executor.observe import World
from lamina.executor.run import observe, selected_models
from lamina.executor.verify import verify_model
from lamina.planner.cadence import next_due
from lamina.planner.fold import fold
from lamina.planner.plan import build_plan
from lamina.planner.question import Question, question_of, unknown_table
from lamina.planner.select import select, table_named
from lamina.planner.standing import interval_ranges, model_status
from lamina.project.strategy import TimeInterval
from lamina.state.port import BatchRecord, RunRecord
from lamina.values.batch import Pin
from lamina.values.codec import from_json
from lamina.values.event import Event, StepFinished, StepStarted
from lamina.values.facts import Head, ModelFacts
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import RunId, TableName
from lamina.values.plan import Action, Selection
from lamina.values.result import (
    BuiltInterval,
    IntervalsResult,
    QueryResult,
    RunLine,
    RunResult,
    StatusResult,
    VerifyResult,
)

HISTORY = 1000  # batches looked through to say what built a range


def _silent(_event: Event) -> None:
    """Tell nobody: these verbs answer at once."""


def project_status(
    root: str,
    environment_variables: Mapping[str, str],
    *,
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    execution_time: datetime | None,
) -> StatusResult:
    """Return how every selected model stands: current, stale and why, waiting, blocked."""
    with open_engine(root, environment_variables, overrides={}, emit=_silent) as engine:
        world, actions = _plan_now(engine, execution_time)
        chosen = set(select(engine.graph, include, exclude))
        models = tuple(model for model in selected_models(engine.graph, Selection()) if model.name in chosen)
        return StatusResult(
            environment=engine.runtime.environment,
            models=tuple(model_status(model, _folded(model, world), _of(model, actions)) for model in models),
            next_due=next_due(models, world.facts.execution_time),
        )


def model_intervals(
    root: str, environment_variables: Mapping[str, str], *, model: str, execution_time: datetime | None
) -> IntervalsResult:
    """Return the ranges of a model by how they stand."""
    with open_engine(root, environment_variables, overrides={}, emit=_silent) as engine:
        found = table_named(engine.graph, model)
        world, actions = _plan_now(engine, execution_time)
        facts = _folded(found, world)
        ranges = interval_ranges(found, facts, _of(found, actions))
        batches = engine.runtime.store.batches(engine.runtime.environment, found.name, limit=HISTORY)
        built = tuple(_built(segment.interval, batches) for segment in facts.coverage.segments)
        return ranges.replace(coverage=built)


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
    with open_engine(root, environment_variables, overrides={}, emit=emit) as engine:
        chosen = set(select(engine.graph, include, exclude))
        selection = Selection(models=tuple(sorted(chosen)))
        world = observe(engine.runtime, engine.graph, selection, execution_time=engine.runtime.clock())
        verdicts = []
        for model in selected_models(engine.graph, selection):
            emit(StepStarted(model=model.name, intervals=(), reason="comparing with a recompute"))
            verdict = verify_model(engine.runtime, model, world)
            emit(StepFinished(model=model.name, status="skipped", reason=verdict.status))
            verdicts.append(verdict)
        is_different = any(verdict.status == "different" for verdict in verdicts)
        return VerifyResult(status="different" if is_different else "equal", models=tuple(verdicts))


def query_tables(
    root: str, environment_variables: Mapping[str, str], *, sql: str, limit: int, emit: Callable[[Event], None]
) -> QueryResult:
    """Run a query over the project's tables; models and sources go by their project names."""
    with open_engine(root, environment_variables, overrides={}, emit=emit) as engine:
        catalog = engine.config.catalog.name
        question = question_of(engine.graph, sql, catalog=catalog, execution_time=engine.runtime.clock())
        return engine.warehouse.query(question.rendering, limit=limit, views=_views(engine, question))


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
    with open_engine(root, environment_variables, overrides={}, emit=emit) as engine:
        found = table_named(engine.graph, model)
        _require_built(found, engine.warehouse.heads([found.target])[found.target])
        return engine.warehouse.query(verbatim(_rows_of(found)), limit=limit)


def _require_built(model: CompiledModel, head: Head) -> None:
    if head.pointer is None:
        raise LaminaError(f"`{model.name}` is not built yet", hint=f"`lamina run -s {model.name}` builds it")


def _table_of(name: TableName) -> TableName:
    """Return the table of a name, which may go on with what Iceberg says of it: `sales.orders.snapshots`."""
    return TableName(".".join(name.split(".")[:2]))


def _rows_of(model: CompiledModel) -> str:
    """Return the query for a model's rows, in the order of its time."""
    strategy = model.settings.strategy
    names = ".".join(quoted(part) for part in model.target.split("."))
    order = f" ORDER BY {quoted(strategy.time_column)}" if isinstance(strategy, TimeInterval) else ""
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
    is_whole = span == WHOLE  # a table without intervals has no bounds either
    return BuiltInterval(
        start="" if is_whole else f"{span.start:%Y-%m-%dT%H:%M:%SZ}",
        end="" if is_whole else f"{span.end:%Y-%m-%dT%H:%M:%SZ}",
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
