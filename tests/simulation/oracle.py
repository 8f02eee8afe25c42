"""What tables must hold: the queries computed again from nothing, by the plainest means."""

from collections import Counter
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

from tests.simulation.algebra import (
    DAY,
    Cell,
    Expression,
    Read,
    Relation,
    Row,
    Sound,
    broken_limits,
    columns_of,
    evaluate,
    reads_of,
    unsorted,
)
from tests.simulation.history_oracle import wrong_history
from tests.simulation.lake import Lake, bag
from tests.simulation.project import START

from lamina.compiler.graph import CompiledModel, Graph
from lamina.planner.time_position import time_column
from lamina.project.strategy import DeleteInsert, Incremental, Merge, TimeInterval
from lamina.state.port import ModelRecord
from lamina.strategies.kept import saves_rows_of
from lamina.values.coverage import Coverage, Segment
from lamina.values.interval import MAX, WHOLE, Interval
from lamina.values.names import FAILED_CHECKS, Fingerprint, ModelName, Position, TableName

BEGIN = datetime.combine(START, time(), tzinfo=UTC)

Queries = Mapping[Fingerprint, Expression]


def built_until(graph: Graph, model: CompiledModel, now: datetime) -> datetime:
    """Return up to where an interval model can be built: what it has released, and what its inputs have."""
    noon = now.replace(hour=12, minute=0, second=0, microsecond=0)
    tick = noon if now >= noon else noon - DAY
    end = first_of(model, now if model.settings.cron is None else tick)
    if model.settings.allow_partials:
        end = now.replace(minute=0, second=0, microsecond=0)
    is_over = first_of(model, end) == end
    for use in model.inputs:
        ahead = timedelta(seconds=use.after_seconds)
        if not use.is_model:
            if not ahead:
                continue
            end = min(end, first_of(model, now - ahead))
        elif str(use.name) != str(model.name):
            parent = graph.model(ModelName(use.name))
            if isinstance(parent.settings.strategy, TimeInterval):
                there = built_until(graph, parent, now)
                # Only a slice that is not over takes a day of its input as far as it has come: an hour waits for it.
                end = min(end, (first_of(parent, there) if is_over else there) - ahead)
    return end if model.settings.allow_partials else first_of(model, end)


def first_of(model: CompiledModel, instant: datetime) -> datetime:
    """Return where the slice of an interval model begins that holds an instant."""
    unit = _unit(model)
    hour = instant.replace(minute=0, second=0, microsecond=0)
    if unit == "hour":
        return hour
    return hour.replace(hour=0) - (hour.weekday() * DAY if unit == "week" else timedelta())


def _unit(model: CompiledModel) -> str:
    strategy = model.settings.strategy
    return strategy.granularity if isinstance(strategy, TimeInterval) else "day"


def slice_of(model: CompiledModel, span: Interval) -> Interval:
    """Return the slices of an interval model that a span reaches into."""
    last = span.end - timedelta(microseconds=1)
    length = {"hour": timedelta(hours=1), "day": DAY, "week": 7 * DAY}[_unit(model)]
    end = MAX if span.end == MAX else first_of(model, last) + length
    return Interval(first_of(model, span.start), end)


def due_of(graph: Graph, model: CompiledModel, now: datetime) -> Interval | None:
    """Return the range of a model that should exist by now."""
    if not isinstance(model.settings.strategy, TimeInterval):
        return WHOLE
    first = datetime.fromisoformat(f"{model.settings.start}T00:00:00+00:00")
    start, end = first_of(model, first), built_until(graph, model, now)
    return Interval(start, end) if end > start else None


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
            if model.traits.kept_by or keeps_rows(model) or is_read_by_time(model):
                # Keys that left the source stay: readers read what is there.
                tables[name] = visible(lake, model, queries[model.fingerprint])
                continue
            due, query = due_of(graph, model, now), queries[model.fingerprint]
            kept = not_due(visible(lake, model, query), model, due=due)
            tables[name] = _recompute_model(model, query, tables, due=due, kept=kept)
    return {model.name: tables[model.name] for model in graph.models}


def not_due(relation: Relation, model: CompiledModel, *, due: Interval | None) -> Relation:
    """Return the rows of slices that were built and are no longer due: they stay as they are."""
    rows = bag(relation) - (Counter() if due is None else rows_in(relation, model, due))
    return Relation(relation.columns, tuple(rows.elements()))


def visible(lake: Lake, model: CompiledModel, query: Expression) -> Relation:
    """Return what readers of a model see."""
    metadata = lake.table(lake.place(model.name, model.target))
    return Relation(columns_of(query), ()) if metadata is None else metadata.head.relation


def holds_ids_twice(lake: Lake, graph: Graph, queries: Queries, model: CompiledModel) -> bool:
    """Return whether ids in slices that are no longer due come twice there, or come again in what is due."""
    query = queries[model.fingerprint]
    table = visible(lake, model, query)
    due = due_of(graph, model, datetime.max.replace(tzinfo=UTC))
    kept = [row[table.place("id")] for row in not_due(table, model, due=due).rows]
    result = evaluate(query, lambda read: current_rows(lake, graph, read.table), WHOLE if due is None else due)
    given = {row[result.place("id")] for row in result.rows}
    return len(set(kept)) < len(kept) or bool(given.intersection(kept))


def keeps_rows(model: CompiledModel) -> bool:
    """Return whether a table keeps rows that its input changed or removed."""
    return any(use.on_touch == "keep" for use in model.inputs)


def is_read_by_time(model: CompiledModel) -> bool:
    """Return whether a table holds what was read by timestamps; `time_oracle.py` says what that is."""
    return time_column(model) is not None


def unloaded_rows(lake: Lake, graph: Graph, queries: Queries, model: CompiledModel) -> list[str]:
    """Return the rows that a table which keeps rows must hold and does not: those that were written just once.

    Of a merge one of a higher order may have taken its place; built days take in no late rows.
    """
    strategy = model.settings.strategy
    if not keeps_rows(model) or isinstance(strategy, TimeInterval):
        return []
    query = queries[model.fingerprint]
    driver = next(use for use in model.inputs if use.is_driver)
    if driver.is_model:
        return _unloaded_slices(lake, graph.model(ModelName(driver.name)), queries, model)

    def read(reader: Read) -> Relation:
        source = next(item for item in graph.sources if item.name == reader.table)
        once = (version for name, version in lake.folders[source.location].items() if lake.writes[name] == 1)
        return lake.file_rows(once, columns=tuple(str(column.name) for column in source.columns))

    given, table = evaluate(query, read, WHOLE), visible(lake, model, query)
    if isinstance(strategy, Merge):
        return _outdone(model, strategy, given, table)
    expected, actual = bag(given), bag(table)
    return [f"{model.name}: {difference(expected, actual & expected)}"] if expected - actual else []


def _outdone(model: CompiledModel, strategy: Merge, given: Relation, table: Relation) -> list[str]:
    """Return the rows whose key a merged table holds in an older one, or not at all."""
    key, order = table.place(strategy.unique_key[0]), [table.place(name) for name in strategy.order_by]
    stored = {row[key]: _rank(row, order) for row in table.rows}
    late = [row for row in given.rows if row[key] not in stored or _rank(row, order) > stored[row[key]]]
    return [f"{model.name}: {row} was not loaded" for row in late]


def doubled_rows(lake: Lake, graph: Graph, queries: Queries, model: CompiledModel) -> list[str]:
    """Return the rows of an append that are there more often than in all files that ever were, each taken once."""
    is_from_files = not any(use.is_model for use in model.inputs)
    if not keeps_rows(model) or not isinstance(model.settings.strategy, Incremental) or not is_from_files:
        return []
    (source,) = (item for item in graph.sources if str(item.name) == str(model.inputs[0].name))
    columns, query = tuple(str(column.name) for column in source.columns), queries[model.fingerprint]
    given = evaluate(query, lambda _: lake.file_rows(lake.contents, columns=columns), WHOLE)
    extra = bag(visible(lake, model, query)) - bag(given)
    return [f"{model.name}: {_some(sorted(extra.elements(), key=repr))}"] if extra else []


def _unloaded_slices(lake: Lake, driver: CompiledModel, queries: Queries, model: CompiledModel) -> list[str]:
    """Return how a table differs from its driver in the days of it that were built just once."""
    query, days = queries[model.fingerprint], _built_once(lake, driver)
    held = visible(lake, driver, queries[driver.fingerprint])
    result = evaluate(query, lambda reader: as_read(_inside(held, days), reader.columns, by=reader.by), WHOLE)
    expected, actual = bag(result), bag(_inside(visible(lake, model, query), days))
    return [f"{model.name}: {difference(expected, actual)}"] if expected != actual else []


def _inside(relation: Relation, days: set[datetime]) -> Relation:
    place = next(index for index, name in enumerate(relation.columns) if name in ("ts", "day"))
    starts = ((row, row[place]) for row in relation.rows)
    return Relation(
        relation.columns,
        tuple(row for row, at in starts if isinstance(at, datetime) and at.replace(hour=0) in days),
    )


def _built_once(lake: Lake, model: CompiledModel) -> set[datetime]:
    """Return the days of a table that one batch built, of all that ever staged it."""
    found = (item.mark for table in lake.metadata.values() for item in table.snapshots)
    marks = {mark.commit: mark for mark in found if mark is not None and lake.is_of(mark, model.name)}
    slices = [span for mark in marks.values() for span in mark.slices]
    days = {BEGIN + number * DAY for number in range(60)}
    return {day for day in days if sum(span.start <= day < span.end for span in slices) == 1}


def wrong_keys(lake: Lake, graph: Graph, queries: Queries, model: CompiledModel) -> list[str]:
    """Return the keys of a merged table that do not hold the newest row of their source."""
    strategy = model.settings.strategy
    if model.traits.versions is not None:
        query = queries[model.fingerprint]
        given = evaluate(query, lambda read: current_rows(lake, graph, read.table), WHOLE)
        return wrong_history(model, visible(lake, model, query), given)
    if isinstance(strategy, DeleteInsert):
        return _wrong_tuples(lake, graph, queries[model.fingerprint], model)
    if not isinstance(strategy, Merge) or keeps_rows(model):
        return []
    query = queries[model.fingerprint]
    table = visible(lake, model, query)
    source = as_read(evaluate(query, lambda read: current_rows(lake, graph, read.table), WHOLE), table.columns)
    key, order = table.place(strategy.unique_key[0]), [table.place(name) for name in strategy.order_by]
    newest: dict[Cell, Row] = {}
    for row in source.rows:
        whole = [*order, *range(len(row))]  # between rows of one order the other columns decide
        if row[key] not in newest or _rank(row, whole) > _rank(newest[row[key]], whole):
            newest[row[key]] = row
    stored = {row[key]: row for row in table.rows}
    wrong = [f"{model.name} holds a key twice"] if len(stored) < len(table.rows) else []
    for name, row in newest.items():
        if stored.get(name) != row:
            wrong.append(f"{model.name} key {name}: expected {row}, found {stored.get(name)}")
    return wrong


def _wrong_tuples(lake: Lake, graph: Graph, query: Expression, model: CompiledModel) -> list[str]:
    """Return that the rows of tuples which a source has are not those of the source, if they are not."""
    table = visible(lake, model, query)
    source = as_read(evaluate(query, lambda read: current_rows(lake, graph, read.table), WHOLE), table.columns)
    kept = lost_without(model, table, source)
    expected, actual = bag(source), bag(table) - Counter(kept)
    return [f"{model.name}: {difference(expected, actual)}"] if expected != actual else []


def lost_without(model: CompiledModel, table: Relation, source: Relation) -> tuple[Row, ...]:
    """Return the rows that only a table holds: those of keys that its source does not have."""
    places = [table.columns.index(name) for name in model.traits.kept_by]
    given = {tuple(row[place] for place in places) for row in source.rows}
    return tuple(row for row in table.rows if tuple(row[place] for place in places) not in given)


def saved_rows(
    lake: Lake,
    graph: Graph,
    queries: Queries,
    model: CompiledModel,
    table: Relation,
    pins: Mapping[TableName, Position],
) -> tuple[Row, ...]:
    """Return the rows of a table that its code, as it was, does not get from the files any more; of a merge, by key."""
    if not any(saves_rows_of(model.traits, use) for use in model.inputs):
        return ()
    source = given_by(lake, graph, queries[model.fingerprint], pins)
    if model.traits.kept_by:
        return lost_without(model, table, source)
    return tuple((bag(table) - bag(source)).elements())


def given_by(lake: Lake, graph: Graph, query: Expression, pins: Mapping[TableName, Position]) -> Relation:
    """Return what a query gives of the whole of its inputs at some positions."""

    def read(reader: Read) -> Relation:
        found = rows_at(lake, graph, reader.table, pins[TableName(reader.table)])
        return as_read(found, reader.columns, by=reader.by) if found is not None else _empty(reader)

    return evaluate(query, read, WHOLE)


def _rank(row: Row, order: list[int]) -> tuple[Any, ...]:
    return tuple((row[place] is not None, row[place]) for place in order)


def _recompute_model(
    model: CompiledModel, query: Expression, tables: dict[str, Relation], *, due: Interval | None, kept: Relation
) -> Relation:
    columns = (*columns_of(query), *_values_beside(kept, columns_of(query)))
    grown = as_read(kept, columns)
    if due is None:
        return grown
    own = str(model.name)
    if all(read.table != own for read in reads_of(query)):
        given = as_read(evaluate(query, lambda read: tables[read.table], due), columns)
        return Relation(columns, grown.rows + given.rows)
    # A model that reads its own past grows by one day at a time.
    for span in days_in(due):
        known = {**tables, own: grown}
        day = as_read(evaluate(query, _reader_of(known), span), columns)
        grown = Relation(columns, grown.rows + day.rows)
    return grown


def _values_beside(kept: Relation, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the columns beside some others in which rows that stay have values; what a query gives has none there."""
    others = (name for name in kept.columns if name not in columns)
    return tuple(name for name in others if any(row[kept.place(name)] is not None for row in kept.rows))


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
    table = lake.place(model.name, model.target)
    metadata = lake.table(table)
    if metadata is None or lake.pointer(table) != record.pointer:
        return []
    if model.traits.kept_by or keeps_rows(model) or is_read_by_time(model):
        return []
    relation = metadata.head.relation
    found = []
    for segment in record.coverage.segments:
        since = _owed_since(segment)
        if since is None:
            continue
        query = queries[segment.logic]
        # A full refresh drops columns that left the query, also those of slices that are no longer due.
        names = tuple(name for name in columns_of(query) if name in relation.columns)
        expected = bag(as_read(_consumed(lake, graph, query, record.coverage, segment.interval, since), names))
        actual = rows_in(as_read(relation, names), model, segment.interval)
        if expected != actual:
            found.append(f"{model.name} {_days(segment.interval)}: {difference(expected, actual)}")
    stray = bag(relation)
    for segment in record.coverage.segments:
        stray -= rows_in(relation, model, segment.interval)
    return [*found, *([f"{model.name}: rows outside coverage: {sorted(stray)}"] if stray else [])]


def wrong_quarantine(
    lake: Lake, graph: Graph, queries: Queries, *, model: CompiledModel, record: ModelRecord
) -> list[str]:
    """Return the ranges recorded as clean whose quarantine is not what its checks sort out of a recompute."""
    table = lake.place(model.name, model.target)
    if lake.table(table) is None or lake.pointer(table) != record.pointer:
        return []
    if _is_rolled_back(lake, model):
        return []
    relation = quarantined(lake, model)
    found, stray = [], bag(relation)
    for segment in record.coverage.segments:
        since, query = _owed_since(segment), queries[segment.logic]
        actual = rows_in(relation, model, segment.interval)
        stray -= actual
        if since is None:
            continue
        given = _consumed(lake, graph, unsorted(query), record.coverage, segment.interval, since)
        expected = bag(as_read(_sorted_out(query, given), relation.columns))
        if relation.rows and expected != actual:
            found.append(f"{model.name} {_days(segment.interval)}: {difference(expected, actual)}")
        if not relation.rows and expected:
            found.append(f"{model.name} {_days(segment.interval)}: {difference(expected, Counter())}")
    return [*found, *([f"{model.name}: quarantine outside coverage: {sorted(stray)}"] if stray else [])]


def _is_rolled_back(lake: Lake, model: CompiledModel) -> bool:
    """Return whether a table was rolled back and not written since: the next batch of it puts its quarantine right."""
    table = lake.table(lake.place(model.name, model.target))
    return table is not None and table.head != table.snapshots[-1]


def quarantined(lake: Lake, model: CompiledModel) -> Relation:
    """Return what is in the quarantine of a table."""
    metadata = lake.table(lake.quarantine_place(model.name, model.target))
    names = tuple(column.name for column in model.columns or ())
    return Relation((*names, FAILED_CHECKS), ()) if metadata is None else metadata.head.relation


def _sorted_out(query: Expression, given: Relation) -> Relation:
    """Return the rows of a result that checks sort out, with their names."""
    columns = (*given.columns, FAILED_CHECKS)
    if not isinstance(query, Sound):
        return Relation(columns, ())
    named = ((row, ", ".join(broken_limits(query, given, row))) for row in given.rows)
    return Relation(columns, tuple((*row, names) for row, names in named if names))


def _owed_since(segment: Segment) -> dict[TableName, Position] | None:
    """Return the versions that a range is as of where it owes what came later; None where no version says that."""
    known = {debt.input: debt.since for debt in segment.debts if debt.since is not None and not debt.is_foreign}
    return known if len(known) == len(segment.debts) else None


def _consumed(
    lake: Lake,
    graph: Graph,
    query: Expression,
    coverage: Coverage,
    span: Interval,
    since: dict[TableName, Position],
) -> Relation:
    def read(reader: Read) -> Relation:
        cursor = coverage.cursor(TableName(reader.table))
        position = since.get(TableName(reader.table), None if cursor is None else cursor.position)
        found = None if position is None else rows_at(lake, graph, reader.table, position)
        return as_read(found, reader.columns, by=reader.by) if found is not None else _empty(reader)

    return evaluate(query, read, span)


def _empty(reader: Read) -> Relation:
    return Relation(tuple(dict.fromkeys((*reader.columns, *((reader.by,) if reader.by else ())))), ())


def as_read(relation: Relation, columns: tuple[str, ...], by: str | None = None) -> Relation:
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
