"""Derive the records of models from their tables, and say where the state differs from them (I3)."""

from functools import partial

from lamina.compiler.graph import Graph
from lamina.executor.lease import held_lease
from lamina.executor.naming import places_of, require_renamed
from lamina.executor.observe import Observed, heads_of, look, managed_models, recorded_of
from lamina.executor.recompile import recompile
from lamina.executor.runtime import Runtime
from lamina.planner.agreement import differences
from lamina.planner.recompiled import as_called_now
from lamina.planner.renamed_models import names_of, under_former_names
from lamina.state.renamed import pending_of, view_now
from lamina.values.custody import DerivedModel, StateDifference
from lamina.values.names import RunId, TableName


def derive_records(runtime: Runtime, graph: Graph, *, run_id: RunId) -> tuple[DerivedModel, ...]:
    """Store what the marks and histories of tables make of their records, and return the state of each."""
    above = 0
    while True:
        with held_lease(runtime, run_id, above=above) as lease:
            observed = look(runtime, graph, sources=(), execution_time=runtime.clock())
            require_renamed(observed.renaming, *observed.renaming.values())
            if observed.highest_token < lease.token:
                if observed.taken_over is not None:
                    runtime.store.adopt(observed.taken_over, lease)
                records = tuple(observed.records[name] for name in observed.recovered)
                runtime.store.fold(runtime.environment, lease, touches=observed.new_touches, models=records)
                return _derived(runtime, graph, observed)
        above = observed.highest_token


def state_differences(runtime: Runtime, graph: Graph) -> tuple[StateDifference, ...]:
    """Compare what is recorded of every model with what its table says; nothing is changed."""
    view = runtime.store.view(runtime.environment)
    view = view_now(view, pending_of(view, names_of(graph)))
    models = managed_models(graph)
    heads = heads_of(runtime, models, places_of(runtime, models, view).tables)
    again = recompile(runtime, view, graph)
    found: list[StateDifference] = []
    for model in models:
        recorded, head = recorded_of(view, model.name), heads[model.name]
        # A table whose metadata cannot be read is one difference, and must not hide those of the others.
        mark = runtime.warehouse.history(head.table, None).mark if head.fault is None else None
        called = partial(
            as_called_now, model=model, promoted=view.promoted.get(model.name), recompiled=again.get(model.name)
        )
        recorded = recorded and recorded.replace(coverage=called(recorded.coverage))
        mark = mark and mark.replace(coverage=under_former_names(called(mark.coverage), model))
        found += differences(recorded, head, model=model.name, mark=mark)
    return tuple(found)


def _derived(runtime: Runtime, graph: Graph, observed: Observed) -> tuple[DerivedModel, ...]:
    models = managed_models(graph)
    heads = {model.name: observed.facts.heads[TableName(model.name)] for model in models}
    readable = (name for name, head in heads.items() if head.fault is None)
    marks = {name: runtime.warehouse.history(heads[name].table, None).mark for name in readable}
    return tuple(
        DerivedModel(
            model=model.name,
            status=observed.facts.models[model.name].target.status,
            snapshot_id=observed.records[model.name].position,
            run_id=None if (mark := marks.get(model.name)) is None else mark.run_id,
        )
        for model in models
    )
