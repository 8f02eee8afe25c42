"""Gather what the rules need to know about one linked model: its composed shape and the facts of its inputs."""

from collections.abc import Iterator, Mapping

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.compiler.link.link_model import ModelNames
from lamina.compiler.link.linked import Linked
from lamina.compiler.query.object import QueryObject, SelectScope, Star, TableRelation
from lamina.compiler.query.operators import QueryShape
from lamina.compiler.slices.composition import Inlined, compose, resolve
from lamina.compiler.slices.units import SECOND
from lamina.compiler.slices.verdict import InputFacts
from lamina.compiler.subject import Subject
from lamina.project.model import ModelFile, ModelSettings
from lamina.project.source import SourceTable
from lamina.strategies.table import traits_of
from lamina.values.names import ColumnName, TableName
from lamina.values.schema import UNKNOWN, Schema

TIMES = frozenset({"date", "timestamp", "timestamp_ntz"})

Schemas = Mapping[str, Schema | None]
Tables = Mapping[str, SourceTable | ModelSettings]  # sources and models by name


def resolved_shape(query: QueryObject, names: ModelNames) -> QueryShape | None:
    """Return the shape of a query whose relations carry the names of tables; None if it has none."""
    if query.shape is None:
        return None
    written = [".".join(reference.parts).lower() for reference in query.references]
    return resolve(query.shape, dict(zip(written, (TableName(name) for name in names.references), strict=True)))


def composed_shape(shape: QueryShape, ephemeral: Mapping[str, Linked]) -> QueryShape | None:
    """Return a resolved shape with the ephemeral models below it put in; None if one of them has none."""

    def find(name: str) -> Inlined | None:
        linked = ephemeral.get(name)
        return Inlined(linked.shape, linked.model.path) if linked is not None else None

    return compose(shape, find)


def subject_of(
    file: ModelFile,
    model: CompiledModel,
    *,
    query: QueryObject | None,
    names: tuple[str, ...],
    ephemeral: Mapping[str, Linked],
    shape: QueryShape | None,
    schemas: Schemas,
    tables: Tables,
) -> Subject:
    """Return a model as the rules look at it."""
    # Most models are rebuilt whole and need no proof: of their inputs only the keys count.
    facts = facts_of if shape is not None else _keys_only
    inputs = {str(use.name): facts(use, schemas.get(use.name), tables.get(use.name)) for use in model.inputs}
    inputs |= {
        str(use.name): facts_of(use.replace(window_after_seconds=0), model.columns, model.settings).replace(
            is_past=True
        )
        for use in model.inputs
        if model.is_own(use)
    }
    return Subject(file, model, query, names, ephemeral, shape, inputs, schemas)


def facts_of(use: InputUse, schema: Schema | None, table: SourceTable | ModelSettings | None) -> InputFacts:
    """Return the facts of one input."""
    return InputFacts(
        name=use.name,
        time_column=_time_column(table),
        columns=tuple(column.name for column in schema) if schema is not None else None,
        dates=frozenset(column.name for column in schema or () if column.type == "date"),
        timeless=frozenset(column.name for column in schema or () if column.type not in (*TIMES, UNKNOWN)),
        present=frozenset(column.name for column in schema or () if column.type in TIMES and not column.nullable),
        window=use.window_seconds * SECOND if use.window_seconds or use.window_after_seconds else None,
        window_after=use.window_after_seconds * SECOND,
        keeps=use.on_touch == "keep",
        is_driver=use.is_driver,
        keys=tuple(_keys(table, schema)),
    )


def _keys_only(use: InputUse, schema: Schema | None, table: SourceTable | ModelSettings | None) -> InputFacts:
    return InputFacts(name=use.name, keeps=use.on_touch == "keep", keys=tuple(_keys(table, schema)))


def _time_column(table: SourceTable | ModelSettings | None) -> ColumnName | None:
    if isinstance(table, SourceTable):
        return table.time_column
    slices = traits_of(table.strategy).slices if table is not None else None
    return slices.time_column if slices is not None else None


def _keys(table: SourceTable | ModelSettings | None, schema: Schema | None) -> Iterator[tuple[str, ...]]:
    """Yield the sets of columns that no two rows of a model share: each build makes sure of it for the whole table."""
    if not isinstance(table, ModelSettings):
        return
    if key := traits_of(table.strategy).row_key:
        yield tuple(name.lower() for name in key)
    if not table.checks:
        return
    filled = {column.name.lower() for column in schema or () if not column.nullable}
    filled |= {name for check in table.checks if check.type == "not_null" and check.is_strict for name in check.names}
    for check in table.checks:
        is_key = check.type == "unique" and check.is_strict and check.scope == "table"
        # To the check a null is like no other value; to an order nulls are alike.
        if is_key and filled.issuperset(check.names):
            yield check.names


def table_stars(query: QueryObject) -> Iterator[int]:
    """Yield where the result of a query takes every column of a table."""
    scope = query.scopes[query.root] if query.root >= 0 else None
    if not isinstance(scope, SelectScope):
        return
    for output in scope.outputs:
        if isinstance(output, Star):
            starred = scope.relations if output.relation < 0 else (output.relation,)
            if any(isinstance(query.relations[number], TableRelation) for number in starred):
                yield output.start
