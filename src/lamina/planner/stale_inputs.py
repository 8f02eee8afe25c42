"""Hold back the readers of a table whose newest row is too old, where its freshness says so: `on_stale = "hold"`."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from lamina.compiler.graph import CompiledModel, Graph
from lamina.planner.due import selects_slices
from lamina.planner.relayout import is_rewrite
from lamina.project.limits import FreshnessSettings
from lamina.values.batch import RowsQuestion
from lamina.values.duration import parse_duration
from lamina.values.interval import MAX, Interval
from lamina.values.names import ColumnName, Position, TableName, same_name
from lamina.values.plan import Action, Build, Hold, Rebuild, Selection
from lamina.values.schema import Schema
from lamina.values.time_words import time_words
from lamina.values.value import Value


class Watched(Value, frozen=True):
    """A table whose readers are held back while it is stale."""

    name: TableName
    column: ColumnName  # as the table spells it
    held_after: str
    held_seconds: int
    is_date: bool  # the column holds dates, each of which begins in the zone
    zone: str


def watched_tables(graph: Graph) -> dict[TableName, Watched]:
    """Return the sources and models whose readers are held back while they are stale."""
    found = [(TableName(item.name), item.freshness, item.columns, "UTC") for item in graph.sources]
    found += [
        (TableName(item.name), item.settings.freshness, item.columns or (), item.settings.timezone)
        for item in graph.models
        if not item.is_ephemeral
    ]
    watched = (_watched(name, settings, columns, zone) for name, settings, columns, zone in found)
    return {table.name: table for table in watched if table is not None}


def _watched(name: TableName, settings: FreshnessSettings | None, columns: Schema, zone: str) -> Watched | None:
    if settings is None or settings.held_after is None:
        return None
    column = next((item for item in columns if same_name(item.name, settings.column)), None)
    return Watched(
        name=name,
        column=settings.column if column is None else column.name,
        held_after=settings.held_after,
        held_seconds=parse_duration(settings.held_after) or 0,
        is_date=column is not None and column.type == "date",
        zone=zone,
    )


def freshness_question(table: Watched, position: Position, execution_time: datetime) -> RowsQuestion:
    """Ask whether a table has a row that is young enough; exactly as old as allowed is fresh."""
    oldest = _oldest(table, execution_time)
    if table.is_date:
        # Files say midnight of UTC for a date, which begins at midnight of the zone.
        oldest = oldest.astimezone(ZoneInfo(table.zone)).replace(tzinfo=UTC)
    return RowsQuestion(input=table.name, position=position, column=table.column, span=Interval(oldest, MAX))


def stale_in_words(table: Watched, execution_time: datetime) -> str:
    """Say why readers of a table are held, and until when."""
    return (
        f"held: no row of `{table.name}` is younger than {table.held_after}, "
        f"until it has one of {time_words(_oldest(table, execution_time), table.zone)} or later"
    )


def hold_back(
    model: CompiledModel, decided: tuple[Action, ...], stale: Mapping[TableName, str], selection: Selection
) -> tuple[Action, ...]:
    """Return a decision in which nothing is built on stale inputs, unless it was requested for itself.

    Rows that are written in another layout are those that are there.
    """
    causes = [stale[use.name] for use in model.inputs if use.name in stale and not model.is_own(use)]
    is_requested = selection.is_forced or selection.is_full_refresh or selects_slices(selection)
    if not causes or is_requested:
        return decided
    return tuple(_held(action, "; ".join(causes)) for action in decided)


def _held(action: Action, cause: str) -> Action:
    if not isinstance(action, Build | Rebuild) or is_rewrite(action):
        return action
    return Hold(model=action.model, intervals=action.intervals, reason=f"{action.reason}; {cause}")


def _oldest(table: Watched, execution_time: datetime) -> datetime:
    return execution_time - timedelta(seconds=table.held_seconds)
