"""Read promoted models with our compiler where another one wrote them: a new version of lamina rebuilds nothing."""

from lamina.compiler.graph import CompiledModel
from lamina.executor.runtime import Runtime
from lamina.state.port import StateView
from lamina.values.names import ModelName


def recompile(runtime: Runtime, view: StateView) -> dict[ModelName, CompiledModel]:
    """Return what our compiler makes of the promoted models of another one; those without a text are left out."""
    compiling = runtime.compiling
    others = {
        name: promoted
        for name, promoted in view.promoted.items()
        if promoted.text and promoted.compiler != compiling.origin.compiler
    }
    found: dict[ModelName, CompiledModel] = {}
    for digest in sorted({promoted.text for promoted in others.values()}):
        text = runtime.store.find_text(digest)
        graph = None if text is None else compiling.compile(text)
        for model in () if graph is None else graph.models:
            if model.name in others and others[model.name].text == digest:
                found[model.name] = model
    return found
