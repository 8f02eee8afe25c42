"""A user's own query: names of the project become tables, ephemeral models are put before it; nothing is run."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.inline import Part, parts_of
from lamina.compiler.lineage import find_table
from lamina.compiler.link.parameters import ParameterValue, quoted, variable_values
from lamina.compiler.objects import compile_object, task_of_text
from lamina.compiler.render import Rendering, render_parts, verbatim
from lamina.compiler.resolve import Names
from lamina.compiler.rules import not_a_query, time_travel
from lamina.errors import UsageError
from lamina.planner.parameters import parameter_values
from lamina.planner.staleness import parameters_at
from lamina.project.model import ModelSettings
from lamina.project.source import SourceTable
from lamina.values.interval import WHOLE
from lamina.values.names import Fingerprint, ModelName, RunId, TableName, folded, same_name
from lamina.values.nearest import nearest
from lamina.values.value import Value

# Statements that only the catalog understands: DESCRIBE, SHOW, or a table as it once was.
_OF_THE_CATALOG = (not_a_query.RULE.code, time_travel.RULE.code)


class Question(Value, frozen=True):
    """A query as Spark gets it, and what must be there for it."""

    rendering: Rendering
    models: tuple[CompiledModel, ...] = ()  # whose tables it reads
    sources: tuple[SourceTable, ...] = ()
    views: dict[str, TableName] = {}  # names under which it expects the files of sources
    is_composed: bool = False  # it reads ephemeral models, which are put before it
    others: tuple[TableName, ...] = ()  # tables of the catalog that the project does not know


def question_of(
    graph: Graph, sql: str, *, catalog: str, tables_of: Mapping[TableName, TableName], execution_time: datetime
) -> Question:
    """Return a query with its names replaced by tables; a statement that is not a query is left as it is.

    `tables_of` are the tables of the catalog that sources are; a query reads other sources by views.
    """
    names = Names(
        (model.name for model in graph.models),
        (table.name for table in graph.sources),
        default_schema=graph.default_schema,
    )
    query = compile_object(task_of_text(sql, schema=graph.default_schema), names)
    if any(item.code in _OF_THE_CATALOG for item in query.diagnostics):
        return Question(rendering=verbatim(sql))
    if query.root < 0:
        raise UsageError(query.diagnostics[0].message, hint="write one Spark SQL query")
    read = tuple(_table(graph, names, parts=reference.parts, catalog=catalog) for reference in query.references)
    parts = (*_inlined(graph, read), Part(model=_as_model(graph, sql), query=query, references=read))
    tables = {table for part in parts for table in part.references if table is not None}
    models = tuple(model for model in graph.models if TableName(model.name) in tables and not model.is_ephemeral)
    sources = {TableName(item.name): item for item in graph.sources if TableName(item.name) in tables}
    views = {name: f"lamina_source_{number}" for number, name in enumerate(sorted(sources)) if name not in tables_of}
    others = tables - {TableName(model.name) for model in graph.models} - sources.keys()
    relations = {
        **{TableName(model.name): _path(catalog, model.target) for model in models},
        **{name: _path(catalog, tables_of[name]) for name in sources if name in tables_of},
        **views,
        **{name: _path(catalog, name) for name in others},
    }
    return Question(
        rendering=render_parts(parts, relations=relations, parameters=_parameters(graph, execution_time)),
        models=models,
        is_composed=len(parts) > 1,
        sources=tuple(sources.values()),
        views={view: name for name, view in views.items()},
        others=tuple(sorted(others)),
    )


def unknown_table(graph: Graph, name: TableName) -> UsageError:
    """Return the error for a name that neither the project nor the catalog has, with the nearest one they have."""
    known = [*(str(model.name) for model in graph.models), *(str(table.name) for table in graph.sources)]
    short = sorted({item.partition(".")[2] for item in known})
    near = nearest(name, known if "." in name else short)
    hint = f"did you mean `{near}`?" if near else "`lamina list` shows the models; `sources/` declares the sources"
    return UsageError(f"there is no model, source or table `{name}`", hint=hint)


def _table(graph: Graph, names: Names, *, parts: tuple[str, ...], catalog: str) -> TableName:
    """Return what a name means: a model or source, by its bare name too where only one has it, or a table."""
    if len(parts) > 2 and same_name(parts[0], catalog):
        parts = parts[1:]
    written = ".".join(parts)
    found = names.resolve(parts, schema=graph.default_schema) or find_table(graph, folded(written))
    if found is not None:
        return found
    same = _same_names(graph, written)
    if len(same) > 1:
        hint = "several have that name: " + ", ".join(f"`{name}`" for name in same)
        raise UsageError(f"`{written}` could be more than one table", hint=hint)
    if len(parts) == 1:
        raise unknown_table(graph, TableName(written))
    return TableName(written)


def _same_names(graph: Graph, bare: str) -> list[str]:
    known = [*(str(model.name) for model in graph.models), *(str(table.name) for table in graph.sources)]
    return [name for name in known if folded(name).partition(".")[2] == folded(bare)]


def _inlined(graph: Graph, tables: Iterable[TableName]) -> tuple[Part, ...]:
    """Return the ephemeral models among tables, each after those it reads."""
    models = {TableName(model.name): model for model in graph.models if model.is_ephemeral}
    parts = {part.model.name: part for table in tables if table in models for part in parts_of(graph, models[table])}
    return tuple(parts.values())


def _as_model(graph: Graph, sql: str) -> CompiledModel:
    """Return a query as the model it would be; no other model has a name without a schema."""
    return CompiledModel(
        name=ModelName("query"),
        kind="sql",
        path="query",
        text=sql,
        settings=ModelSettings(),
        target=TableName("query"),
        layer=len(graph.layers),
        depends_on=(),
        inputs=(),
        columns=None,
        lineage=(),
        fingerprint=Fingerprint(""),
    )


def _parameters(graph: Graph, execution_time: datetime) -> dict[str, ParameterValue]:
    run = parameters_at(execution_time, RunId("run-query"))
    return {**variable_values(graph.variables), **parameter_values(_as_model(graph, ""), run, span=WHOLE)}


def _path(catalog: str, table: str) -> str:
    return ".".join(quoted(part) for part in (catalog, *table.split(".")))
