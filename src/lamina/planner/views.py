"""Decide about the views of a catalog: defined once for each version of their query, after the tables they read."""

from collections.abc import Collection, Iterable

from lamina.compiler.graph import CompiledModel, Graph
from lamina.values.codec import content_hash
from lamina.values.facts import CatalogView, Facts, Head, ViewFacts
from lamina.values.interval import WHOLE
from lamina.values.names import TableName
from lamina.values.plan import UNCHANGED, Action, Block, Build, Rebuild, Selection, Skip, Wait
from lamina.values.words import listed

NOTHING = ViewFacts(status="absent")


def views_of(graph: Graph, selection: Selection) -> tuple[CompiledModel, ...]:
    """Return the models that are views of the catalog and that a selection takes in, in order."""
    ordered = (graph.model(name) for layer in graph.layers for name in layer)
    views = (model for model in ordered if model.is_view)
    if selection.models is None:
        return tuple(views)
    chosen = {*selection.models, *selection.upstreams}
    return tuple(model for model in views if model.name in chosen)


def definition_of(graph: Graph, model: CompiledModel) -> str:
    """Return a digest of all that the text of a view is made of: its query, its columns and the tables it names."""
    sources = {TableName(source.name): source.location for source in graph.sources}
    models = {TableName(item.name): item.target for item in graph.models}
    tables = [(use.name, models.get(use.name) or sources.get(use.name, "")) for use in model.inputs]
    return content_hash((model.fingerprint, model.columns, sorted(tables), model.settings.description))


def is_ours(view: CatalogView, *, project: str, store: str, environment: str) -> bool:
    """Return whether a view was defined by this project in this environment; its name or its state may be new."""
    return bool(view.model) and view.environment == environment and (view.project == project or view.store == store)


def view_facts(table: Head, view: CatalogView | None, *, is_own: bool) -> ViewFacts:
    """Return what is in the place of a view."""
    if table.pointer is not None:
        return ViewFacts(status="table", pointer=table.pointer)
    if view is None:
        return ViewFacts(status="absent")
    if not is_own:
        return ViewFacts(status="foreign", pointer=view.pointer)
    return ViewFacts(status="ours", pointer=view.pointer, definition=view.definition)


def decide_views(graph: Graph, facts: Facts, *, selection: Selection, actions: Iterable[Action]) -> tuple[Action, ...]:
    """Return what each selected view needs, given what is going to be built before it."""
    there = {name for name, head in facts.heads.items() if head.pointer is not None}
    there |= {TableName(action.model) for action in actions if isinstance(action, Build | Rebuild)}
    return tuple(
        decide_view(graph, model, facts.views.get(model.name, NOTHING), there=there, selection=selection)
        for model in views_of(graph, selection)
    )


def decide_view(
    graph: Graph, model: CompiledModel, facts: ViewFacts, *, there: Collection[TableName], selection: Selection
) -> Action:
    """Return what one view needs; `there` are the tables of models that have been built."""
    if (refusal := _refusal(model, facts)) is not None:
        return Block(model=model.name, intervals=(WHOLE,), reason=refusal, blocked_by=(model.name,))
    is_asked = selection.is_forced and model.name not in selection.upstreams
    if facts.definition == definition_of(graph, model) and not is_asked:
        return Skip(model=model.name, reason=UNCHANGED)
    missing = tuple(use.name for use in model.inputs if use.is_model and use.name not in there)
    if missing:
        return Wait(model=model.name, intervals=(WHOLE,), reason=f"{listed(missing)} is not built yet")
    return Build(model=model.name, intervals=(WHOLE,), reason=_reason(facts, is_asked=is_asked), mode="define")


def _reason(facts: ViewFacts, *, is_asked: bool) -> str:
    if facts.status == "absent":
        return "the catalog has no view of it yet"
    return "requested with `--force`" if is_asked else "the query of the view changed, or a table that it reads"


def _refusal(model: CompiledModel, facts: ViewFacts) -> str | None:
    """Return why a view may not be defined, with the way out."""
    match facts.status:
        case "table":
            return (
                f"`{model.target}` is still a table, with rows; `lamina drop {model.name}` drops it, and the next run "
                "defines the view, or give the view another name with `alias`"
            )
        case "foreign":
            return (
                f"the catalog has a view `{model.target}` that this project did not define; "
                "rename or drop it, or give the model another name with `alias`"
            )
        case _:
            return None
