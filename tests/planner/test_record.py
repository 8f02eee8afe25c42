"""What a published batch leaves in coverage."""

from tests.planner.making import DAILY, ORDERS, built, day, days, head, model, touch, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.fold import fold
from lamina.planner.record import record_batch
from lamina.planner.segments import indebted
from lamina.values.batch import Batch, Pin
from lamina.values.coverage import Coverage, Cursor, Logic, Segment
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import CommitId, Fingerprint, Position, TableName
from lamina.values.plan import Mode

STATS = model(inputs=(use(reads=("day",), by="day"),), strategy=DAILY)


def batch(
    subject: CompiledModel,
    *slices: Interval,
    pin: str = "2",
    mode: Mode = "replace_slices",
    parameters: dict[str, str] | None = None,
) -> Batch:
    return Batch(
        commit=CommitId("c"),
        model=subject.name,
        mode=mode,
        slices=slices,
        pins=(Pin(input=ORDERS, position=Position(pin)),),
        base=None,
        parameters=parameters or {},
    )


def record(coverage: Coverage, subject: CompiledModel, made: Batch) -> Coverage:
    return record_batch(coverage, subject, made, start=day(1), watermark=None, logs={})


def owing(*spans: Interval) -> Coverage:
    before = built(STATS, days(1, 9), positions={"raw.orders": "1"})
    coverage, _ = fold(before, STATS, touches={ORDERS: (touch("2", "1", *spans),)}, heads={})
    return coverage


def intervals(coverage: Coverage) -> list[tuple[Interval, bool]]:
    return [(segment.interval, bool(segment.debts)) for segment in coverage.segments]


def test_a_debt_is_paid_in_the_rebuilt_range_only() -> None:
    after = record(owing(days(3, 5)), STATS, batch(STATS, days(3)))
    assert intervals(after) == [(days(1, 3), False), (days(4, 5), True), (days(6, 9), False)]


def test_a_debt_newer_than_the_pin_stays() -> None:
    log = {ORDERS: (touch("2", "1", days(3)), touch("3", "2", days(3)))}
    coverage, _ = fold(owing(days(3)), STATS, touches=log, heads={})
    assert intervals(record(coverage, STATS, batch(STATS, days(3), pin="2")))[1] == (days(3), True)
    assert intervals(record(coverage, STATS, batch(STATS, days(3), pin="3"))) == [(days(1, 9), False)]


def test_a_pin_at_the_debt_pays_it_though_the_cursor_moved_on() -> None:
    log = {ORDERS: (touch("2", "1", days(3)), touch("3", "2", days(7)))}
    coverage, _ = fold(owing(days(3)), STATS, touches=log, heads={})
    after = record(coverage, STATS, batch(STATS, days(3), pin="2"))
    assert intervals(after) == [(days(1, 6), False), (days(7), True), (days(8, 9), False)]


def test_clean_neighbours_become_one() -> None:
    after = record(owing(days(3)), STATS, batch(STATS, days(3)))
    assert intervals(after) == [(days(1, 9), False)]
    assert intervals(record(after, STATS, batch(STATS, days(10)))) == [(days(1, 10), False)]


def test_a_replaced_table_keeps_no_older_range() -> None:
    changed = STATS.replace(fingerprint=Fingerprint("v2"))
    after = record(owing(days(3)), changed, batch(changed, days(2, 5), mode="replace_all"))
    assert after.segments == (Segment(interval=days(2, 5), logic=Fingerprint("v2")),)
    assert [logic.fingerprint for logic in after.logics] == ["v2"]


def test_an_unfinished_unit_is_recorded_ragged_and_redone_from_its_start() -> None:
    ragged = Interval(day(10), day(10, hour=6))
    after = record(owing(), STATS, batch(STATS, ragged))
    assert after.segments[-1].interval.end == day(10, hour=6)
    begun = Interval(day(11, hour=3), day(13))
    assert record(Coverage(), STATS, batch(STATS, begun)).segments[0].interval == days(12)


def test_logics_and_cursors_in_use_are_kept_and_others_go() -> None:
    old, prices = Fingerprint("v0"), TableName("raw.prices")
    before = Coverage(
        segments=(Segment(interval=days(1, 2), logic=old),),
        cursors=(
            Cursor(input=TableName("raw.gone"), position=Position("1")),
            Cursor(input=ORDERS, position=Position("2")),
            Cursor(input=prices, position=Position("7")),
        ),
        logics=(
            Logic(fingerprint=Fingerprint("v_gone"), reads={TableName("raw.gone"): None}),
            Logic(old, {prices: None}),
        ),
    )
    mixed = record(before, STATS, batch(STATS, days(3)))
    assert [logic.fingerprint for logic in mixed.logics] == ["v0", "v1"]
    assert [cursor.input for cursor in mixed.cursors] == ["raw.orders", "raw.prices"]
    pure = record(mixed, STATS, batch(STATS, days(1, 2)))
    assert [logic.fingerprint for logic in pure.logics] == ["v1"]
    assert [cursor.input for cursor in pure.cursors] == ["raw.orders"]


def test_a_revert_finds_what_it_missed_while_other_code_was_current() -> None:
    first = model(inputs=(use(reads=("day",), by="day", window_days=3),), strategy=DAILY, fingerprint="v1")
    second = model(inputs=(use(reads=("day",), by="day"),), strategy=DAILY, fingerprint="v2")
    coverage = built(first, days(1, 9), positions={"raw.orders": "1"})
    log = {ORDERS: (touch("2", "1", days(3)),)}
    coverage, _ = fold(coverage, second, touches=log, heads={})
    coverage, _ = fold(coverage, first, touches=log, heads={ORDERS: head("2")})
    owed = [segment.interval for segment in coverage.segments if segment.debts]
    assert owed
    assert owed[0].start <= day(3)
    assert owed[-1].end >= day(7)


def test_slices_that_were_built_with_another_parameter_owe_it() -> None:
    subject = model(inputs=(use(by="day"),), strategy=DAILY, reads_parameters=("as_of", "start_date"))
    first = record(Coverage(), subject, batch(subject, days(1, 3), parameters={"as_of": "1", "run_id": "r"}))
    assert (first.parameters, indebted(first)) == ({"as_of": "1"}, ())
    some = record(first, subject, batch(subject, days(2), parameters={"as_of": "2"}))
    assert (some.parameters, indebted(some)) == ({"as_of": "2"}, (days(1), days(3)))
    more = record(some, subject, batch(subject, days(1), parameters={"as_of": "2"}))
    assert indebted(more) == (days(3),)
    every = record(more, subject, batch(subject, days(3), parameters={"as_of": "2"}))
    assert (every.parameters, indebted(every)) == ({"as_of": "2"}, ())


def test_a_whole_build_owes_no_parameter() -> None:
    subject = model(inputs=(use(by="day"),), strategy=DAILY, reads_parameters=("as_of",))
    first = record(Coverage(), subject, batch(subject, days(1, 2), parameters={"as_of": "1"}))
    every = record(first, subject, batch(subject, days(1, 2), mode="replace_all", parameters={"as_of": "2"}))
    assert (every.parameters, indebted(every)) == ({"as_of": "2"}, ())


def test_start_watermark_and_time_are_kept() -> None:
    whole = model(inputs=(use(),))
    made = batch(whole, WHOLE, mode="replace_all", parameters={"execution_time": "2026-04-08T06:00:00+00:00"})
    first = record_batch(Coverage(), whole, made, start=None, watermark="2026-04-07", logs={})
    assert (first.built, first.watermark, first.start) == ("2026-04-08T06:00:00+00:00", "2026-04-07", None)
    again = record_batch(first, whole, batch(whole, WHOLE, mode="merge"), start=day(1), watermark=None, logs={})
    assert (again.built, again.watermark, again.start) == (first.built, "2026-04-07", day(1).isoformat())
