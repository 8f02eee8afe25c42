"""A project of which some models do not compile: which ones, who reads them, and what is left to work with; pure."""

from collections.abc import Iterable

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.rules import duplicate_target
from lamina.project.rules import case_clash, duplicate_model, duplicate_source, shared_name
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import ModelName
from lamina.values.value import Value

# Two models, or a model and a source, that claim one name: neither may be built.
_ABOUT_SEVERAL = frozenset(
    module.RULE.code for module in (duplicate_model, case_clash, duplicate_source, shared_name, duplicate_target)
)
_FOLDERS = ("models/", "seeds/")
_DEFAULTS = "_defaults.toml"


class Broken(Value, frozen=True):
    """The models that do not compile, with what is wrong first, and those that read them."""

    faults: dict[ModelName, str]
    readers: dict[ModelName, ModelName]  # each with the broken model above it

    @property
    def left_out(self) -> frozenset[ModelName]:
        """Return everything that cannot be built."""
        return frozenset((*self.faults, *self.readers))

    def reason(self, name: ModelName) -> str | None:
        """Say why a model cannot be built; None where it can."""
        if name in self.readers:
            return f"`{self.readers[name]}` does not compile"
        return self.faults.get(name)


def find_broken(graph: Graph, found: Iterable[Diagnostic]) -> Broken | None:
    """Return which models errors belong to; None where one of them concerns the whole project."""
    faults: dict[ModelName, str] = {}
    for item in found:
        if item.severity != "error":
            continue
        names = tuple(model.name for model in graph.models if _is_about(item, model))
        is_of_model = bool(names) or (item.file or "").startswith(_FOLDERS)
        if not is_of_model or item.code in _ABOUT_SEVERAL or (item.file or "").endswith(_DEFAULTS):
            return None
        place = f" ({item.place})" if item.place is not None else ""
        for name in names:
            faults.setdefault(name, f"it does not compile: {item.message}{place}")
    return Broken(faults=faults, readers=_readers(graph, faults))


def without(graph: Graph, names: Iterable[ModelName]) -> Graph:
    """Return a graph without some models."""
    gone = set(names)
    return graph.replace(
        models=tuple(model for model in graph.models if model.name not in gone),
        layers=tuple(tuple(name for name in layer if name not in gone) for layer in graph.layers),
    )


def only(graph: Graph | None, names: Iterable[ModelName]) -> Graph | None:
    """Return a graph with some of its models only."""
    kept = set(names)
    return None if graph is None else without(graph, (model.name for model in graph.models if model.name not in kept))


def with_promoted(graph: Graph, promoted: Graph | None) -> Graph:
    """Return a graph with the models that only the version last run has: their tables can still be asked."""
    there = {model.name for model in graph.models}
    older = tuple(model for model in (promoted.models if promoted is not None else ()) if model.name not in there)
    if not older:
        return graph
    known = {source.name for source in graph.sources}
    sources = tuple(item for item in (promoted.sources if promoted is not None else ()) if item.name not in known)
    return graph.replace(
        models=tuple(sorted((*graph.models, *older), key=lambda model: model.name)),
        sources=tuple(sorted((*graph.sources, *sources), key=lambda source: source.name)),
        layers=(*graph.layers, tuple(sorted(model.name for model in older))),
    )


def _is_about(item: Diagnostic, model: CompiledModel) -> bool:
    if item.model is not None:
        return item.model == model.name
    return item.file is not None and item.file.rpartition(".")[0] == model.path.rpartition(".")[0]


def _readers(graph: Graph, faults: Iterable[ModelName]) -> dict[ModelName, ModelName]:
    """Return what reads broken models, directly or not."""
    above = {name: name for name in faults}
    is_growing = True
    while is_growing:
        new = {
            model.name: above[ModelName(parent)]
            for model in graph.models
            for parent in (*model.depends_on, *model.others_looked_up)
            if ModelName(parent) in above and model.name not in above
        }
        above |= new
        is_growing = bool(new)
    return {name: cause for name, cause in above.items() if name != cause}
