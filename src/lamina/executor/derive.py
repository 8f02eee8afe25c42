"""Derive the records of models from their tables, and say where the state differs from them (I3)."""

from functools import partial

from lamina.compiler.graph import Graph
from lamina.executor.lease import held_lease
from lamina.executor.observe import Observed, look, managed_models, recorded_of
from lamina.executor.recompile import recompile
from lamina.executor.runtime import Runtime
from lamina.planner.agreement import differences
from lamina.planner.recompiled import as_called_now
from lamina.values.custody import DerivedModel, StateDifference
from lamina.values.names import RunId


def derive_records(runtime: Runtime, graph: Graph, *, run_id: RunId) -> tuple[DerivedModel, ...]:
    """Store what the marks and histories of tables make of their records, and return the state of each."""
    above = 0
    while True:
        with held_lease(runtime, run_id, above=above) as lease:
            observed = look(runtime, graph, sources=(), execution_time=runtime.clock())
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
    models = managed_models(graph)
    heads = runtime.warehouse.heads([model.target for model in models])
    again = recompile(runtime, view)
    found: list[StateDifference] = []
    for model in models:
        recorded, head = recorded_of(view, model.name), heads[model.target]
        # A table whose metadata cannot be read is one difference, and must not hide those of the others.
        mark = runtime.warehouse.history(model.target, None).mark if head.fault is None else None
        called = partial(
            as_called_now, model=model, promoted=view.promoted.get(model.name), recompiled=again.get(model.name)
        )
        recorded = recorded and recorded.replace(coverage=called(recorded.coverage))
        mark = mark and mark.replace(coverage=called(mark.coverage))
        found += differences(recorded, head, model=model.name, mark=mark)
    return tuple(found)


def _derived(runtime: Runtime, graph: Graph, observed: Observed) -> tuple[DerivedModel, ...]:
    models = managed_models(graph)
    heads = runtime.warehouse.heads([model.target for model in models])
    readable = (model for model in models if heads[model.target].fault is None)
    marks = {model.name: runtime.warehouse.history(model.target, None).mark for model in readable}
    return tuple(
        DerivedModel(
            model=model.name,
            status=observed.facts.models[model.name].target.status,
            snapshot_id=observed.records[model.name].position,
            run_id=None if (mark := marks.get(model.name)) is None else mark.run_id,
        )
        for model in models
    )
