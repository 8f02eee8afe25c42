"""Compile a project: objects of its queries, names, layers, then one linking pass in topological order.

What an earlier compilation did, and what is still right, is not done again.
"""

from collections.abc import Iterable, Mapping

from lamina.compiler.batch_filters import filter_inputs
from lamina.compiler.cache import Compilation, Memory, StoredLink, StoredReference, query_of, references_of
from lamina.compiler.check import check_project
from lamina.compiler.graph import Graph
from lamina.compiler.layers import arrange
from lamina.compiler.link.link_model import ModelNames, target_of
from lamina.compiler.linking import Linking
from lamina.compiler.objects import ObjectTask, RunTasks, task_of
from lamina.compiler.query.places import place_at
from lamina.compiler.resolve import Names, names_of
from lamina.compiler.rules import (
    cyclic_dependency,
    duplicate_target,
    renamed_from_present,
    renamed_from_twice,
    unknown_dependency,
    unknown_function,
    wrong_argument_count,
)
from lamina.project.model import ModelFile
from lamina.project.project import Project
from lamina.project.source import SourceSchema, SourceTable
from lamina.strategies.table import traits_of
from lamina.values.codec import Packed
from lamina.values.diagnostic import Diagnostic, Place, sort_diagnostics
from lamina.values.names import ModelName, TableName, same_name

References = tuple[StoredReference, ...]

ABOUT_FUNCTIONS = frozenset({unknown_function.RULE.code, wrong_argument_count.RULE.code})
"""Findings that say nothing where a project may bring functions of its own."""


def compile_models(project: Project, memory: Memory, *, source_schema: SourceSchema, run: RunTasks) -> Compilation:
    """Return the graph of a project; everything wrong with its queries is inside."""
    # A graph is stored and compared; where a source is written is not a part of it.
    sources = tuple(_with_columns(table, source_schema).replace(places=None) for table in project.sources)
    filtered = filter_inputs(project, sources)
    project, names = filtered.project, names_of(project)
    tasks = {model.name: task_of(model) for model in project.models if model.kind == "sql"}
    objects = _objects(tasks, memory, names=names, run=run)
    references = {name: _references(name, task, memory, objects=objects) for name, task in tasks.items()}
    found: list[Diagnostic] = []
    resolved = {
        model.name: model_names(model, references.get(model.name, ()), names, found=found) for model in project.models
    }
    order = arrange(_reads(project, resolved))
    files = {model.name: model for model in project.models}
    found.extend(_loop(loop, files, references) for loop in order.loops)
    found.extend(_duplicate_targets(project.models))
    found.extend(_contradictory_renames(project.models))
    linking = Linking(project, sources, query=lambda key: query_of(objects, key))
    placed = [(ModelName(name), number) for number, layer in enumerate(order.layers) for name in layer]
    in_layers = {name for name, _ in placed}
    placed.extend((name, len(order.layers)) for name in sorted(files) if name not in in_layers)
    links: dict[str, StoredLink] = {}
    for name, layer in placed:
        task = tasks.get(name)
        links[name] = linking.add(
            files[name],
            resolved[name],
            layer=layer,
            object_key=task.key if task is not None else "",
            references=references.get(name, ()),
            known=memory.links.get(name),
        )
    layers = tuple(tuple(ModelName(name) for name in layer) for layer in order.layers)
    graph = graph_of_pass(project, linking, layers=layers, found=found)
    return Compilation(graph.replace(diagnostics=filtered.as_written(graph.diagnostics)), links, objects)


def graph_of_pass(
    project: Project, linking: Linking, *, layers: tuple[tuple[ModelName, ...], ...], found: Iterable[Diagnostic]
) -> Graph:
    """Return the graph after the last model was added to a linking pass; `found` is what is wrong with its names."""
    found = [*project.diagnostics, *found]
    found.extend(item for linked in linking.linked for item in linked.diagnostics)
    found.extend(check_project(linking.linked, project.sources))
    if project.adds_functions:
        found = [item for item in found if item.code not in ABOUT_FUNCTIONS]
    return Graph(
        project=project.name,
        models=tuple(sorted((item.model for item in linking.linked), key=lambda model: model.name)),
        sources=linking.sources,
        layers=layers,
        diagnostics=sort_diagnostics(found),
        default_schema=project.default_schema,
        variables=project.variables,
    )


def _objects(
    tasks: Mapping[ModelName, ObjectTask], memory: Memory, *, names: Names, run: RunTasks
) -> dict[str, Packed]:
    """Return the object of every query, packed, by key; only those that the memory does not have are made."""
    known: dict[str, Packed] = {}
    wanted: dict[str, ObjectTask] = {}
    for name, task in tasks.items():
        packed = memory.objects.get(task.key)
        if packed is None or not _is_current(name, task, memory, names=names):
            wanted[task.key] = task
        else:
            known[task.key] = packed
    return {**known, **run(list(wanted.values()), names)} if wanted else known


def _is_current(name: str, task: ObjectTask, memory: Memory, *, names: Names) -> bool:
    """Return whether every name in a remembered query still means what it meant."""
    link = memory.links.get(name)
    if link is not None and link.object_key == task.key:
        references = link.references
    else:
        references = references_of(memory.objects, task.key)
    return all(names.full_name(item.parts, schema=task.schema) == item.name for item in references)


def _references(name: str, task: ObjectTask, memory: Memory, *, objects: Mapping[str, Packed]) -> References:
    link = memory.links.get(name)
    if link is not None and link.object_key == task.key and objects[task.key] is memory.objects.get(task.key):
        return link.references
    return references_of(objects, task.key)


def model_names(file: ModelFile, references: References, known: Names, *, found: list[Diagnostic]) -> ModelNames:
    """Return what the names of a model mean; those that mean nothing are noted."""
    schema = file.name.partition(".")[0]
    for reference in references:
        if known.resolve(reference.parts, schema=schema) is None:
            place = place_at(file.text, reference.start).replace(file=file.path)
            found.append(_unknown(reference.parts, known, place=place, file=file))
    declared: list[TableName] = []
    for position, written in enumerate(file.settings.depends_on):
        table = known.resolve(tuple(written.split(".")), schema=schema)
        if table is None:
            place = file.places.of(f"depends_on.{position}")
            found.append(_unknown(tuple(written.split(".")), known, place=place, file=file))
        else:
            declared.append(table)
    looked_up: dict[str, TableName] = {}
    for position, check in enumerate(file.settings.checks):
        if check.to is None:
            continue
        table = known.resolve(tuple(check.to.split(".")), schema=schema)
        if table is None:
            place = file.places.of(f"checks.{position}.to")
            found.append(_unknown(tuple(check.to.split(".")), known, place=place, file=file))
        else:
            looked_up[check.to] = table
    driver = traits_of(file.settings.strategy).driver
    written_names = [*file.settings.inputs]
    if driver is not None and driver.named is not None:
        written_names.append(driver.named)
    settings = {name.lower(): known.resolve(tuple(name.split(".")), schema=schema) for name in written_names}
    return ModelNames(
        tuple(reference.name for reference in references),
        tuple(declared),
        {name: table for name, table in settings.items() if table is not None},
        looked_up,
    )


def _unknown(parts: tuple[str, ...], known: Names, *, place: Place, file: ModelFile) -> Diagnostic:
    schema = file.name.partition(".")[0]
    if known.is_disabled(parts, schema=schema):
        return unknown_dependency.finding_of_disabled(".".join(parts), place=place, model=file.name)
    same = known.elsewhere(parts[0]) if len(parts) == 1 else ()
    if len(same) > 1:
        return unknown_dependency.finding_of_ambiguous(parts[0], place=place, model=file.name, candidates=same)
    close = known.nearest(parts, schema=schema)
    return unknown_dependency.finding(".".join(parts), place=place, model=file.name, nearest=close)


def _reads(project: Project, names: Mapping[ModelName, ModelNames]) -> dict[str, tuple[str, ...]]:
    """Return what each model is built after: the models that it reads, and those its checks look values up in.

    Sources and unknown names order nothing, nor does a model's own past or its own table in a check.
    """
    models = {model.name for model in project.models}
    sliced = {model.name for model in project.models if traits_of(model.settings.strategy).slices is not None}
    found: dict[str, tuple[str, ...]] = {}
    for name, own in names.items():
        read = {item for item in (*own.references, *own.declared) if not (item == name and name in sliced)}
        looked_up = set(own.looked_up.values()) - {TableName(name)}
        found[name] = tuple(sorted(item for item in read | looked_up if item in models))
    return found


def _loop(
    loop: tuple[str, ...], files: Mapping[ModelName, ModelFile], references: Mapping[ModelName, References]
) -> Diagnostic:
    """Return the finding for a loop, at the place where its first model reads the next one."""
    first = files[ModelName(loop[0])]
    following = loop[1 % len(loop)]
    read = next((item for item in references.get(first.name, ()) if item.name == following), None)
    if read is not None:
        place = place_at(first.text, read.start).replace(file=first.path)
    else:
        place = _place_of_check(first, following) or Place(file=first.path)
    return cyclic_dependency.finding(loop, place=place)


def _place_of_check(file: ModelFile, table: str) -> Place | None:
    """Return where a check looks values up in a table, if one does."""
    bare = table.rpartition(".")[2]
    named = (number for number, check in enumerate(file.settings.checks) if check.to is not None)
    found = (number for number in named if str(file.settings.checks[number].to).lower().endswith(bare.lower()))
    return next((file.places.of(f"checks.{number}.to") for number in found), None)


def _duplicate_targets(models: Iterable[ModelFile]) -> Iterable[Diagnostic]:
    owners: dict[str, ModelName] = {}
    for model in models:
        traits = traits_of(model.settings.strategy)
        if not traits.has_table and not traits.is_defined:
            continue
        target = target_of(model)
        other = owners.setdefault(target.lower(), model.name)
        if other != model.name and not same_name(other, model.name):
            place = model.places.of("alias" if model.settings.alias else "schema")
            yield duplicate_target.finding(target, place=place, model=model.name, other=other)


def _contradictory_renames(models: Iterable[ModelFile]) -> Iterable[Diagnostic]:
    """Yield each model whose former name a model of the project has, or another one claims as well."""
    files = tuple(models)
    names = {model.name.lower() for model in files}
    renamed = [(model, model.settings.renamed_from) for model in files if model.settings.renamed_from is not None]
    for model, before in renamed:
        place = model.places.of("renamed_from")
        if before.lower() in names:
            yield renamed_from_present.finding(before, place=place, model=model.name)
        claims = (item.name for item, name in renamed if item is not model and same_name(name, before))
        if (other := next(claims, None)) is not None:
            yield renamed_from_twice.finding(before, place=place, model=model.name, other=other)


def _with_columns(table: SourceTable, source_schema: SourceSchema) -> SourceTable:
    if table.columns:
        return table
    return table.replace(columns=source_schema(table) or (), is_inferred=True)
