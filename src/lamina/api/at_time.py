"""The verb `explain` for a time: why a model runs or does not; it opens state and tables, and starts no JVM."""

from datetime import datetime

from lamina.api.engine import Engine, open_known
from lamina.api.foreseen import Foreseen, foresee
from lamina.api.opened import Opened
from lamina.compiler.graph import CompiledModel
from lamina.compiler.report import Explanation, explain
from lamina.planner.at_time import model_at_time
from lamina.planner.broken import with_promoted
from lamina.planner.pending import unbuildable
from lamina.planner.select import table_named
from lamina.planner.standing import broken_status, model_status, unbuilt_status
from lamina.state.port import RunRecord
from lamina.values.at_time import AtTime, RunOfModel
from lamina.values.codec import from_json
from lamina.values.coverage import Coverage
from lamina.values.facts import ModelFacts, TargetFacts
from lamina.values.names import ModelName
from lamina.values.result import ModelStatus, RunResult

RUNS = 200  # looked through for what an earlier run said of the model


def explain_at(project: Opened, model: str, *, execution_time: datetime) -> Explanation:
    """Return what a model does, reads and proves, and what a run at that time would do with it and why."""
    with open_known(project) as engine:
        found = table_named(with_promoted(engine.whole, engine.graph), model)
        foreseen = foresee(engine, execution_time)
        at = _at_time(engine, found, foreseen).replace(last_run=_last_run(engine, found.name, execution_time))
        return explain(with_promoted(engine.whole, engine.graph), found).replace(at=at)


def _at_time(engine: Engine, model: CompiledModel, foreseen: Foreseen) -> AtTime:
    """Return a model at the time that was foreseen; one that does not compile, as it was last run."""
    planned = {item.name: item for item in engine.graph.models}
    subject, status = planned.get(model.name, model), _status(engine, model, foreseen)
    can_be_built = model.name in planned and (engine.broken is None or engine.broken.reason(model.name) is None)
    facts = ModelFacts(coverage=Coverage(), target=TargetFacts("absent"))
    found = model_at_time(
        subject,
        foreseen.known(subject) if model.name in foreseen.facts.models else facts,
        foreseen.actions(subject) if can_be_built else (),
        status=status,
        inputs={
            use.name: _status(engine, planned[ModelName(use.name)], foreseen)
            for use in subject.inputs
            if use.is_model and ModelName(use.name) in planned
        },
        upstream=foreseen.decided.upstream,
        execution_time=foreseen.facts.execution_time,
    )
    return found if can_be_built else found.replace(pending=(unbuildable(status),))


def _status(engine: Engine, model: CompiledModel, foreseen: Foreseen) -> ModelStatus:
    if model.name not in foreseen.facts.models:
        return broken_status(unbuilt_status(model), engine.broken)
    return broken_status(model_status(model, foreseen.known(model), foreseen.actions(model)), engine.broken)


def _last_run(engine: Engine, model: ModelName, time: datetime) -> RunOfModel | None:
    """Return what the latest run up to a time said of a model."""
    runs = engine.runtime.store.runs(engine.runtime.environment, limit=RUNS)
    said = (_said(record, model) for record in runs if record.execution_time <= time)
    return next((item for item in said if item is not None), None)


def _said(record: RunRecord, model: ModelName) -> RunOfModel | None:
    result = from_json(record.result, RunResult) if record.result is not None else None
    done = next((item for item in result.materializations if item.model == model), None) if result is not None else None
    if done is None:
        return None
    return RunOfModel(
        run_id=record.run_id,
        command=record.command,
        execution_time=f"{record.execution_time:%Y-%m-%dT%H:%M:%SZ}",
        status=done.status,
        reason=str(done.error.message) if done.error is not None else done.reason,
    )
