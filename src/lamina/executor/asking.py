"""Ask again for what failed: recorded before any work begins, so that a run that dies does not forget it."""

from lamina.compiler.graph import CompiledModel, Graph
from lamina.executor.failpoint import failpoint
from lamina.executor.lease import held_lease
from lamina.executor.naming import require_renamed
from lamina.executor.runtime import Runtime
from lamina.planner.failures import failed_ranges
from lamina.planner.renamed_models import names_of
from lamina.planner.staleness import clean_ranges
from lamina.state.port import StateView
from lamina.state.renamed import pending_of
from lamina.values.interval import Interval, intersect
from lamina.values.names import ModelName, RunId


def ask_again(runtime: Runtime, graph: Graph, names: tuple[ModelName, ...], *, run_id: RunId) -> None:
    """Let what failed of models be tried now, and request what of it no run would build by itself."""
    with held_lease(runtime, run_id, above=0) as lease:
        view = runtime.store.view(runtime.environment)
        require_renamed(pending_of(view, names_of(graph)), *names)
        runtime.store.ask_again({name: _asked(graph.model(name), view) for name in names}, lease)
        failpoint("request.after")


def _asked(model: CompiledModel, view: StateView) -> tuple[Interval, ...]:
    """Return what failed although nothing was stale: it had been requested, so it is requested again."""
    if model.name not in view.models:
        return ()
    failed = failed_ranges(tuple(item for item in view.failures if item.model == model.name))
    return intersect(failed, clean_ranges(model, view.models[model.name].coverage))
