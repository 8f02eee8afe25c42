"""Small compiled graphs written by hand: only what a diff looks at."""

from typing import Any

from lamina.compiler.graph import CompiledModel, Graph, InputUse, LineageEdge
from lamina.compiler.identity.canonical import canonical
from lamina.compiler.identity.fingerprint import local
from lamina.compiler.query.parse import Parsed, parse
from lamina.project.model import ModelSettings
from lamina.project.strategy import Ephemeral
from lamina.values.names import ColumnName, ModelName, TableName
from lamina.values.schema import Column, DataType


def model(
    name: str,
    text: str,
    *,
    columns: str | None = None,
    reads: dict[str, str | None] | None = None,
    deciding: dict[str, str] | None = None,
    lineage: dict[str, str] | None = None,
    settings: ModelSettings | None = None,
    **facts: Any,
) -> CompiledModel:
    """Return a model; `columns` as `a int, b string`, `lineage` as `a` to `t.a`.

    `reads` gives the columns read of each input, `deciding` those of them that decide the rows.
    """
    parsed = parse(text)
    assert isinstance(parsed, Parsed)
    settings = settings or ModelSettings()
    inlined = facts.pop("inlined", {})
    fingerprint = local(
        settings,
        code=canonical(parsed.tree),
        kind="sql",
        relations={},
        join_columns=(),
        variables=facts.pop("variables", ()),
        modules={},
        inlined={TableName(item.name): item.fingerprint for item in inlined},
    )
    return CompiledModel(
        name=ModelName(name),
        kind="sql",
        path=f"models/{name.replace('.', '/')}.sql",
        text=text,
        settings=settings,
        target=TableName(name),
        layer=0,
        depends_on=(*map(TableName, reads or {}), *(TableName(item.name) for item in inlined)),
        inputs=tuple(_use(table, read, (deciding or {}).get(table, "")) for table, read in (reads or {}).items()),
        columns=_schema(columns),
        lineage=tuple(_edge(column, source) for column, source in (lineage or {}).items()),
        fingerprint=fingerprint,
        **facts,
    )


def graph(*models: CompiledModel) -> Graph:
    """Return a graph of these models."""
    return Graph(project="shop", models=models, sources=(), layers=(), diagnostics=())


def ephemeral(name: str, text: str) -> CompiledModel:
    """Return a model that is inlined in its readers."""
    return model(name, text, settings=ModelSettings(strategy=Ephemeral()))


def _use(table: str, read: str | None, deciding: str) -> InputUse:
    read_set = None if read is None else tuple(ColumnName(name) for name in read.split())
    row_set = tuple(ColumnName(name) for name in deciding.split())
    return InputUse(name=TableName(table), is_model=True, read_set=read_set, row_set=row_set)


def _schema(columns: str | None) -> tuple[Column, ...] | None:
    if columns is None:
        return None
    pairs = [item.split() for item in columns.split(", ")]
    return tuple(Column(name=ColumnName(name), type=DataType(kind)) for name, kind in pairs)


def _edge(column: str, source: str) -> LineageEdge:
    table, _, input_column = source.rpartition(".")
    return LineageEdge(
        column=ColumnName(column), input=TableName(table), input_column=ColumnName(input_column), kind="direct"
    )
