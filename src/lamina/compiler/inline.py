"""Which ephemeral models a query needs, in order, and under which CTE names they can be put before it."""

from collections.abc import Mapping

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.objects import compile_object, task_of_text
from lamina.compiler.query.object import QueryObject
from lamina.compiler.resolve import Names
from lamina.values.names import ModelName, TableName
from lamina.values.value import Value


class Part(Value, frozen=True):
    """One query of a rendering: a model's text, its object, and what its references mean."""

    model: CompiledModel
    query: QueryObject
    references: tuple[TableName | None, ...]


def parts_of(graph: Graph, model: CompiledModel) -> tuple[Part, ...]:
    """Return the ephemeral models below a model, each after those it reads, and the model last."""
    names = Names(
        (item.name for item in graph.models),
        (table.name for table in graph.sources),
        default_schema=graph.default_schema,
    )
    models = {item.name: item for item in graph.models}
    inlined = {item.name for item in graph.models if item.is_ephemeral}
    found: dict[ModelName, Part] = {}
    done: dict[ModelName, Part] = {}
    pending = [(model.name, False)]
    while pending:
        name, is_left = pending.pop()
        if is_left:
            done[name] = found[name]
        elif name not in found:
            part = found[name] = _part(models[name], names)
            needed = {ModelName(item) for item in part.references if item is not None} & inlined
            pending.append((name, True))
            pending.extend((item, False) for item in sorted(needed, reverse=True))
    return tuple(done.values())


def cte_names(parts: tuple[Part, ...]) -> Mapping[TableName, str]:
    """Return a CTE name for each part but the last: none that any of the queries uses for anything."""
    taken = {name.lower() for part in parts for name in part.query.cte_names}
    taken |= {relation.alias.lower() for part in parts for relation in part.query.relations}
    taken |= {reference.parts[-1].lower() for part in parts for reference in part.query.references}
    names: dict[TableName, str] = {}
    for part in parts[:-1]:
        base = part.model.name.replace(".", "__")
        name, number = base, 1
        while name.lower() in taken:
            number += 1
            name = f"{base}_{number}"
        taken.add(name.lower())
        names[TableName(part.model.name)] = name
    return names


def _part(model: CompiledModel, names: Names) -> Part:
    schema = model.name.partition(".")[0]
    query = compile_object(task_of_text(model.text, schema=schema), names)
    references = tuple(names.resolve(item.parts, schema=schema) for item in query.references)
    return Part(model=model, query=query, references=references)
