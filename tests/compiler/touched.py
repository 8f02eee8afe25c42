"""Accepted queries as compiled models, and which of their slices a changed unit of an input makes stale."""

import tomllib
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from tests.compiler.projects import graph_of, model, source
from tests.planner.making import model as parent_of

from lamina.compiler.graph import CompiledModel, Graph, InputUse
from lamina.planner.fold import fold
from lamina.planner.touches import batch_extent
from lamina.project.model import InputSettings
from lamina.project.source import SourceTable
from lamina.project.strategy import Strategy, TimeInterval
from lamina.values.batch import Batch
from lamina.values.codec import from_json, to_json
from lamina.values.coverage import Coverage, Cursor, Segment
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName, CommitId, Position
from lamina.values.schema import Column, DataType
from lamina.values.touch import Touch

ACCEPTED = Path(__file__).parents[1] / "fixtures" / "incrementality" / "accepted"
OWN = "sales.balance"
COLUMNS = {
    "raw.orders": "order_id bigint, customer_id bigint, amount decimal(10,2), status string, "
    "order_ts timestamp not null, order_date date not null",
    "raw.payments": "order_id bigint, paid decimal(10,2), pay_date date",
    "sales.customers": "customer_id bigint, name string",
    "sales.calendar": "day date, label string",
}
TIMES = {"raw.orders": "order_ts", "raw.payments": "pay_date"}


def interval_cases() -> dict[str, dict[str, Any]]:
    """Return the accepted queries that are built by slices, by name."""
    found = {path.stem: tomllib.loads(path.read_text()) for path in sorted(ACCEPTED.glob("*.toml"))}
    return {name: case for name, case in found.items() if case["strategy"]["type"] == "time_interval"}


def tables() -> list[SourceTable]:
    """Return the tables that the queries read, but for their own."""
    return [_table(name, columns) for name, columns in COLUMNS.items()]


def _table(name: str, columns: str) -> SourceTable:
    found = source(name, columns)
    typed = tuple(
        Column(name=item.name, type=DataType(item.type.removesuffix(" not null")), nullable="not null" not in item.type)
        for item in found.columns
    )
    times = TIMES.get(name)
    return found.replace(columns=typed, time_column=ColumnName(times) if times else None)


def compiled(case: dict[str, Any]) -> tuple[Graph, CompiledModel]:
    """Compile one case as a project does."""
    name = OWN if OWN in case["sql"] else "main.q"
    strategy: Strategy = from_json(to_json(case["strategy"]), Strategy)  # type: ignore[arg-type]  # a union
    inputs = {key: from_json(to_json(item), InputSettings) for key, item in case.get("inputs", {}).items()}
    written = model(name, case["sql"], strategy=strategy, timezone=case.get("zone", "UTC"), inputs=inputs)
    graph = graph_of(*tables(), written)
    return graph, graph.models[0]


def starts(unit: str, zone: str, first: date, count: int) -> list[datetime]:
    """Return where units begin, counted on the clocks of a zone and by nothing else."""
    if unit in ("hour", "15 minutes"):
        step = timedelta(hours=1) if unit == "hour" else timedelta(minutes=15)
        origin = datetime.combine(first, time(), UTC)
        return [origin + step * number for number in range(count)]
    days = [first + timedelta(days=number) for number in range(count if unit == "day" else count * 31)]
    is_first = {
        "day": [True for _ in days],
        "week": [not day.weekday() for day in days],
        "month": [day.day == 1 for day in days],
    }
    firsts = [day for day, begins in zip(days, is_first[unit], strict=True) if begins]
    return [datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC) for day in firsts]


def changed(reader: CompiledModel, use: InputUse, span: Interval) -> Touch:
    """Return the touch that a rebuilt slice of an input leaves, if the input is an interval model of the same zone."""
    column = use.filter_column or ColumnName("day")
    parent = parent_of(
        str(use.name), strategy=TimeInterval(time_column=column), timezone=reader.settings.timezone
    ).replace(columns=(Column(column, DataType("date" if use.filters_dates else "timestamp")),))
    batch = Batch(CommitId("c"), parent.name, "replace_slices", (span,), pins=(), base="b", parameters={})
    return Touch(
        table=use.name,
        position=Position("2"),
        parent=Position("1"),
        extent=batch_extent(batch, parent, added=(), is_appended=False),
    )


def stale_ranges(reader: CompiledModel, touch: Touch, *, built: Interval) -> tuple[Interval, ...]:
    """Return what a touch makes stale of a built range, as the planner folds it."""
    cursors = tuple(Cursor(input=item.name, position=Position("1")) for item in reader.inputs)
    coverage = Coverage(segments=(Segment(interval=built, logic=reader.fingerprint),), cursors=cursors)
    folded, _ = fold(coverage, reader, touches={touch.table: (touch,)}, heads={})
    return merge(tuple(segment.interval for segment in folded.segments if segment.debts))
