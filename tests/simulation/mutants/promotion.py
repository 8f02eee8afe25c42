"""Whose rows they are, which version is promoted, what was asked for: each rule of it taken away."""

from tests.simulation.mutants.mutant import Mutant
from tests.simulation.world import PROD

from lamina.compiler.graph import CompiledModel
from lamina.executor import observe, run
from lamina.executor.runtime import Runtime
from lamina.state import store
from lamina.state.port import StateView
from lamina.state.scope import Scope
from lamina.values.names import ModelName


def _recompile_the_text_of_now(runtime: Runtime, view: StateView) -> dict[ModelName, CompiledModel]:
    origin = runtime.compiling.origin
    graph = runtime.compiling.compile(origin.text)
    models = () if graph is None else graph.models
    others = {name for name, item in view.promoted.items() if item.compiler != origin.compiler}
    return {model.name: model for model in models if model.name in others}


PROMOTION = (
    Mutant(
        "upgrades_rebuild",
        "a new compiler reads the promoted text again, and rebuilds nothing",
        observe,
        "recompile",
        lambda *_: {},
    ),
    Mutant(
        "upgrades_hide_edits",
        "a new compiler reads the text that was promoted, not the one of now",
        observe,
        "recompile",
        _recompile_the_text_of_now,
    ),
    Mutant(
        "projects_see_each_other",
        "projects that share a state see their own rows only",
        store,
        "Scope",
        lambda _project, environment: Scope("", environment),
    ),
    Mutant(
        "environments_see_each_other",
        "environments of a project see their own rows only",
        store,
        "Scope",
        lambda project, _environment: Scope(project, PROD),
    ),
    Mutant(
        "asked_slices_die_with_their_run",
        "what a run was asked for stays requested until it is built",
        run,
        "asked_slices",
        lambda _plan: {},
    ),
)
