"""The verb that compares two tables, or two versions of one; nothing is changed."""

from lamina.api.engine import Engine, open_known
from lamina.api.opened import Opened
from lamina.compiler.graph import CompiledModel
from lamina.errors import LaminaError, UsageError
from lamina.planner.broken import with_promoted
from lamina.planner.question import unknown_table
from lamina.planner.select import find_model, table_named
from lamina.values.event import StepFinished, StepStarted
from lamina.values.names import ModelName, Position, TableName
from lamina.values.table_diff import DiffResult, TableDiff
from lamina.values.value import Value
from lamina.warehouse.sources.kinds import catalog_tables


class Side(Value, frozen=True):
    """One of the two tables, at a version."""

    table: TableName
    position: Position
    name: str  # for people
    model: CompiledModel | None = None


def diff_project_tables(
    project: Opened, left: str, right: str, *, keys: tuple[str, ...], limit: int, is_strict: bool
) -> DiffResult:
    """Compare two tables by a key: the one that is given, or the `unique_key` of a model; else as bags of rows."""
    if limit < 0:
        raise UsageError(f"`--limit {limit}` is below 0", hint="0 shows no rows")
    with open_known(project) as engine:
        sides = tuple(_side(engine, text) for text in (left, right))
        chosen = keys or _own_key(sides)
        return DiffResult(
            left=sides[0].name,
            right=sides[1].name,
            tables=(_compared(engine, sides, chosen, limit=limit),),
            is_strict=is_strict,
        )


def _compared(engine: Engine, sides: tuple[Side, ...], keys: tuple[str, ...], *, limit: int) -> TableDiff:
    left, right = sides
    if (left.table, left.position) == (right.table, right.position):
        return TableDiff(table=left.table, status="equal", notes=("both are the same version: no row was read",))
    subject = ModelName(left.table)
    engine.runtime.emit(StepStarted(model=subject, intervals=(), reason=f"comparing with {right.name}"))
    found = engine.warehouse.diff_tables(
        (left.table, left.position), (right.table, right.position), keys=keys, limit=limit
    )
    engine.runtime.emit(StepFinished(model=subject, status="skipped", reason=found.status))
    return found


def _side(engine: Engine, text: str) -> Side:
    """Find the table and the version that a text names: `orders`, `sales.orders@previous`, `sales.orders@run-...`."""
    name, _, version = text.partition("@")
    graph = with_promoted(engine.graph, engine.whole)
    found = find_model(graph, name)
    model = table_named(graph, name) if found is not None else None
    table = model.target if model is not None else _other_table(engine, name)
    if engine.warehouse.heads([table])[table].pointer is None:
        if model is None:
            raise unknown_table(graph, TableName(name))
        raise LaminaError(f"`{model.name}` is not built yet", hint=f"`lamina run -s {model.name}` builds it")
    position = engine.warehouse.version(table, version or None)
    return Side(
        table=table, position=position, name=f"{model.name if model is not None else table}@{position}", model=model
    )


def _other_table(engine: Engine, name: str) -> TableName:
    """Return the table of an Iceberg source, or one of the catalog; files have no versions."""
    tables = catalog_tables(engine.graph.sources)
    if TableName(name) in tables:
        return tables[TableName(name)]
    if any(source.name == name for source in engine.graph.sources):
        raise UsageError(f"`{name}` is a source of files, not a table", hint="compare a model that reads it")
    if name.count(".") != 1:
        raise unknown_table(engine.graph, TableName(name))
    return TableName(name)


def _own_key(sides: tuple[Side, ...]) -> tuple[str, ...]:
    """Return the key that both models declare; of another table, the one of the model that it is compared with."""
    keys = {side.model.traits.row_key for side in sides if side.model is not None and side.model.traits.row_key}
    return tuple(next(iter(keys))) if len(keys) == 1 else ()
