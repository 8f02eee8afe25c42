"""Read promoted models with our compiler where another one wrote them: a new version of lamina rebuilds nothing."""

from lamina.compiler.graph import CompiledModel, Graph
from lamina.executor.runtime import Runtime
from lamina.planner.renamed_models import names_of
from lamina.state.port import StateView
from lamina.values.names import ModelName


def recompile(runtime: Runtime, view: StateView, graph: Graph) -> dict[ModelName, CompiledModel]:
    """Return what our compiler makes of the promoted models of another one; those without a text are left out.

    In the text of then, a model that was renamed since has its former name.
    """
    compiling, names = runtime.compiling, names_of(graph)
    others = {
        name: promoted
        for name, promoted in view.promoted.items()
        if promoted.text and promoted.compiler != compiling.origin.compiler
    }
    found: dict[ModelName, CompiledModel] = {}
    for digest in sorted({promoted.text for promoted in others.values()}):
        text = runtime.store.find_text(digest)
        then = None if text is None else compiling.compile(text)
        for model in () if then is None else then.models:
            name = model.name if model.name in others else names.get(model.name, model.name)
            if name in others and others[name].text == digest:
                found[name] = model.replace(name=name)
    return found
