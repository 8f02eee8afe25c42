"""Who reads what changed: the models and columns downstream of a change, by read sets and lineage."""

from collections.abc import Iterable

from lamina.compiler.graph import CompiledModel, Graph, InputUse
from lamina.values.change import Affected
from lamina.values.names import ColumnName, ModelName, TableName

Columns = frozenset[ColumnName] | None  # None: all of them, and the rows


class Readers:
    """The models that read each table, in either of two versions of a project."""

    def __init__(self, *graphs: Graph) -> None:
        self._by_input: dict[TableName, list[CompiledModel]] = {}
        for graph in graphs:
            for model in graph.models:
                for name in {use.name for use in model.inputs}:
                    self._by_input.setdefault(name, []).append(model)

    def of(self, table: TableName) -> Iterable[CompiledModel]:
        """Return the models that read a table."""
        return self._by_input.get(table, ())


def blast_radius(model: ModelName, columns: Columns, *, readers: Readers) -> tuple[Affected, ...]:
    """Return every model that may see a change of these columns of a model, sorted by name."""
    reached: dict[ModelName, Columns] = {}
    queue: list[tuple[ModelName, Columns]] = [(model, columns)]
    while queue:
        changed, which = queue.pop()
        for reader in readers.of(TableName(changed)):
            seen = affected_columns(reader, TableName(changed), which)
            known = reached.get(reader.name, frozenset())
            total = None if seen is None or known is None else known | seen
            if (seen is not None and not seen) or (reader.name in reached and total == known):
                continue
            reached[reader.name] = total
            queue.append((reader.name, total))
    reached.pop(model, None)
    return tuple(
        Affected(model=name, columns=None if found is None else tuple(sorted(found)))
        for name, found in sorted(reached.items())
    )


def affected_columns(reader: CompiledModel, table: TableName, changed: Columns) -> Columns:
    """Return the columns of a reader that may change with these of its input; empty: none, None: its rows."""
    if changed is None:
        return None
    for use in reader.inputs:
        if use.name != table:
            continue
        if _is_read_by(reader, use, changed):
            return None
        if use.read_set is not None and changed.isdisjoint(use.read_set):
            return frozenset()
        if use.row_set is None or not changed.isdisjoint(use.row_set):
            return None  # it filters, joins, groups or orders by one, whatever else it does with it
    edges = [edge for edge in reader.lineage if edge.input == table and edge.input_column in changed]
    if changed - {edge.input_column for edge in edges}:
        return None  # read, but into no column: it cannot be seen through
    return with_rows(reader, frozenset(edge.column for edge in edges))


def with_rows(model: CompiledModel, changed: frozenset[ColumnName]) -> Columns:
    """Return columns of a model that change; None, for its rows too, if its strategy identifies rows by one of them."""
    telling = {name.lower() for name in model.traits.telling}
    return changed if telling.isdisjoint(name.lower() for name in changed) else None


def _is_read_by(reader: CompiledModel, use: InputUse, changed: frozenset[ColumnName]) -> bool:
    """Return whether one of some columns says which rows of its driver a model has not read yet."""
    driver = reader.traits.driver
    if not use.is_driver or driver is None or driver.timestamp_column is None:
        return False
    return driver.timestamp_column.lower() in {name.lower() for name in changed}
