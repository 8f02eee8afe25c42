"""Follow columns, or whole models, through the compiled graph: up to their origins, down to their readers."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from lamina.compiler.graph import CompiledModel, EdgeKind, Graph
from lamina.values.names import ColumnName, TableName
from lamina.values.schema import Schema
from lamina.values.value import Value

STRENGTH: tuple[EdgeKind, ...] = ("direct", "cast", "expression", "aggregation")

Key = TypeVar("Key")
Item = TypeVar("Item")


class Point(Value, frozen=True, order=True):
    """A column of a table, or the whole table."""

    table: TableName
    column: ColumnName | None = None

    def __str__(self) -> str:
        return self.table if self.column is None else f"{self.table}.{self.column}"


Hop = tuple[Point, EdgeKind | None]  # to where, and by what kind of change


class Flow(Value, frozen=True):
    """One step from what is read to what is made of it; without a kind between whole tables."""

    origin: Point
    result: Point
    kind: EdgeKind | None = None


class Reached(Value, frozen=True):
    """A point that was reached: how far away, and by the strongest change on the way."""

    model: TableName
    column: ColumnName | None
    kind: EdgeKind | None
    distance: int


class Trace(Value, frozen=True):
    """Everything on one side of a point, nearest first, and the steps between."""

    reached: tuple[Reached, ...]
    flows: tuple[Flow, ...]


class Lineage(Value, frozen=True):
    """Both sides of one point."""

    of: Point
    up: Trace
    down: Trace


def find_point(graph: Graph, text: str) -> Point | None:
    """Return the point a person means by `model`, `source.table` or either with `.column`; schemas may be left out."""
    table, _, column = text.lower().rpartition(".")
    whole, part = find_table(graph, text.lower()), find_table(graph, table)
    if whole is not None:
        return Point(whole)
    if part is None or not _has_column(graph, part, column):
        return None
    return Point(part, ColumnName(column))


def find_table(graph: Graph, text: str) -> TableName | None:
    """Return the table of a full name, or of a bare one that only one model has, or else only one source."""
    models = [TableName(model.name) for model in graph.models]
    sources = [TableName(table.name) for table in graph.sources]
    full = [name for name in (*models, *sources) if name.lower() == text]
    for group in (
        full,
        *([name for name in side if name.lower().partition(".")[2] == text] for side in (models, sources)),
    ):
        if group:
            return group[0] if len(group) == 1 else None
    return None


def _has_column(graph: Graph, table: TableName, column: str) -> bool:
    """Return whether a table has a column, or a model reads it from a table whose columns are not known."""
    if any(item.name.lower() == column for item in _schemas(graph).get(table) or ()):
        return True
    edges = (edge for model in graph.models for edge in model.lineage)
    return any(edge.input == table and edge.input_column.lower() == column for edge in edges)


def trace_up(graph: Graph, start: Point) -> Trace:
    """Return what a point is made of."""
    models = {TableName(model.name): model for model in graph.models}
    steps: dict[TableName, dict[Point, list[Hop]]] = {}

    def up(here: Point) -> Iterable[Hop]:
        if here.table not in steps:
            made = models.get(here.table)
            flows = _flows(graph, made, start) if made is not None else ()
            steps[here.table] = _grouped((flow.result, (flow.origin, flow.kind)) for flow in flows)
        return steps[here.table].get(here, ())

    return _trace(start, up, lambda here, there, kind: Flow(origin=there, result=here, kind=kind))


def trace_down(graph: Graph, start: Point) -> Trace:
    """Return what is made of a point."""
    readers = _grouped(
        (table, model)
        for model in graph.models
        for table in dict.fromkeys((*model.depends_on, *(use.name for use in model.inputs)))
    )
    steps: dict[TableName, dict[Point, list[Hop]]] = {}

    def down(here: Point) -> Iterable[Hop]:
        if here.table not in steps:
            flows = (flow for model in readers.get(here.table, ()) for flow in _flows(graph, model, start))
            steps[here.table] = _grouped((flow.origin, (flow.result, flow.kind)) for flow in flows)
        return steps[here.table].get(here, ())

    return _trace(start, down, lambda here, there, kind: Flow(origin=here, result=there, kind=kind))


def _grouped(pairs: Iterable[tuple[Key, Item]]) -> dict[Key, list[Item]]:
    groups: dict[Key, list[Item]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return groups


def _flows(graph: Graph, model: CompiledModel, start: Point) -> Iterator[Flow]:
    """Yield the steps into one model, between columns or between tables as the start is one or the other."""
    name = TableName(model.name)
    if start.column is None:
        yield from (Flow(origin=Point(parent), result=Point(name)) for parent in model.depends_on)
        return
    if model.kind == "python":
        yield from _unseen_flows(graph, model)
    for edge in model.lineage:
        origin = Point(edge.input, ColumnName(edge.input_column.lower()))
        yield Flow(origin=origin, result=Point(name, ColumnName(edge.column.lower())), kind=edge.kind)


def _unseen_flows(graph: Graph, model: CompiledModel) -> Iterator[Flow]:
    """Yield the steps of code that cannot be seen through: every column it reads may be in every column it makes."""
    known = _schemas(graph)
    name = TableName(model.name)
    made = [Point(name, ColumnName(column.name.lower())) for column in model.columns or ()] or [Point(name)]
    for use in model.inputs:
        for column in known.get(use.name) or ():
            origin = Point(use.name, ColumnName(column.name.lower()))
            yield from (Flow(origin=origin, result=result, kind="expression") for result in made)


def _schemas(graph: Graph) -> dict[TableName, Schema | None]:
    known: dict[TableName, Schema | None] = {TableName(source.name): source.columns for source in graph.sources}
    return known | {TableName(model.name): model.columns for model in graph.models}


def _trace(
    start: Point,
    steps: Callable[[Point], Iterable[Hop]],
    flow_of: Callable[[Point, Point, EdgeKind | None], Flow],
) -> Trace:
    """Walk breadth first; a point is walked again only when a stronger change leads to it."""
    begin = start if start.column is None else Point(start.table, ColumnName(start.column.lower()))
    best: dict[Point, tuple[int, int]] = {begin: (0, 0)}  # strength, distance
    flows: set[Flow] = set()
    edge = [begin]
    distance = 0
    while edge:
        distance += 1
        ahead: dict[Point, None] = {}
        for here in edge:
            for there, kind in steps(here):
                flows.add(flow_of(here, there, kind))
                strength = max(best[here][0], STRENGTH.index(kind) if kind else 0)
                known = best.get(there)
                if known is None or strength > known[0]:
                    best[there] = (strength, known[1] if known else distance)
                    ahead[there] = None
        edge = list(ahead)
    del best[begin]
    order = sorted(best.items(), key=lambda item: (item[1][1], item[0].table, item[0].column or ""))
    reached = tuple(
        Reached(
            model=point.table,
            column=point.column,
            kind=STRENGTH[strength] if point.column is not None else None,
            distance=away,
        )
        for point, (strength, away) in order
    )
    return Trace(reached=reached, flows=tuple(sorted(flows, key=lambda flow: (str(flow.origin), str(flow.result)))))
