"""How much of a model one run may do, and what is held for the next one."""

import pytest
from tests.planner.making import DAILY, built, day, days, facts, model, plan, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.asked import asked_slices
from lamina.planner.budget import Spent, breaches_of, used_up, within_slices
from lamina.planner.decide import decide
from lamina.planner.now import Now
from lamina.project.limits import BudgetSettings, OnBreach
from lamina.values.budget import BudgetBreach, Limit
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ModelName
from lamina.values.plan import Action, Build, Hold, Rebuild, Rename, Selection, Skip, Wait

NAME = ModelName("sales.stats")


def stats(on_breach: OnBreach = "stop", *, is_daily: bool = True, **limits: object) -> CompiledModel:
    budget = BudgetSettings(on_breach=on_breach).replace(**limits)
    return model(inputs=(use(),), strategy=DAILY if is_daily else None, budget=budget)


def work(*spans: Interval, is_deferred: bool = False, is_asked: bool = False) -> Build:
    return Build(NAME, spans, "missing", mode="replace_slices", is_deferred=is_deferred, is_asked=is_asked)


def shape(actions: tuple[Action, ...]) -> list[tuple[str, tuple[Interval, ...]]]:
    return [(type(item).__name__, () if isinstance(item, Skip | Rename) else item.intervals) for item in actions]


@pytest.mark.parametrize(
    ("decided", "built", "expected"),
    [
        ((work(days(1, 2)),), (), [("Build", (days(1, 2),))]),
        ((work(days(1, 5)),), (), [("Build", (days(1, 2),)), ("Hold", (days(3, 5),))]),
        ((work(days(1), days(4, 6)),), (), [("Build", (days(1), days(4))), ("Hold", (days(5, 6),))]),
        ((work(days(1), days(4), days(7)),), (), [("Build", (days(1), days(4))), ("Hold", (days(7),))]),
        ((work(days(2, 5)),), (days(1),), [("Build", (days(2),)), ("Hold", (days(3, 5),))]),
        ((work(days(3, 5)),), (days(1, 2),), [("Hold", (days(3, 5),))]),
        ((work(days(1, 5), is_deferred=True),), (), [("Build", (days(1, 5),))]),
        ((Skip(NAME, "unchanged"),), (), [("Skip", ())]),
        ((Wait(NAME, (days(1, 9),), "later"),), (), [("Wait", (days(1, 9),))]),
        ((Rebuild(NAME, (days(1, 5),), "code"),), (), [("Hold", (days(1, 5),))]),
        ((Rebuild(NAME, (days(1, 2),), "code"),), (), [("Rebuild", (days(1, 2),))]),
        ((Rebuild(NAME, (days(1, 9),), "layout", mode="rewrite"),), (), [("Rebuild", (days(1, 9),))]),
    ],
)
def test_a_run_builds_the_oldest_slices_and_holds_the_rest(
    decided: tuple[Action, ...], built: tuple[Interval, ...], expected: list[tuple[str, tuple[Interval, ...]]]
) -> None:
    assert shape(within_slices(stats(max_slices=2), decided, built)) == expected


@pytest.mark.parametrize(
    "subject",
    [stats("warn", max_slices=2), stats(max_rows_written=1), stats(is_daily=False, max_slices=2), model()],
    ids=["warn", "other limit", "whole table", "no budget"],
)
def test_nothing_else_cuts_a_decision(subject: CompiledModel) -> None:
    decided = (work(days(1, 5)),)
    assert within_slices(subject, decided) == decided


def test_what_is_held_says_why_and_stays_requested() -> None:
    kept, held = within_slices(stats(max_slices=2), (work(days(1, 5), is_asked=True),))
    assert held == Hold(
        NAME,
        (days(3, 5),),
        "missing; left to the next run: `max_slices` allows 2 in one run",
        limit="max_slices",
        is_asked=True,
    )
    assert asked_slices(plan(kept, held)) == {NAME: (days(1, 5),)}


def test_a_rebuild_that_is_held_names_the_ways_out() -> None:
    (held,) = within_slices(stats(max_slices=2), (Rebuild(NAME, (days(1, 5),), "code"),))
    assert isinstance(held, Hold)
    assert held.reason == (
        "code; a rebuild of 5 slices in one step is more than `max_slices` allows (2): raise it, or set `on_breach` to "
        "`warn` for one run"
    )


@pytest.mark.parametrize(
    ("subject", "spent", "expected"),
    [
        (stats(max_rows_written=10), Spent(rows=9), None),
        (stats(max_rows_written=10), Spent(rows=10), ("max_rows_written", 10)),
        (stats(max_rows_written=10), Spent(rows=10, has_gone_on=False), None),
        (stats("warn", max_rows_written=10), Spent(rows=99), None),
        (stats(max_duration="2m"), Spent(seconds=119.9), None),
        (stats(max_duration="2m"), Spent(seconds=120.1), ("max_duration", 120)),
        (stats(max_duration="2m"), Spent(seconds=120.1, has_gone_on=False), None),
        (stats(), Spent(rows=99, seconds=1e9), None),
    ],
)
def test_no_batch_is_started_when_the_budget_is_used_up(
    subject: CompiledModel, spent: Spent, expected: tuple[Limit, int] | None
) -> None:
    assert used_up(subject, spent) == expected


def test_a_rebuild_of_slice_after_slice_goes_on_where_the_run_before_ended() -> None:
    inputs = (use(by="day"), use(str(NAME), by="day", window_days=1))
    budget = BudgetSettings(max_slices=2, on_breach="stop")
    subject = model(str(NAME), inputs=inputs, strategy=DAILY, start="2026-04-01", fingerprint="v2", budget=budget)
    coverage = built(subject, days(1, 2), days(3, 7))
    newer, older = coverage.segments
    known = facts(coverage.replace(segments=(newer, older.replace(logic="v1"))))
    decided = within_slices(subject, decide(subject, known, Now(day(8), Selection(), {}, {})))
    assert shape(decided) == [("Build", (days(3, 4),)), ("Hold", (days(5, 7),))]


def held(limit: Limit, *spans: Interval) -> tuple[Hold, ...]:
    return (Hold(NAME, spans, "", limit=limit),)


@pytest.mark.parametrize(
    ("subject", "spent", "left", "refused", "expected"),
    [
        (stats("warn", max_slices=2), Spent(slices=(days(1, 2),)), (), None, []),
        (stats("warn", max_slices=2), Spent(slices=(days(1, 3),)), (), None, [("max_slices", 2, 3, False)]),
        (
            stats(max_slices=2),
            Spent(slices=(days(1, 2),)),
            held("max_slices", days(3, 9)),
            None,
            [("max_slices", 2, 9, True)],
        ),
        (stats("warn", max_rows_written=5), Spent(rows=9), (), None, [("max_rows_written", 5, 9, False)]),
        (stats(max_rows_written=5), Spent(), (), 9, [("max_rows_written", 5, 9, True)]),
        (
            stats(max_rows_written=5),
            Spent(rows=4),
            held("max_rows_written", days(3)),
            2,
            [("max_rows_written", 5, 6, True)],
        ),
        (
            stats(max_rows_written=5),
            Spent(rows=5),
            held("max_rows_written", days(3)),
            None,
            [("max_rows_written", 5, 5, True)],
        ),
        (stats("warn", max_duration="1m"), Spent(seconds=61.5), (), None, [("max_duration", 60, 61, False)]),
        (
            stats(max_duration="1m"),
            Spent(seconds=60.2),
            held("max_duration", days(3)),
            None,
            [("max_duration", 60, 60, True)],
        ),
        (stats(is_daily=False, max_slices=1), Spent(slices=(WHOLE,)), (), None, []),
        (model(), Spent(slices=(days(1, 9),), rows=9**9), (), None, []),
    ],
)
def test_limits_that_were_reached_are_reported(
    subject: CompiledModel, spent: Spent, left: tuple[Hold, ...], refused: int | None, expected: list[object]
) -> None:
    found = breaches_of(subject, spent, held=left, refused_rows=refused)
    assert [(item.limit, item.allowed, item.observed, item.stopped) for item in found] == expected


@pytest.mark.parametrize(
    ("limit", "allowed", "observed", "words"),
    [
        ("max_slices", 1, 2, "2 slices, and `max_slices` allows 1"),
        ("max_rows_written", 1000, 1200, "1,200 rows, and `max_rows_written` allows 1,000"),
        ("max_duration", 60, 95, "1 min 35 s, and `max_duration` allows 1 min 00 s"),
    ],
)
def test_a_breach_in_words(limit: Limit, allowed: int, observed: int, words: str) -> None:
    assert BudgetBreach(NAME, limit, allowed, observed, stopped=False).in_words() == words
