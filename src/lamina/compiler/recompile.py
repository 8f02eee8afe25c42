"""Compile a project of which only the text of queries changed: what did not change is taken as it was."""

from lamina.compiler.batch_filters import filter_inputs
from lamina.compiler.cache import Compilation, Memory, StoredLink, StoredReference, linked_of, query_of, references_of
from lamina.compiler.compile import graph_of_pass, model_names
from lamina.compiler.graph import Graph
from lamina.compiler.link.linked import Linked
from lamina.compiler.linking import Linking
from lamina.compiler.objects import RunTasks, task_of
from lamina.compiler.resolve import names_of
from lamina.compiler.rules import (
    cyclic_dependency,
    duplicate_target,
    renamed_from_present,
    renamed_from_twice,
    unknown_dependency,
)
from lamina.project.project import Project
from lamina.values.names import TableName

NAME_CODES = {
    rule.RULE.code
    for rule in (cyclic_dependency, duplicate_target, renamed_from_present, renamed_from_twice, unknown_dependency)
}


def recompile(project: Project, memory: Memory, head: Graph, *, run: RunTasks) -> Compilation | None:
    """Return the graph and what was made again; None where queries read other tables than before, or names are wrong.

    The project must be that of `memory` and `head` but for its queries, with the same columns in its sources.
    """
    if any(item.code in NAME_CODES for item in head.diagnostics):
        return None
    filtered = filter_inputs(project, head.sources)
    project, names = filtered.project, names_of(project)
    files = {model.name: model for model in project.models}
    before = [(linked_of(link), link) for link in memory.links.values()]
    before.sort(key=lambda pair: (pair[0].model.layer, pair[0].model.name))
    # With the same settings as before, another object can only come from another text.
    edited = [name for linked, _ in before if files[name := linked.model.name].text != linked.model.text]
    tasks = {name: task_of(files[name]) for name in edited}
    made = run([*tasks.values()], names)
    linking = Linking(project, head.sources, query=lambda key: query_of(made if key in made else memory.objects, key))
    links: dict[str, StoredLink] = {}
    for linked, known in before:
        name = linked.model.name
        if name not in tasks and not linking.has_news_for(_seen_by(linked)):
            linking.keep(files[name], linked, known)
            continue
        key = tasks[name].key if name in tasks else known.object_key
        references = known.references
        if key not in made:
            if key and key not in memory.objects:
                return None
        elif _read(references := references_of(made, key)) != _read(known.references):
            return None
        links[name] = linking.add(
            files[name],
            model_names(files[name], references, names, found=[]),
            layer=linked.model.layer,
            object_key=key,
            references=references,
            known=known,
        )
    graph = graph_of_pass(project, linking, layers=head.layers, found=())
    return Compilation(graph.replace(diagnostics=filtered.as_written(graph.diagnostics)), links, made)


def _seen_by(linked: Linked) -> tuple[TableName, ...]:
    """Return the tables whose columns and settings the findings of a model depend on."""
    return (*linked.model.depends_on, *linked.model.others_looked_up)


def _read(references: tuple[StoredReference, ...]) -> list[str]:
    return [reference.name for reference in references]
