"""What is pending of a model: every range that a run would build or leave, and what comes due later."""

from datetime import UTC, datetime

from tests.planner.making import DAILY, ORDERS, built, day, days, facts, model, touch, use
from tests.planner.test_owed_rows import counted

from lamina.planner.decide import decide
from lamina.planner.fold import fold
from lamina.planner.now import Now
from lamina.planner.pending import model_pending, unbuildable
from lamina.planner.surplus import surplus_ranges
from lamina.values.coverage import Debt, Segment
from lamina.values.facts import Failure, ModelFacts
from lamina.values.failing import Failing
from lamina.values.interval import WHOLE, Interval, between, merge
from lamina.values.names import Fingerprint, ModelName, Position, RunId, TableName
from lamina.values.pending import Pending
from lamina.values.plan import Action, Block, Build, Hold, Rebuild, Selection, Skip, Wait
from lamina.values.result import ModelStatus
from lamina.values.row_counts import RangeCounts, RowCounts

NAME, OTHER = ModelName("sales.stats"), ModelName("sales.other")
MODEL = model(inputs=(use(reads=("day",), by="day"),), strategy=DAILY, start="2026-04-01")
BUILT = built(MODEL, days(1, 3), positions={"raw.orders": "1"})


def found(*actions: Action, known: ModelFacts | None = None) -> list[tuple[str, str]]:
    return [(item.status, _days(item)) for item in model_pending(MODEL, known or facts(BUILT), actions)]


def _days(item: Pending) -> str:
    return f"{(item.start or '')[8:10]}-{(item.end or '')[8:10]}"


def test_what_is_to_be_built_is_cut_where_it_was_never_built() -> None:
    work = Build(model=NAME, intervals=(days(2, 5), days(7)), reason="late", mode="replace_slices")
    assert found(work) == [("stale", "02-04"), ("not_built", "04-06"), ("not_built", "07-08")]
    assert found(Rebuild(model=NAME, intervals=(days(1, 4),), reason="the query changed")) == [
        ("stale", "01-04"),
        ("not_built", "04-05"),
    ]


def test_each_way_of_leaving_a_range_has_its_word() -> None:
    actions = (
        Wait(model=NAME, intervals=(days(4),), reason="not yet", until=day(6)),
        Hold(model=NAME, intervals=(days(5),), reason="kept"),
        Block(model=NAME, intervals=(days(6),), reason="no", blocked_by=(NAME,)),
        Block(model=NAME, intervals=(days(7),), reason="no", blocked_by=(OTHER,)),
        Skip(model=NAME, reason="unchanged"),
    )
    assert found(*actions) == [("waiting", "04-05"), ("held", "05-06"), ("failed", "06-07"), ("blocked", "07-08")]
    waiting, _, failed, blocked = model_pending(MODEL, facts(BUILT), actions)
    assert waiting.due_at == "2026-04-06T00:00:00Z"
    assert (failed.blocked_by, blocked.blocked_by) == ((), (OTHER,))


def test_what_failed_says_how_often_and_when_it_is_tried_again() -> None:
    failing = Failing(attempts=2, first_failed_at=day(9), next_try=day(10))
    block = Block(model=NAME, intervals=(days(2),), reason="no", blocked_by=(NAME,), failing=failing)
    assert model_pending(MODEL, facts(BUILT), (block,))[0].failing == failing
    failure = Failure(
        model=NAME,
        interval=days(2),
        fingerprint=Fingerprint("f"),
        pins={},
        kind="data_rejected",
        message="no",
        attempts=3,
        first_seen=day(9),
        run_id=RunId("run-1"),
    )
    again = Build(model=NAME, intervals=(days(2, 4),), reason="late", mode="replace_slices")
    known = facts(BUILT).replace(failures=(failure,))
    tried = model_pending(MODEL, known, (again,))
    assert [item.failing.attempts if item.failing else None for item in tried] == [3, None]


def test_rows_are_counted_for_each_input() -> None:
    inputs = (use(reads=("day",), by="day"), use("raw.customers", reads=("day",), by="day"))
    subject = model(inputs=inputs, strategy=DAILY)
    before = built(subject, days(1, 3), positions={"raw.orders": "1", "raw.customers": "1"})
    load = counted("2", "1", {2: RowCounts(on_time=3, late=1, oldest_load=day(9, hour=4))})
    coverage, _ = fold(before, subject, touches={ORDERS: (load,)}, heads={})
    work = Build(model=NAME, intervals=(days(2),), reason="late", mode="replace_slices")
    (item,) = model_pending(subject, facts(coverage), (work,))
    assert [(rows.input, rows.rows_on_time, rows.rows_late, rows.oldest_load) for rows in item.inputs] == [
        ("raw.orders", 3, 1, "2026-04-09T04:00:00Z")
    ]
    assert (item.rows_on_time, item.rows_late, item.oldest_load) == (3, 1, "2026-04-09T04:00:00Z")
    uncounted = touch("2", "1", days(2), table="raw.customers")
    coverage, _ = fold(coverage, subject, touches={TableName("raw.customers"): (uncounted,)}, heads={})
    (item,) = model_pending(subject, facts(coverage), (work,))
    assert [(rows.input, rows.rows_on_time) for rows in item.inputs] == [("raw.customers", None), ("raw.orders", 3)]
    assert item.rows_on_time is None


def test_a_slice_that_changed_before_it_is_due_waits_for_its_release() -> None:
    unfinished = built(MODEL, days(1, 2), Interval(day(3), day(3, hour=9)), positions={"raw.orders": "1"})
    coverage, _ = fold(unfinished, MODEL, touches={ORDERS: (touch("2", "1", days(3)),)}, heads={})
    known, now = facts(coverage), _at(day(3, hour=10))
    actions = decide(MODEL, known, now)
    (item,) = model_pending(MODEL, known, actions)
    assert isinstance(actions[0], Skip)
    assert (item.status, item.start, item.due_at) == ("waiting", "2026-04-03T00:00:00Z", "2026-04-04T00:00:00Z")
    assert item.reason == "changed after it was built, and is built again when it is due at 2026-04-04T00:00Z"


def test_a_request_stays_listed_until_it_is_built() -> None:
    known = facts(BUILT).replace(requests=(days(2), days(4)))
    now = _at(day(4, hour=10))
    actions = decide(MODEL, known, now)
    listed = model_pending(MODEL, known, actions)
    assert [(_days(item), item.status, item.is_requested) for item in listed] == [
        ("02-03", "stale", True),
        ("04-05", "waiting", True),
    ]
    assert listed[1].reason == "requested, and is built when it is due at 2026-04-05T00:00Z"


def test_surplus_is_not_pending() -> None:
    subject = MODEL.replace(settings=MODEL.settings.replace(start="2026-04-02"))
    coverage, _ = fold(BUILT, subject, touches={ORDERS: (touch("2", "1", days(1, 2)),)}, heads={})
    known = facts(coverage).replace(requests=(days(1),))
    listed = model_pending(subject, known, decide(subject, known, _at(day(4))))
    assert surplus_ranges(subject, coverage) == (days(1),)
    assert [_days(item) for item in listed] == ["02-03"]


def test_a_request_outside_of_its_time_is_not_pending() -> None:
    ended = MODEL.replace(settings=MODEL.settings.replace(end="2026-04-03"))
    known = facts(BUILT).replace(requests=(days(3), days(9)))
    listed = model_pending(ended, known, decide(ended, known, _at(day(12))))
    assert [_days(item) for item in listed] == ["03-04"]


def test_rows_of_another_writer_are_not_counted() -> None:
    foreign = Debt(
        input=TableName(NAME),
        since=None,
        position=Position("9"),
        is_foreign=True,
        counts=(RangeCounts(interval=days(2), rows=RowCounts(on_time=7)),),
    )
    coverage = BUILT.replace(segments=(Segment(interval=days(2), logic=MODEL.fingerprint, debts=(foreign,)),))
    work = Build(model=NAME, intervals=(days(2),), reason="another writer", mode="replace_slices")
    (item,) = model_pending(MODEL, facts(coverage), (work,))
    assert [(rows.input, rows.rows_on_time) for rows in item.inputs] == [(NAME, None)]


def test_nothing_that_is_owed_within_the_time_of_a_model_is_left_out() -> None:
    coverage, _ = fold(BUILT, MODEL, touches={ORDERS: (touch("2", "1", days(1, 3)),)}, heads={})
    known = facts(coverage)
    for hour in range(1, 6):
        listed = model_pending(MODEL, known, decide(MODEL, known, _at(day(hour))))
        spans = merge(tuple(between(item.start, item.end) for item in listed))
        assert spans[0].start == day(1)
        assert spans[0].end >= day(4)


def test_a_whole_table_has_no_bounds() -> None:
    subject = model()
    (item,) = model_pending(subject, facts(), (Build(NAME, (WHOLE,), "first build", mode="replace_all"),))
    assert (item.start, item.end, item.status) == (None, None, "not_built")


def test_a_model_that_does_not_compile_is_pending_as_a_whole() -> None:
    broken = ModelStatus(model="a.b", strategy="full_refresh", status="failed", reason="it does not compile: no `c`")
    assert unbuildable(broken) == Pending(
        model="a.b", start=None, end=None, reason="it does not compile: no `c`", status="failed"
    )
    never = ModelStatus(model="a.b", strategy="full_refresh", status="not_built", reason="never run")
    assert unbuildable(never).status == "not_built"


def _at(time: datetime) -> Now:
    assert time.tzinfo is UTC
    return Now(execution_time=time, selection=Selection(), upstream={}, touches={})
