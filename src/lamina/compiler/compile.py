"""Compile a project, then link it: objects per file, names, layers, and one pass in topological order."""

from collections.abc import Callable, Iterable, Mapping

from lamina.compiler.graph import Graph
from lamina.compiler.layers import Layers, arrange
from lamina.compiler.linked import Linked, ModelNames, Surroundings, link_other, link_query, target_of
from lamina.compiler.object import QueryObject
from lamina.compiler.places import place_at
from lamina.compiler.resolve import Names, names_of
from lamina.compiler.rules import cyclic_dependency, duplicate_target, unknown_dependency
from lamina.project.model import ModelFile
from lamina.project.project import Project
from lamina.project.source import SourceTable
from lamina.project.strategy import Ephemeral, Incremental, Merge
from lamina.values.diagnostic import Diagnostic, Place, sort_diagnostics
from lamina.values.names import ModelName, TableName
from lamina.values.schema import Schema

SourceSchema = Callable[[SourceTable], Schema | None]
Objects = Mapping[ModelName, QueryObject]


def link_project(project: Project, objects: Objects, *, source_schema: SourceSchema) -> Graph:
    """Return the graph of a project whose queries have been compiled."""
    known = names_of(project)
    found = list(project.diagnostics)
    names = {model.name: _names(model, objects.get(model.name), known, found=found) for model in project.models}
    order = arrange(_reads(project, names))
    files = {model.name: model for model in project.models}
    found.extend(_loop(loop, files) for loop in order.loops)
    found.extend(_duplicate_targets(project.models))
    sources = tuple(_with_columns(table, source_schema) for table in project.sources)
    linked = _link_all(files, objects, names, order=order, sources=sources, project=project)
    models = sorted((item.model for item in linked), key=lambda model: model.name)
    for item in linked:
        found.extend(item.diagnostics)
    return Graph(
        project=project.name,
        models=tuple(models),
        sources=sources,
        layers=tuple(tuple(ModelName(name) for name in layer) for layer in order.layers),
        diagnostics=sort_diagnostics(found),
        default_schema=project.default_schema,
        variables=project.variables,
    )


def _link_all(
    files: Mapping[ModelName, ModelFile],
    objects: Objects,
    names: Mapping[ModelName, ModelNames],
    *,
    order: Layers,
    sources: tuple[SourceTable, ...],
    project: Project,
) -> list[Linked]:
    schemas: dict[str, Schema | None] = {table.name: table.columns or None for table in sources}
    ephemeral: dict[str, Linked] = {}
    around = Surroundings(
        schemas,
        ephemeral,
        variables={item.name: item for item in project.variables},
        modules={item.path: item.text for item in project.modules},
        models=frozenset(name.lower() for name in files),
    )
    linked: list[Linked] = []
    placed = [(ModelName(name), number) for number, layer in enumerate(order.layers) for name in layer]
    in_layers = {name for name, _ in placed}
    placed.extend((name, len(order.layers)) for name in sorted(files) if name not in in_layers)
    for name, layer in placed:
        item = link_model(files[name], objects.get(name), names[name], around=around, layer=layer)
        schemas[name] = item.model.columns
        if isinstance(item.model.settings.strategy, Ephemeral):
            ephemeral[name] = item
        linked.append(item)
    return linked


def link_model(
    file: ModelFile, query: QueryObject | None, names: ModelNames, *, around: Surroundings, layer: int
) -> Linked:
    """Return one model linked against what is around it."""
    if query is None:
        return link_other(file, names, around=around, layer=layer)
    return link_query(file, query, names, around=around, layer=layer)


def _names(file: ModelFile, query: QueryObject | None, known: Names, *, found: list[Diagnostic]) -> ModelNames:
    schema = file.name.partition(".")[0]
    references: list[str] = []
    for reference in query.references if query is not None else ():
        table = known.resolve(reference.parts, schema=schema)
        if table is None:
            place = place_at(file.text, reference.start).replace(file=file.path)
            found.append(_unknown(reference.parts, known, place=place, file=file))
        references.append(table or ".".join(reference.parts))
    declared: list[TableName] = []
    for position, written in enumerate(file.settings.depends_on):
        table = known.resolve(tuple(written.split(".")), schema=schema)
        if table is None:
            place = file.places.of(f"depends_on.{position}")
            found.append(_unknown(tuple(written.split(".")), known, place=place, file=file))
        else:
            declared.append(table)
    strategy = file.settings.strategy
    written_names = [*file.settings.inputs]
    if isinstance(strategy, Incremental | Merge) and strategy.driver is not None:
        written_names.append(strategy.driver)
    settings = {name.lower(): known.resolve(tuple(name.split(".")), schema=schema) for name in written_names}
    return ModelNames(
        tuple(references), tuple(declared), {name: table for name, table in settings.items() if table is not None}
    )


def _unknown(parts: tuple[str, ...], known: Names, *, place: Place, file: ModelFile) -> Diagnostic:
    schema = file.name.partition(".")[0]
    close = known.nearest(parts, schema=schema)
    return unknown_dependency.finding(".".join(parts), place=place, model=file.name, nearest=close)


def _reads(project: Project, names: Mapping[ModelName, ModelNames]) -> dict[str, tuple[str, ...]]:
    """Return the models each model reads; sources and unknown names order nothing."""
    models = {model.name for model in project.models}
    return {
        name: tuple(sorted({item for item in (*own.references, *own.declared) if item in models}))
        for name, own in names.items()
    }


def _loop(loop: tuple[str, ...], files: Mapping[ModelName, ModelFile]) -> Diagnostic:
    first = files[ModelName(loop[0])]
    return cyclic_dependency.finding(loop, place=Place(file=first.path))


def _duplicate_targets(models: Iterable[ModelFile]) -> Iterable[Diagnostic]:
    owners: dict[str, ModelName] = {}
    for model in models:
        if isinstance(model.settings.strategy, Ephemeral):
            continue
        target = target_of(model)
        other = owners.setdefault(target.lower(), model.name)
        if other != model.name and other.lower() != model.name.lower():
            place = model.places.of("alias" if model.settings.alias else "schema")
            yield duplicate_target.finding(target, place=place, model=model.name, other=other)


def _with_columns(table: SourceTable, source_schema: SourceSchema) -> SourceTable:
    if table.columns:
        return table
    return table.replace(columns=source_schema(table) or ())
