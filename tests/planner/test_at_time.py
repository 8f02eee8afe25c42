"""One model at one time: the same decision as the plan, with what it follows from."""

from datetime import datetime

from tests.planner.making import DAILY, built, day, days, facts, graph, model, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.at_time import model_at_time
from lamina.planner.failures import conditions_of
from lamina.planner.plan import decide_all
from lamina.planner.standing import model_status
from lamina.values.at_time import AtTime
from lamina.values.coverage import Coverage
from lamina.values.facts import Facts, Failure
from lamina.values.names import ModelName, RunId, TableName
from lamina.values.plan import Selection

ORDERS = model("sales.orders", strategy=DAILY, start="2026-04-01", cron="0 12 * * *")
READS = use("sales.orders", reads=("day",), by="day")
STATS = model(inputs=(READS, use("raw.names")), strategy=DAILY, start="2026-04-01", layer=1)


def at(
    time: datetime,
    *,
    orders: Coverage | None = None,
    stats: Coverage | None = None,
    subject: CompiledModel = STATS,
    failures: tuple[Failure, ...] = (),
) -> AtTime:
    """Decide about a parent and its reader, and tell about the reader."""
    known = {
        ORDERS.name: facts(orders, status="ours" if orders else "absent").replace(failures=failures),
        subject.name: facts(stats, status="ours" if stats else "absent"),
    }
    decided = decide_all(
        graph(ORDERS, subject), Facts(execution_time=time, heads={}, models=known), selection=Selection(), redoes=False
    )
    actions = {
        item.name: tuple(action for action in decided.actions if action.model == item.name)
        for item in (ORDERS, subject)
    }
    statuses = {item.name: model_status(item, known[item.name], actions[item.name]) for item in (ORDERS, subject)}
    found = model_at_time(
        subject,
        known[subject.name],
        actions[subject.name],
        status=statuses[subject.name],
        inputs={TableName(ORDERS.name): statuses[ORDERS.name]},
        upstream=decided.upstream,
        execution_time=time,
    )
    assert found.actions == actions[subject.name]
    return found


def test_a_slice_that_is_due_waits_for_its_input_until_its_tick() -> None:
    found = at(day(4, hour=6), orders=built(ORDERS, days(1, 2)), stats=built(STATS, days(1, 2)))
    assert (found.status, found.due, found.built) == ("waiting", days(1, 3), (days(1, 2),))
    assert found.next_due == "2026-04-05T00:00:00Z"
    assert [(item.status, item.start, item.due_at) for item in found.pending] == [
        ("waiting", "2026-04-03T00:00:00Z", "2026-04-04T12:00:00Z")
    ]
    orders, names = found.inputs
    assert (orders.status, orders.due, orders.built) == ("current", days(1, 2), (days(1, 2),))
    assert (orders.waiting, orders.until) == ((days(3),), "2026-04-04T12:00:00Z")
    assert (names.is_model, names.status, names.waiting) == (False, None, ())


def test_what_the_same_run_builds_first_keeps_nothing() -> None:
    found = at(day(4, hour=13), orders=built(ORDERS, days(1, 2)), stats=built(STATS, days(1, 2)))
    assert (found.status, found.inputs[0].status) == ("stale", "stale")
    assert (found.inputs[0].waiting, found.inputs[0].blocked) == ((), ())


def test_a_slice_that_reads_what_failed_is_blocked_by_that_input() -> None:
    failure = Failure(
        model=ModelName("sales.orders"),
        interval=days(3),
        fingerprint=ORDERS.fingerprint,
        pins={},
        kind="data_rejected",
        message="no",
        attempts=1,
        first_seen=day(4, hour=12),
        run_id=RunId("run-1"),
        conditions="x",
        next_try=day(5),
    )
    conditions = conditions_of(ORDERS, facts(built(ORDERS, days(1, 2))), day(4, hour=13))
    failed = (failure.replace(conditions=conditions),)
    found = at(day(4, hour=13), orders=built(ORDERS, days(1, 2)), stats=built(STATS, days(1, 2)), failures=failed)
    assert found.status == "blocked"
    (orders, _) = found.inputs
    assert (orders.status, orders.blocked, orders.waiting) == ("failed", (days(3),), ())


def test_before_its_start_nothing_is_due_until_its_first_slice_is_over() -> None:
    found = at(day(10, month=3))
    assert (found.due, found.next_due, found.pending) == (None, "2026-04-02T00:00:00Z", ())


def test_after_its_end_there_is_no_next_time() -> None:
    ended = model("sales.ended", inputs=(READS,), strategy=DAILY, start="2026-04-01", end="2026-04-02", layer=1)
    found = at(day(9), orders=built(ORDERS, days(1, 8)), stats=built(ended, days(1, 2)), subject=ended)
    assert (found.due, found.next_due, found.status) == (days(1, 2), None, "current")
    assert found.schedule == "each day from 2026-04-01 to 2026-04-02, released when the day is over"


def test_a_whole_table_has_no_due_range() -> None:
    whole = model("sales.whole", inputs=(use("sales.orders"),), cron="0 6 * * *", timezone="Europe/Berlin", layer=1)
    found = at(day(9, hour=20), orders=built(ORDERS, days(1, 8)), subject=whole)
    assert (found.is_whole, found.due, found.next_due) == (True, None, "2026-04-10T04:00:00Z")
    assert found.schedule == "the whole table, at most once for each tick of `0 6 * * *` (Europe/Berlin)"
