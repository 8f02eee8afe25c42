"""Readers of a source without a detector are built by every run, and the plan says why."""

import pytest
from tests.planner.making import DAILY, ORDERS, built, day, days, facts, model, use

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.planner.decide import decide
from lamina.planner.now import Now
from lamina.planner.standing import model_status
from lamina.project.strategy import Incremental, Merge, Strategy, TimeInterval
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName, TableName
from lamina.values.plan import Action, Build, Selection, Skip

NOON = day(8, hour=12)
WHY = '`raw.orders` is read again by every run (`detect = "always"`)'


def unseen(by: str | None = None, *, is_driver: bool = False) -> InputUse:
    return use(by=by, is_driver=is_driver).replace(is_always_new=True)


def decided(subject: CompiledModel, *spans: Interval, redoes: bool = True) -> tuple[Action, ...]:
    known = facts(built(subject, *spans, positions={"raw.orders": "1"}))
    return decide(subject, known, Now(NOON, Selection(), {}, {}, redoes))


@pytest.mark.parametrize(
    ("strategy", "mode"),
    [
        (None, "replace_all"),
        (Incremental(driver=ORDERS), "replace_all"),
        (Merge((ColumnName("id"),), driver=ORDERS), "merge"),
    ],
)
def test_a_whole_table_is_built_from_everything(strategy: Strategy | None, mode: str) -> None:
    subject = model(inputs=(unseen(is_driver=strategy is not None),), strategy=strategy)
    (action,) = decided(subject, WHOLE)
    assert isinstance(action, Build)
    assert (action.reason, action.mode, action.since) == (WHY, mode, None)


@pytest.mark.parametrize("rebuild", ["stale", "always", "last_days:2"])
@pytest.mark.parametrize("by", ["day", None])
def test_every_slice_that_is_due_is_built(rebuild: str, by: str | None) -> None:
    strategy = TimeInterval(time_column=ColumnName("day"), rebuild=rebuild)
    subject = model(inputs=(unseen(by),), strategy=strategy, start="2026-04-01")
    (action,) = decided(subject, days(1, 7))
    assert isinstance(action, Build)
    assert (action.intervals, action.reason) == ((days(1, 7),), WHY)


def test_what_is_built_by_every_run_is_current_until_a_change_is_seen() -> None:
    subject = model(inputs=(unseen("day"),), strategy=DAILY, start="2026-04-01")
    (skip,) = decided(subject, days(1, 7), redoes=False)
    assert skip == Skip(subject.name, f"unchanged; {WHY}")
    known = facts(built(subject, days(1, 7), positions={"raw.orders": "1"}))
    assert model_status(subject, known, (skip,)).status == "current"


def test_a_side_input_of_an_append_and_a_kept_one_do_not_revisit_old_rows() -> None:
    side = use("raw.rates").replace(is_always_new=True)
    loaded = model(inputs=(use(is_driver=True), side), strategy=Incremental(driver=ORDERS))
    kept = model(inputs=(use(by="day"), side.replace(on_touch="keep")), strategy=DAILY, start="2026-04-01")
    for subject, span in ((loaded, WHOLE), (kept, days(1, 7))):
        (action,) = decided(subject, span)
        assert isinstance(action, Skip)


def test_several_such_sources_are_all_named() -> None:
    subject = model(inputs=(unseen(), use("raw.rates").replace(is_always_new=True)))
    (action,) = decided(subject, WHOLE)
    assert isinstance(action, Build)
    assert TableName("raw.rates") in action.reason
    assert "are read again by every run" in action.reason
