"""What tables must hold: the queries computed again from nothing, by the plainest means."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import datetime

from tests.simulation.algebra import DAY, Expression, Read, Relation, Row, columns_of, evaluate, reads_of
from tests.simulation.lake import Lake, bag
from tests.simulation.project import START

from lamina.compiler.graph import CompiledModel, Graph
from lamina.project.strategy import TimeInterval
from lamina.state.port import ModelRecord
from lamina.values.coverage import Coverage
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import Fingerprint, Position, TableName

BEGIN = datetime.fromisoformat(f"{START}T00:00:00+00:00")

Queries = Mapping[Fingerprint, Expression]


def due_of(model: CompiledModel, now: datetime) -> Interval | None:
    """Return the range of a model that should exist by now."""
    if not isinstance(model.settings.strategy, TimeInterval):
        return WHOLE
    end = now.replace(hour=0, minute=0, second=0, microsecond=0)
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
            tables[name] = _recompute_model(model, queries[model.fingerprint], tables, now=now)
    return {model.name: tables[model.name] for model in graph.models}


def _recompute_model(
    model: CompiledModel, query: Expression, tables: dict[str, Relation], *, now: datetime
) -> Relation:
    due = due_of(model, now)
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
