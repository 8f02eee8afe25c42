"""The verb that says how old the newest rows of tables are: nothing is built, no lease is taken, nothing is written."""

from collections.abc import Iterable
from datetime import datetime

from lamina.api.engine import Engine, open_known
from lamina.api.opened import Opened
from lamina.compiler.graph import CompiledModel
from lamina.executor.observe import Observed
from lamina.executor.run import observe, selected_models
from lamina.planner.broken import with_promoted
from lamina.planner.freshness import judged, unknown
from lamina.planner.select import select
from lamina.planner.standing import not_checked
from lamina.project.limits import FreshnessSettings
from lamina.project.source import SourceTable
from lamina.values.freshness import FreshnessResult, TableFreshness
from lamina.values.names import TableName
from lamina.values.plan import Selection
from lamina.warehouse.failure import WarehouseFailure


def project_freshness(
    project: Opened, *, include: tuple[str, ...], exclude: tuple[str, ...], execution_time: datetime | None
) -> FreshnessResult:
    """Return how fresh the selected models and what they read of sources are; without a selection, all sources."""
    with open_known(project) as engine:
        now = execution_time or engine.runtime.clock()
        whole = with_promoted(engine.graph, engine.whole)
        chosen = select(whole, include, exclude)
        models = selected_models(whole, Selection(models=chosen))
        read = {use.name for model in models for use in model.inputs}
        is_all = not include and not exclude
        sources = (item for item in engine.graph.sources if is_all or TableName(item.name) in read)
        return FreshnessResult(
            models=_models(engine, models, now=now),
            sources=_sources(engine, sources, now=now),
            diagnostics=engine.findings,
        )


def _models(engine: Engine, models: Iterable[CompiledModel], *, now: datetime) -> tuple[TableFreshness, ...]:
    watched = tuple((model, model.settings.freshness) for model in models if model.settings.freshness is not None)
    broken = {
        model.name: engine.broken.reason(model.name) if engine.broken is not None else None for model, _ in watched
    }
    known = Selection(models=tuple(name for name, reason in broken.items() if reason is None))
    observed = observe(engine.runtime, engine.graph, known, execution_time=now) if watched else None
    found: list[TableFreshness] = []
    for model, settings in watched:
        reason = broken[model.name]
        if reason is not None or observed is None:
            found.append(unknown(model.name, settings, reason or "", is_fault=True))
        else:
            found.append(_model(engine, model, settings, observed, now=now))
    return tuple(found)


def _model(
    engine: Engine, model: CompiledModel, settings: FreshnessSettings, observed: Observed, *, now: datetime
) -> TableFreshness:
    if (missing := not_checked(model, observed.facts.models[model.name])) is not None:
        return unknown(model.name, settings, missing.reason, is_fault=missing.is_fault)
    return _table(engine, TableName(model.name), settings, zone=model.settings.timezone, now=now)


def _sources(engine: Engine, sources: Iterable[SourceTable], *, now: datetime) -> tuple[TableFreshness, ...]:
    watched = ((item, item.freshness) for item in sources if item.freshness is not None)
    return tuple(_table(engine, TableName(source.name), settings, zone="UTC", now=now) for source, settings in watched)


def _table(engine: Engine, name: TableName, settings: FreshnessSettings, *, zone: str, now: datetime) -> TableFreshness:
    try:
        newest = engine.runtime.warehouse.newest(name, settings.column, zone=zone)
    except WarehouseFailure as error:
        return unknown(name, settings, error.message, is_fault=True)
    return judged(name, settings, newest, now=now)
