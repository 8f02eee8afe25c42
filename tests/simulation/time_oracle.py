"""What a table must hold whose driver is read by its timestamps: its batches, replayed by the plainest means."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.simulation.algebra import Expression, Read, Relation, Row, evaluate
from tests.simulation.lake import Lake, Snapshot, bag
from tests.simulation.oracle import Queries, as_read, difference, given_by, is_read_by_time, rows_at

from lamina.compiler.graph import CompiledModel, Graph
from lamina.planner.time_position import time_column
from lamina.state.port import ModelRecord
from lamina.values.interval import WHOLE
from lamina.values.names import CommitId, Position, TableName


@dataclass(frozen=True)
class Replayed:
    """The rows of the driver that batches took, up to where, and from which version the last of them read."""

    rows: Relation
    watermark: datetime | None
    position: Position


def replay(lake: Lake, graph: Graph, model: CompiledModel) -> Replayed | None:
    """Take rows as each published batch of a table should have; None where others wrote to it since it was built."""
    found: Replayed | None = None
    for step in _line(lake, model):
        if step.mark is None:
            found = found if step.operation in ("replace", "mark") else None
            continue
        mode = lake.modes[CommitId(step.mark.commit)]
        if mode == "rewrite":
            continue
        if mode == "append" and found is None:
            return None
        assert step.mark.coverage.built is not None, "every batch has an execution time"
        cap = datetime.fromisoformat(step.mark.coverage.built) - timedelta(seconds=_lag(model))
        pins = {lake.renamed.get(str(name), str(name)): at for name, at in step.mark.pins.items()}
        position = pins[str(_driver(model))]
        rows = rows_at(lake, graph, _driver(model), position)
        assert rows is not None, "all rows that ever were are kept for the oracle"
        found = _taken(model, rows, position, cap=cap, before=found if mode == "append" else None)
    return found


def _taken(
    model: CompiledModel, rows: Relation, position: Position, *, cap: datetime, before: Replayed | None
) -> Replayed:
    column = str(time_column(model))
    place = rows.place(column)
    timed = [(at, row) for row in rows.rows if isinstance(at := row[place], datetime) and at <= cap]
    after = None if before is None else before.watermark
    if before is None or after is None:
        new = [row for row in rows.rows if row[place] is None] + [row for _, row in timed]
        return Replayed(Relation(rows.columns, tuple(new)), max((at for at, _ in timed), default=None), position)
    # Rows at the watermark are always taken again: where they did not change, that makes no difference.
    again = [row for row in rows.rows if row[place] == after]
    kept = as_read(before.rows, rows.columns)
    older = [row for row in kept.rows if row[place] != after]
    newer = [(at, row) for at, row in timed if at > after]
    taken = (*older, *again, *(row for _, row in newer))
    return Replayed(Relation(rows.columns, taken), max((at for at, _ in newer), default=after), position)


def wrong_times(lake: Lake, graph: Graph, queries: Queries, *, model: CompiledModel, record: ModelRecord) -> list[str]:
    """Return how a table differs from a replay of its batches, and what is not recorded of it as it is."""
    if lake.table(model.target) is None or lake.pointer(model.target) != record.pointer or not record.coverage.segments:
        return []
    (segment,) = record.coverage.segments
    known, replayed = record.coverage.time_position, replay(lake, graph, model)
    if any(debt.is_foreign for debt in segment.debts) or replayed is None:
        return []
    metadata = lake.table(model.target)
    assert metadata is not None
    found, table = [], metadata.head.relation
    expected = as_read(_given(queries[segment.logic], replayed.rows), table.columns)
    if bag(expected) != bag(table):
        found.append(f"{model.name}: {difference(bag(expected), bag(table))}")
    at = None if replayed.watermark is None else f"{replayed.watermark.replace(tzinfo=None).isoformat()}Z"
    if known is None or known.at != at or record.coverage.watermark != at:
        found.append(f"{model.name}: read up to {at}, and recorded is {known}")
    if known is not None and not known.is_touched and known.late != (late := _late(lake, graph, model, replayed)):
        found.append(f"{model.name}: {late} rows came below the watermark, and recorded are {known.late}")
    return found


def _late(lake: Lake, graph: Graph, model: CompiledModel, replayed: Replayed) -> int:
    """Return how many rows the driver has more below the watermark than were taken."""
    rows = rows_at(lake, graph, _driver(model), replayed.position)
    assert rows is not None
    there, taken = (_below(found, model, replayed.watermark) for found in (rows, replayed.rows))
    return len(there) - len(taken)


def _below(rows: Relation, model: CompiledModel, watermark: datetime | None) -> list[Row]:
    place = rows.place(str(time_column(model)))
    times = ((row, row[place]) for row in rows.rows)
    return [row for row, at in times if watermark is not None and isinstance(at, datetime) and at < watermark]


def unread_times(lake: Lake, graph: Graph, model: CompiledModel, rows: Relation, *, now: datetime) -> list[str]:
    """Return the rows of a driver that should be in a table by now: after its watermark, and old enough."""
    if not is_read_by_time(model) or lake.table(model.target) is None:
        return []
    replayed = replay(lake, graph, model)
    if replayed is None:
        return []
    place, cap = rows.place(str(time_column(model))), now - timedelta(seconds=_lag(model))
    times = ((row, row[place]) for row in rows.rows)
    after = replayed.watermark
    left = [row for row, at in times if isinstance(at, datetime) and at <= cap and (after is None or at > after)]
    return [f"{model.name}: {row} was not loaded" for row in left]


def saved_times(
    lake: Lake, graph: Graph, queries: Queries, model: CompiledModel, own: Snapshot, pins: dict[TableName, Position]
) -> tuple[Row, ...]:
    """Return the rows of a table that its driver does not give any more; those at the watermark follow the driver."""
    assert own.mark is not None
    source, at = given_by(lake, graph, queries[model.fingerprint], pins), own.mark.coverage.watermark
    place = own.relation.place(str(time_column(model)))
    last = None if at is None else datetime.fromisoformat(at)
    gone = (bag(own.relation) - bag(as_read(source, own.relation.columns))).elements()
    return tuple(row for row in gone if row[place] != last)


def _given(query: Expression, rows: Relation) -> Relation:
    def read(reader: Read) -> Relation:
        return as_read(rows, reader.columns)

    return evaluate(query, read, WHOLE)


def _line(lake: Lake, model: CompiledModel) -> list[Snapshot]:
    """Return all versions that lead to the current one, oldest first, expired ones too."""
    known = {step.number: step for metadata in lake.metadata.values() for step in metadata.snapshots}
    metadata = lake.table(model.target)
    at, line = None if metadata is None else metadata.current, list[Snapshot]()
    while at is not None:
        line.append(known[at])
        at = known[at].parent
    return line[::-1]


def _driver(model: CompiledModel) -> TableName:
    return next(use.name for use in model.inputs if use.is_driver)


def _lag(model: CompiledModel) -> int:
    driver = model.traits.driver
    # Without a lag every row may be read: none of a simulation lies further ahead than this.
    return (driver.lag_seconds if driver is not None else None) or (0 if _has_lag(model) else -(10**9))


def _has_lag(model: CompiledModel) -> bool:
    return model.traits.driver is not None and model.traits.driver.lag_seconds is not None
