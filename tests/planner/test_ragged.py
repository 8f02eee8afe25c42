"""Unfinished slices go on without a build only where no row of them can be missing."""

from datetime import datetime

import pytest
from tests.planner.making import ORDERS, built, day, facts, model, touch, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.agreement import differences
from lamina.planner.decide import decide
from lamina.planner.fold import fold
from lamina.planner.now import Now
from lamina.planner.ragged import moved_ends, rest_questions, unfinished_rest, with_moved_ends
from lamina.planner.recover import Recorded
from lamina.project.strategy import TimeInterval
from lamina.values.batch import Batch, Pin
from lamina.values.coverage import Coverage, Mark
from lamina.values.facts import Head
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, CommitId, Fingerprint, ModelName, Position
from lamina.values.plan import Build, Selection, Skip

HOURLY = {"cron": "@hourly", "allow_partials": True, "start": "2026-04-01"}
BY_DAY = use(by="day")
WHOLE_SHOPS = use("raw.shops").replace(is_read_whole=True)
REST = Interval(day(3, hour=9), day(4))


def subject(*inputs: object, granularity: str = "day", batch_size: int = 5, **settings: object) -> CompiledModel:
    strategy = TimeInterval(ColumnName("day"), batch_size=batch_size).replace(granularity=granularity)
    return model(inputs=inputs or (BY_DAY,), strategy=strategy, **{**HOURLY, **settings})  # type: ignore[arg-type]


def ragged(item: CompiledModel, quiet: tuple[Interval, ...] = (REST,)) -> Coverage:
    known = built(item, Interval(day(1), day(3, hour=9)), positions={str(ORDERS): "1"})
    return known.replace(quiet=quiet)


def now(at: datetime) -> Now:
    return Now(execution_time=at, selection=Selection(), upstream={}, touches={})


def batch(item: CompiledModel, end: datetime) -> Batch:
    pins = tuple(Pin(input=part.name, position=Position("1")) for part in item.inputs)
    return Batch(
        commit=CommitId("c"),
        model=item.name,
        mode="replace_slices",
        slices=(Interval(day(1), end),),
        pins=pins,
        base=None,
        parameters={},
    )


def test_an_end_goes_on_as_far_as_is_due() -> None:
    item = subject()
    assert moved_ends(item, facts(ragged(item)), now(day(3, hour=11))) == (Interval(day(3, hour=9), day(3, hour=11)),)
    moved = with_moved_ends(item, facts(ragged(item)), now(day(3, hour=11))).coverage
    assert [segment.interval for segment in moved.segments] == [Interval(day(1), day(3, hour=11))]
    assert moved.quiet == (Interval(day(3, hour=11), day(4)),)


def test_a_unit_whose_end_came_is_whole() -> None:
    item = subject()
    moved = with_moved_ends(item, facts(ragged(item)), now(day(4, hour=1))).coverage
    assert [segment.interval for segment in moved.segments] == [Interval(day(1), day(4))]
    assert moved.quiet == ()
    (action,) = decide(item, facts(ragged(item)), now(day(4, hour=1)))
    assert isinstance(action, Build)
    assert action.intervals == (Interval(day(4), day(4, hour=1)),)
    assert "2026-04-03 is whole without a build" in action.reason


def test_a_decision_says_that_an_end_moves() -> None:
    item = subject()
    (action,) = decide(item, facts(ragged(item)), now(day(3, hour=11)))
    assert isinstance(action, Skip)
    assert action.reason.startswith("2026-04-03 (unfinished) goes on to 2026-04-03T11:00Z without a build")


def test_an_end_stays_where_rows_may_have_been_held() -> None:
    item = subject()
    (action,) = decide(item, facts(ragged(item, quiet=())), now(day(3, hour=11)))
    assert isinstance(action, Build)
    assert action.intervals == (Interval(day(3), day(3, hour=11)),)


@pytest.mark.parametrize("hour", [1, 10, 23])
def test_a_touch_anywhere_in_the_unit_keeps_the_end(hour: int) -> None:
    item = subject()
    new = touch("2", "1", Interval(day(3, hour=hour), day(3, hour=hour).replace(minute=1)))
    coverage, _ = fold(ragged(item), item, touches={ORDERS: (new,)}, heads={})
    assert moved_ends(item, facts(coverage), now(day(3, hour=11))) == ()


def test_a_touch_of_another_day_does_not() -> None:
    item = subject()
    new = touch("2", "1", Interval(day(2), day(2, hour=1)))
    coverage, _ = fold(ragged(item), item, touches={ORDERS: (new,)}, heads={})
    assert moved_ends(item, facts(coverage), now(day(3, hour=11)))


def test_an_end_stays_for_other_code_other_units_and_accepted_rows() -> None:
    item, at = subject(), now(day(3, hour=11))
    assert moved_ends(item.replace(fingerprint=Fingerprint("v2")), facts(ragged(item)), at) == ()
    assert moved_ends(subject(granularity="month"), facts(ragged(item)), at) == ()
    assert moved_ends(item, facts(ragged(item).replace(not_followed=(ORDERS,))), at) == ()
    assert moved_ends(item, facts(ragged(item), status="foreign_write"), at) == ()


def test_what_is_asked_of_inputs() -> None:
    item = subject(BY_DAY, WHOLE_SHOPS)
    rest = unfinished_rest(item, batch(item, day(3, hour=9)))
    assert rest == REST
    (asked,) = rest_questions(item, batch(item, day(3, hour=9)), REST) or ()
    assert (asked.input, asked.column, asked.span) == (ORDERS, "day", REST)
    assert unfinished_rest(item, batch(item, day(3))) is None


def test_a_date_is_read_whole_as_soon_as_its_day_begins() -> None:
    dated = use(by="day", of_dates=True)
    assert rest_questions(subject(dated), batch(subject(dated), day(3, hour=9)), REST) == ()
    month = subject(dated, granularity="month")
    rest = Interval(day(3, hour=9), day(1, month=5))
    (asked,) = rest_questions(month, batch(month, day(3, hour=9)), rest) or ()
    assert asked.span == Interval(day(4), day(1, month=5))


@pytest.mark.parametrize(("of_dates", "first"), [(False, day(1, hour=9)), (True, day(2))], ids=["times", "dates"])
def test_rows_before_the_rest_count_where_slices_reach_back(of_dates: bool, first: datetime) -> None:
    rest, end = Interval(day(3, hour=9), day(1, month=5)), day(3, hour=9)
    month = subject(use(by="day", of_dates=of_dates, window_days=2), granularity="month")
    (asked,) = rest_questions(month, batch(month, end), rest) or ()
    assert asked.span == Interval(first, day(1, month=5))


@pytest.mark.parametrize(
    "item",
    [
        subject(use()),
        subject(use(by="day", ahead_days=1)),
        subject(use(by="day", on_touch="keep")),
        subject(use("sales.stats", by="day")),
        subject(use(by="day", of_dates=True), granularity="hour"),
        subject(use(by="day", of_dates=True), timezone="Europe/Stockholm"),
        subject(batch_size=1),
        subject(allow=("L420",)),
        subject().replace(kind="python"),
    ],
)
def test_nothing_is_asked_where_no_answer_would_do(item: CompiledModel) -> None:
    assert rest_questions(item, batch(item, day(3, hour=9)), REST) is None


def test_state_may_be_ahead_of_a_mark_by_a_moved_end() -> None:
    item = subject()
    marked, held = ragged(item), with_moved_ends(item, facts(ragged(item)), now(day(3, hour=11))).coverage
    mark = Mark("c", "r", 1, "p", "prod", "s", item.name, item.fingerprint, (), {}, coverage=marked)
    head, recorded = Head(ORDERS, "p", Position("1")), Recorded(pointer="p", position=Position("1"), coverage=held)
    assert differences(recorded, head, model=ModelName("sales.stats"), mark=mark) == ()
    further = recorded.replace(coverage=built(item, Interval(day(1), day(5))).replace(cursors=held.cursors))
    assert differences(further, head, model=ModelName("sales.stats"), mark=mark)
