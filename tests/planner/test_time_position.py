"""Drivers that are read by their timestamps: what is read, how far it has come then, and what is left below."""

from datetime import timedelta

import pytest
from tests.planner.making import ORDERS, built, day, days, model, touch, use

from lamina.planner.batches import cut_batches
from lamina.planner.decide import decide
from lamina.planner.fold import fold
from lamina.planner.now import Now
from lamina.planner.pending import unread_rows
from lamina.planner.record import record_batch
from lamina.planner.time_position import MOST_LOADS, advanced, may_reach_below, pins_to_compare, span_to_read, spans_of
from lamina.project.strategy import Incremental
from lamina.strategies.table import traits_of
from lamina.values.batch import Batch, Pin
from lamina.values.coverage import Coverage, Cursor
from lamina.values.facts import ModelFacts, TargetFacts
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName, CommitId, Position
from lamina.values.plan import Action, Block, Build, Selection, Skip
from lamina.values.time_position import Load, Tally, TimePosition, TimeRead, TimesSeen

AT = "2026-04-05T10:00:00.000001Z"
LATER = "2026-04-06T00:00:00Z"
TS = ColumnName("day")
BY_TIME = Incremental(timestamp_column=TS, position="timestamp")
SUBJECT = model(strategy=BY_TIME, inputs=(use(is_driver=True),))
THERE = TimePosition(
    at=AT,
    ties=Tally(2, (20,)),
    below=Tally(5, (50,)),
    nulls=Tally(1, (10,)),
    columns="c",
    loads=(Load(Position("1")),),
)


def read(before: TimePosition | None = THERE) -> TimeRead:
    return TimeRead(input=ORDERS, column=TS, before=before)


def seen(**changes: object) -> TimesSeen:
    alike = TimesSeen(at=None, ties=THERE.ties, nulls=THERE.nulls, columns="c")
    return alike.replace(**changes)


def loaded(**changes: object) -> Coverage:
    cursors = (Cursor(input=ORDERS, position=Position("1")),)
    return built(SUBJECT, WHOLE).replace(time_position=THERE.replace(**changes), watermark=AT, cursors=cursors)


def decided(coverage: Coverage, *, hour: int = 6, subject: object = SUBJECT) -> Action:
    facts = ModelFacts(coverage=coverage, target=TargetFacts(status="ours"))
    (action,) = decide(subject, facts, Now(day(8, hour=hour), Selection(), {}, {}))  # type: ignore[arg-type]
    return action


def test_only_later_rows_are_read_where_nothing_came_at_the_watermark() -> None:
    span = span_to_read(read(), seen(at=LATER))
    assert (span.start, span.has_start, span.end, span.has_nulls, span.replaces) == (AT, False, LATER, False, False)


@pytest.mark.parametrize("ties", [Tally(3, (20,)), Tally(2, (21,)), Tally(0)])
def test_rows_at_the_watermark_are_replaced_where_they_changed(ties: Tally) -> None:
    span = span_to_read(read(), seen(ties=ties))
    assert (span.start, span.has_start, span.end, span.replaces) == (AT, True, AT, True)


def test_rows_whose_values_are_not_known_count_as_changed() -> None:
    position = THERE.replace(ties=Tally(2))
    assert span_to_read(read(position), seen(ties=Tally(2))).replaces
    assert span_to_read(read(), seen(columns="other")).replaces


def test_a_full_load_takes_all_rows_up_to_the_last_and_those_without_a_time() -> None:
    span = span_to_read(read(None), seen(at=LATER))
    assert (span.start, span.end, span.has_nulls) == (None, LATER, True)
    assert span_to_read(read(TimePosition()), seen()).end is None


def test_the_watermark_moves_with_the_rows() -> None:
    moved = advanced(read(), seen(at=LATER, between=Tally(3, (30,)), last=Tally(1, (7,))), Position("2"))
    assert (moved.at, moved.ties, moved.below) == (LATER, Tally(1, (7,)), Tally(10, (100,)))
    assert moved.loads == (Load(Position("2")),)
    assert (moved.late, moved.late_nulls) == (0, 0)


def test_rows_that_came_below_are_counted_and_what_was_read_keeps_its_version() -> None:
    touched = THERE.replace(is_touched=True)
    found = advanced(read(touched), seen(below=Tally(7, (90,)), nulls=Tally(2, (11,))), Position("2"))
    assert (found.late, found.late_nulls, found.is_touched) == (2, 1, False)
    assert found.loads == (Load(Position("1")), Load(Position("2"), start=AT))
    later = advanced(read(found), seen(nulls=found.nulls, at=LATER, last=Tally(1, (1,))), Position("3"))
    assert later.loads == (Load(Position("1")), Load(Position("3"), start=AT))
    assert (later.late, later.late_nulls) == (2, 1)


def test_a_table_is_compared_with_the_versions_that_its_rows_came_from() -> None:
    position = THERE.replace(at=LATER, loads=(Load(Position("1")), Load(Position("3"), start=AT)))
    (first, old), (second, new) = spans_of(TS, position)
    assert (first, old.start, old.end, old.has_end, old.has_nulls) == ("1", None, AT, False, True)
    assert (second, new.start, new.has_start, new.end, new.has_end, new.has_nulls) == (
        "3",
        AT,
        True,
        LATER,
        True,
        False,
    )
    pins = pins_to_compare(SUBJECT, Coverage(time_position=position), {ORDERS: Position("9")})
    assert pins is not None
    assert [pin.position for pin in pins] == ["1", "3"]


def test_a_mark_lists_a_limited_number_of_versions() -> None:
    position, touched = THERE, Tally(5, (50,))
    for number in range(MOST_LOADS + 5):
        touched += Tally(1, (1,))
        position = advanced(read(position), seen(below=touched), Position(str(number)))
    assert len(position.loads) == MOST_LOADS
    assert pins_to_compare(SUBJECT, Coverage(time_position=position), {ORDERS: Position("9")}) is None


@pytest.mark.parametrize(
    ("hours", "is_below"), [((0, 10), True), ((11, 12), False), ((10, 11), True)], ids=["before", "after", "same hour"]
)
def test_a_touch_is_below_by_where_its_rows_begin(hours: tuple[int, int], is_below: bool) -> None:
    span = Interval(day(5, hour=hours[0]), day(5, hour=hours[1]))
    assert may_reach_below(touch("2", "1", span), TS, AT) is is_below


def test_a_microsecond_decides() -> None:
    exact = day(5, hour=10) + timedelta(microseconds=1)
    assert not may_reach_below(touch("2", "1", Interval(exact, day(6))), TS, AT)
    assert may_reach_below(touch("2", "1", Interval(exact - timedelta(microseconds=1), day(6))), TS, AT)


def test_a_touch_of_unknown_rows_may_be_below() -> None:
    assert may_reach_below(touch("2", "1"), TS, AT)
    assert may_reach_below(touch("2", "1", days(9), column="other"), TS, AT)


def test_any_touch_of_the_driver_appends() -> None:
    for new in (touch("2", "1", days(6), is_append=True), touch("2", "1", days(6)), touch("2", "1")):
        folded, _ = fold(loaded(), SUBJECT, touches={ORDERS: (new,)}, heads={})
        action = decided(folded)
        assert isinstance(action, Build)
        assert (action.mode, action.since) == ("append", None)


def test_appended_rows_below_are_no_reason_to_refuse_a_rebuild_and_removed_ones_are() -> None:
    changed = SUBJECT.replace(fingerprint="v2")
    added, _ = fold(loaded(), SUBJECT, touches={ORDERS: (touch("2", "1", days(1), is_append=True),)}, heads={})
    assert added.time_position is not None
    assert (added.time_position.is_touched, added.held) == (True, ())
    assert not isinstance(decided(added, subject=changed), Block)
    removed, _ = fold(loaded(), SUBJECT, touches={ORDERS: (touch("2", "1", days(1)),)}, heads={})
    refused = decided(removed, subject=changed)
    assert isinstance(refused, Block)
    assert "not looked for below the watermark" in refused.reason


def test_a_look_that_finds_the_same_rows_lets_a_rebuild_go_on() -> None:
    folded, _ = fold(loaded(), SUBJECT, touches={ORDERS: (touch("2", "1", days(1)),)}, heads={})
    made = Batch(
        commit=CommitId("c"),
        model=SUBJECT.name,
        mode="append",
        slices=(WHOLE,),
        pins=(Pin(ORDERS, Position("2")),),
        base="b",
        parameters={},
        by_time=read(folded.time_position),
    )

    def after(found: TimesSeen) -> Coverage:
        return record_batch(folded, SUBJECT, made, start=None, watermark=None, logs={}, times=found)

    assert after(seen(below=THERE.below)).held == ()
    assert after(seen(below=Tally(4, (40,)))).held == (WHOLE,)


def test_without_a_watermark_everything_is_read_again() -> None:
    empty = loaded(at=None, ties=Tally(), below=Tally())
    folded, _ = fold(empty, SUBJECT, touches={ORDERS: (touch("2", "1", days(6), is_append=True),)}, heads={})
    action = decided(folded)
    assert isinstance(action, Build)
    assert action.mode == "replace_all"


def test_young_rows_are_read_when_they_are_old_enough() -> None:
    young = loaded(due_at=day(8, hour=7).isoformat())
    assert isinstance(decided(young), Skip)
    due = decided(young, hour=7)
    assert isinstance(due, Build)
    assert (due.mode, due.reason) == ("append", "rows that `safety_lag` kept back may be read now")
    (waiting,) = unread_rows(SUBJECT, young)
    assert (waiting.status, waiting.due_at) == ("waiting", "2026-04-08T07:00:00Z")


def test_a_lag_bounds_what_a_batch_reads_and_is_no_part_of_the_code() -> None:
    lagging = BY_TIME.replace(safety_lag="36h")
    subject = SUBJECT.replace(settings=SUBJECT.settings.replace(strategy=lagging))
    action = Build(model=subject.name, intervals=(WHOLE,), reason="", mode="append")
    (batch,) = cut_batches(
        action,
        subject,
        coverage=loaded(),
        base=None,
        parameters={"execution_time": day(8).isoformat()},
        new_commit=lambda: CommitId("c"),
        is_from_nothing=False,
        carries_rows=False,
    )
    assert batch.by_time is not None
    assert (batch.by_time.until, batch.by_time.before) == ("2026-04-06T12:00:00+00:00", THERE)
    assert traits_of(lagging).identity == traits_of(BY_TIME).identity


def test_rows_below_the_watermark_are_pending() -> None:
    late = loaded(late=2, late_nulls=1, loads=(Load(Position("1")), Load(Position("2"), start=AT)))
    (held,) = unread_rows(SUBJECT, late)
    assert (held.status, held.rows_late) == ("held", 3)
    assert held.reason.startswith(f"below_watermark: 2 rows appeared below the watermark {AT} and 1 row without")
    assert list(unread_rows(SUBJECT, loaded())) == []


def test_what_cannot_be_compared_is_not_called_changed() -> None:
    loads = (Load(Position("1")), Load(Position("2"), start=AT))
    (held,) = unread_rows(SUBJECT, loaded(loads=loads))
    assert "were changed or removed" in held.reason
    (held,) = unread_rows(SUBJECT, loaded(loads=loads, below=Tally(5)))
    assert "may have changed, and have values that cannot be compared" in held.reason
