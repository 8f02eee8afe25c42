"""What a model under test reads: tables and sources, and the ephemeral models in between."""

from collections.abc import Container, Iterable

from lamina.compiler.graph import CompiledModel, Graph
from lamina.values.names import TableName, folded
from lamina.values.schema import Schema


def every_input(graph: Graph, model: CompiledModel) -> tuple[TableName, ...]:
    """Return all that a test may give rows of: inputs, ephemeral ones, and what those read."""
    return _reached(graph, model, given=(), is_seen_through=True)


def needed_inputs(graph: Graph, model: CompiledModel, given: Container[TableName]) -> tuple[TableName, ...]:
    """Return the inputs whose rows a test needs: an ephemeral one only where rows are given, else what it reads."""
    return _reached(graph, model, given=given, is_seen_through=False)


def _reached(
    graph: Graph, model: CompiledModel, *, given: Container[TableName], is_seen_through: bool
) -> tuple[TableName, ...]:
    models = {TableName(item.name): item for item in graph.models}
    own = TableName(model.name)
    found: dict[TableName, None] = {}
    pending = list(_read_by(model))
    while pending:
        name = pending.pop(0)
        if name in found:
            continue
        inner = models.get(name)
        is_inlined = inner is not None and inner.is_ephemeral and name != own and name not in given
        if inner is not None and is_inlined:
            pending.extend(_read_by(inner))
        if is_seen_through or not is_inlined:
            found[name] = None
    return tuple(sorted(found))


def _read_by(model: CompiledModel) -> Iterable[TableName]:
    own = (TableName(model.name),) if model.reads_itself else ()
    return (*model.depends_on, *own)


def columns_of(graph: Graph, table: TableName) -> Schema | None:
    """Return the columns of a model or source, None where they are not known."""
    for model in graph.models:
        if TableName(model.name) == table:
            return model.columns
    return next((source.columns for source in graph.sources if TableName(source.name) == table), ()) or None


def named(name: str, known: Iterable[TableName]) -> TableName | None:
    """Return the table that a name means: a full name, or a bare one that only one of them has."""
    every = tuple(known)
    full = [item for item in every if folded(item) == folded(name)]
    bare = [item for item in every if folded(item).rpartition(".")[2] == folded(name)]
    return full[0] if full else bare[0] if len(bare) == 1 else None
