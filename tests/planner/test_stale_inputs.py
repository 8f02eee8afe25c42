"""Readers of stale tables are held: which tables count, what is asked of files, and what is built all the same."""

from datetime import UTC, datetime

import pytest
from tests.simulation.algebra import Read
from tests.simulation.models import simulated_graph, simulated_model
from tests.simulation.project import EVENTS, FILES, HELD

from lamina.compiler.graph import CompiledModel
from lamina.planner.stale_inputs import freshness_question, hold_back, stale_in_words, watched_tables
from lamina.project.strategy import FullRefresh
from lamina.values.interval import MAX, WHOLE, Interval
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.plan import Action, Build, Hold, Rebuild, Selection
from lamina.values.schema import Column, DataType

NOW = datetime(2026, 1, 10, 6, tzinfo=UTC)
MODEL: CompiledModel = simulated_model(
    "m.a", Read(str(EVENTS.name), ("key", "amount")), strategy=FullRefresh(), start=None
)
STALE = {TableName(EVENTS.name): "held: it is old"}
BUILD = Build(model=MODEL.name, intervals=(WHOLE,), reason="first build", mode="replace_all")


def test_only_tables_that_say_so_hold_their_readers() -> None:
    reporting = FILES.replace(freshness=HELD.replace(on_stale="report"))
    graph = simulated_graph((MODEL,), (EVENTS.replace(freshness=HELD), reporting))
    assert set(watched_tables(graph)) == {TableName(EVENTS.name)}


def test_the_limit_of_a_warning_counts_where_there_is_no_other() -> None:
    warned = HELD.replace(error_after=None, warn_after="1 hour")
    assert (warned.held_after, HELD.held_after) == ("1 hour", "2 days")


def test_exactly_as_old_as_allowed_is_fresh() -> None:
    table = watched_tables(simulated_graph((), (EVENTS.replace(freshness=HELD),)))[TableName(EVENTS.name)]
    asked = freshness_question(table, Position("7"), NOW)
    assert asked.span == Interval(datetime(2026, 1, 8, 6, tzinfo=UTC), MAX)
    assert "until it has one of 2026-01-08T06:00 or later" in stale_in_words(table, NOW)


def test_a_date_begins_at_midnight_of_the_zone() -> None:
    dated = MODEL.replace(
        columns=(Column(ColumnName("day"), DataType("date")),),
        settings=MODEL.settings.replace(freshness=HELD.replace(column=ColumnName("DAY")), timezone="Europe/Stockholm"),
    )
    table = watched_tables(simulated_graph((dated,), ()))[TableName(dated.name)]
    asked = freshness_question(table, Position("7"), NOW)
    assert (asked.column, asked.span.start) == ("day", datetime(2026, 1, 8, 7, tzinfo=UTC))


@pytest.mark.parametrize("work", [BUILD, Rebuild(model=MODEL.name, intervals=(WHOLE,), reason="first build")])
def test_what_is_built_on_a_stale_input_is_held(work: Action) -> None:
    (held,) = hold_back(MODEL, (work,), STALE, Selection())
    assert isinstance(held, Hold)
    assert held.reason == "first build; held: it is old"


@pytest.mark.parametrize(
    ("work", "selection"),
    [
        (Rebuild(model=MODEL.name, intervals=(WHOLE,), reason="layout", mode="rewrite"), Selection()),
        (BUILD, Selection(is_forced=True)),
        (BUILD, Selection(partition="2026-01-01")),
        (Rebuild(model=MODEL.name, intervals=(WHOLE,), reason="requested"), Selection(is_full_refresh=True)),
    ],
)
def test_a_new_layout_and_what_is_requested_are_built(work: Action, selection: Selection) -> None:
    assert hold_back(MODEL, (work,), STALE, selection) == (work,)


def test_other_inputs_hold_nothing() -> None:
    assert hold_back(MODEL, (BUILD,), {TableName("raw.other"): "old"}, Selection()) == (BUILD,)
