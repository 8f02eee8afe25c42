"""What tables must hold: the queries computed again from nothing, by the plainest means."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from tests.simulation.algebra import DAY, Cell, Expression, Read, Relation, Row, columns_of, evaluate, reads_of
from tests.simulation.lake import Lake, bag
from tests.simulation.project import START

from lamina.compiler.graph import CompiledModel, Graph
from lamina.project.strategy import Merge, TimeInterval
from lamina.state.port import ModelRecord
from lamina.values.coverage import Coverage
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import Fingerprint, ModelName, Position, TableName

BEGIN = datetime.fromisoformat(f"{START}T00:00:00+00:00")

Queries = Mapping[Fingerprint, Expression]


def built_until(graph: Graph, model: CompiledModel, now: datetime) -> datetime:
    """Return up to where an interval model can be built: what it has released, and what its inputs have."""
    noon = now.replace(hour=12, minute=0, second=0, microsecond=0)
    tick = noon if now >= noon else noon - DAY
    end = (now if model.settings.cron is None else tick).replace(hour=0, minute=0, second=0, microsecond=0)
    for use in model.inputs:
        if use.is_model and str(use.name) != str(model.name):
            parent = graph.model(ModelName(use.name))
            if isinstance(parent.settings.strategy, TimeInterval):
                end = min(end, built_until(graph, parent, now))
    return end


def due_of(graph: Graph, model: CompiledModel, now: datetime) -> Interval | None:
    """Return the range of a model that should exist by now."""
    if not isinstance(model.settings.strategy, TimeInterval):
        return WHOLE
    end = built_until(graph, model, now)
    return Interval(BEGIN, end) if end > BEGIN else None


def current_rows(lake: Lake, graph: Graph, source: str) -> Relation:
    """Return the rows of a source as it is now."""
    found = next(item for item in graph.sources if item.name == source)
    columns = tuple(str(column.name) for column in found.columns)
    if found.type == "files":
        return lake.file_rows(lake.folders.get(found.location, {}).values(), columns=columns)
    metadata = lake.table(TableName(found.location))
    return Relation(columns, ()) if metadata is None else metadata.head.relation


def recompute(lake: Lake, graph: Graph, queries: Queries, *, now: datetime) -> dict[str, Relation]:
    """Return every model's rows from the current sources and the current code."""
    tables = {str(source.name): current_rows(lake, graph, source.name) for source in graph.sources}
    for layer in graph.layers:
        for name in layer:
            model = graph.model(name)
            if isinstance(model.settings.strategy, Merge):
                # Keys that went stay, and so does a row that was newer once: readers read what is there.
                tables[name] = visible(lake, model, queries[model.fingerprint])
                continue
            due = due_of(graph, model, now)
            tables[name] = _recompute_model(model, queries[model.fingerprint], tables, due=due)
    return {model.name: tables[model.name] for model in graph.models}


def visible(lake: Lake, model: CompiledModel, query: Expression) -> Relation:
    """Return what readers of a model see."""
    metadata = lake.table(model.target)
    return Relation(columns_of(query), ()) if metadata is None else metadata.head.relation


def wrong_keys(lake: Lake, graph: Graph, queries: Queries, model: CompiledModel) -> list[str]:
    """Return the keys of a merged table that do not hold the newest row of their source."""
    strategy = model.settings.strategy
    if not isinstance(strategy, Merge):
        return []
    query = queries[model.fingerprint]
    table = visible(lake, model, query)
    source = evaluate(query, lambda read: current_rows(lake, graph, read.table), WHOLE)
    key, order = table.place(strategy.unique_key[0]), [table.place(name) for name in strategy.order_by]
    newest: dict[Cell, Row] = {}
    for row in source.rows:
        whole = [*order, *range(len(row))]  # between rows of one order the other columns decide
        if row[key] not in newest or _rank(row, whole) > _rank(newest[row[key]], whole):
            newest[row[key]] = row
    stored = {row[key]: row for row in table.rows}
    wrong = [f"{model.name} holds a key twice"] if len(stored) < len(table.rows) else []
    for name, row in newest.items():
        if name not in stored or (stored[name] != row and _rank(stored[name], order) <= _rank(row, order)):
            wrong.append(f"{model.name} key {name}: expected {row}, found {stored.get(name)}")
    return wrong


def _rank(row: Row, order: list[int]) -> tuple[Any, ...]:
    return tuple(row[place] for place in order)


def _recompute_model(
    model: CompiledModel, query: Expression, tables: dict[str, Relation], *, due: Interval | None
) -> Relation:
    columns = columns_of(query)
    if due is None:
        return Relation(columns, ())
    own = str(model.name)
    if all(read.table != own for read in reads_of(query)):
        return evaluate(query, lambda read: tables[read.table], due)
    # A model that reads its own past grows by one day at a time.
    grown = Relation(columns, ())
    for span in days_in(due):
        known = {**tables, own: grown}
        day = evaluate(query, _reader_of(known), span)
        grown = Relation(columns, grown.rows + day.rows)
    return grown


def _reader_of(tables: Mapping[str, Relation]) -> Callable[[Read], Relation]:
    return lambda read: tables[read.table]


def days_in(span: Interval) -> list[Interval]:
    """Return the days of a span."""
    days = []
    start = span.start
    while start < span.end:
        days.append(Interval(start, min(start + DAY, span.end)))
        start += DAY
    return days


def rows_in(relation: Relation, model: CompiledModel, span: Interval) -> Counter[Row]:
    """Return the rows of a table in a range of its time column."""
    strategy = model.settings.strategy
    if not isinstance(strategy, TimeInterval):
        return bag(relation)
    place = relation.place(strategy.time_column)
    times = ((row, row[place]) for row in relation.rows)
    return Counter(row for row, at in times if isinstance(at, datetime) and span.start <= at < span.end)


def rows_at(lake: Lake, graph: Graph, name: str, position: Position) -> Relation | None:
    """Return the rows of an input at a position, also when the version has expired."""
    source = next((item for item in graph.sources if item.name == name), None)
    if source is not None and source.type == "files":
        columns = tuple(str(column.name) for column in source.columns)
        return lake.file_rows(lake.manifests[position].values(), columns=columns)
    return lake.archive[int(position)]


def wrong_slices(lake: Lake, graph: Graph, queries: Queries, *, model: CompiledModel, record: ModelRecord) -> list[str]:
    """Return what of a table differs from a recompute at the positions it is recorded to have consumed."""
    metadata = lake.table(model.target)
    if metadata is None or lake.pointer(model.target) != record.pointer:
        return []
    if isinstance(model.settings.strategy, Merge):
        return []
    relation = metadata.head.relation
    found = []
    for segment in record.coverage.segments:
        if segment.debts:
            continue
        query = queries[segment.logic]
        expected = bag(_consumed(lake, graph, query, record.coverage, segment.interval))
        actual = rows_in(_as(relation, columns_of(query)), model, segment.interval)
        if expected != actual:
            found.append(f"{model.name} {_days(segment.interval)}: {difference(expected, actual)}")
    stray = bag(relation)
    for segment in record.coverage.segments:
        stray -= rows_in(relation, model, segment.interval)
    return [*found, *([f"{model.name}: rows outside coverage: {sorted(stray)}"] if stray else [])]


def _consumed(lake: Lake, graph: Graph, query: Expression, coverage: Coverage, span: Interval) -> Relation:
    def read(reader: Read) -> Relation:
        cursor = coverage.cursor(TableName(reader.table))
        found = None if cursor is None else rows_at(lake, graph, reader.table, cursor.position)
        return _as(found, reader.columns, by=reader.by) if found is not None else _empty(reader)

    return evaluate(query, read, span)


def _empty(reader: Read) -> Relation:
    return Relation(tuple(dict.fromkeys((*reader.columns, *((reader.by,) if reader.by else ())))), ())


def _as(relation: Relation, columns: tuple[str, ...], by: str | None = None) -> Relation:
    """Return rows with at least the named columns; what an older schema lacks is null."""
    names = tuple(dict.fromkeys((*columns, *((by,) if by else ()))))
    places = [relation.columns.index(name) if name in relation.columns else None for name in names]
    rows = (tuple(None if place is None else row[place] for place in places) for row in relation.rows)
    return Relation(names, tuple(rows))


def _days(span: Interval) -> str:
    return "whole" if span == WHOLE else f"{span.start:%m-%d}..{span.end:%m-%d}"


def difference(expected: Counter[Row], actual: Counter[Row]) -> str:
    """Say what is missing and what is too much, a few rows each."""
    missing, extra = sorted((expected - actual).elements(), key=repr), sorted((actual - expected).elements(), key=repr)
    return f"missing {_some(missing)}, extra {_some(extra)}"


def _some(rows: list[Row]) -> str:
    texts = [str(tuple(f"{cell:%m-%dT%H}" if isinstance(cell, datetime) else cell for cell in row)) for row in rows]
    return f"[{', '.join(texts[:3])}{', ...' if len(texts) > 3 else ''}]"
