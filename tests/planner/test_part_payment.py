"""A batch that read an input at an earlier version leaves what came after it owed."""

from tests.planner.making import DAILY, ORDERS, built, day, days, model, touch, use
from tests.planner.test_owed_rows import counted

from lamina.compiler.graph import CompiledModel
from lamina.planner.fold import fold
from lamina.planner.record import record_batch
from lamina.project.strategy import Incremental
from lamina.strategies.write import write_of
from lamina.values.batch import Batch, Pin
from lamina.values.codec import from_json, to_json
from lamina.values.coverage import Coverage, Debt
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import CommitId, Fingerprint, Position
from lamina.values.plan import Mode
from lamina.values.row_counts import RangeCounts, RowCounts
from lamina.values.touch import Touch

STATS = model(inputs=(use(reads=("day",), by="day"),), strategy=DAILY)
LOADED = model(inputs=(use(is_driver=True),), strategy=Incremental())
LOG = (
    counted("2", "1", {3: RowCounts(late=1)}),
    counted("3", "2", {3: RowCounts(late=2), 5: RowCounts(late=4)}),
    counted("4", "3", {3: RowCounts(late=8)}),
)


def owing(subject: CompiledModel, span: Interval, *log: Touch) -> Coverage:
    before = built(subject, span, positions={"raw.orders": "1"})
    return fold(before, subject, touches={ORDERS: log}, heads={})[0]


def paid(
    coverage: Coverage,
    subject: CompiledModel,
    *slices: Interval,
    at: str,
    log: tuple[Touch, ...] = LOG,
    since: str | None = None,
    mode: Mode = "replace_slices",
) -> Coverage:
    """Return the coverage after slices were built from a version of the input."""
    pin = Pin(input=ORDERS, position=Position(at), since=None if since is None else Position(since))
    made = Batch(
        commit=CommitId("c"), model=subject.name, mode=mode, slices=slices, pins=(pin,), base=None, parameters={}
    )
    return record_batch(coverage, subject, made, start=day(1), watermark=None, logs={ORDERS: log})


def debts(coverage: Coverage, number: int) -> tuple[Debt, ...]:
    span = days(number)
    return next(
        item.debts for item in coverage.segments if item.interval.start <= span.start and span.end <= item.interval.end
    )


def owed(since: str, position: str, late: int | None, number: int = 3) -> tuple[Debt, ...]:
    rows = None if late is None else (RangeCounts(interval=days(number), rows=RowCounts(late=late)),)
    known = Debt(input=ORDERS, since=Position(since), position=Position(position), is_append=late is not None)
    return (known.replace(counts=rows),)


def test_what_came_after_the_version_that_was_read_stays_owed() -> None:
    coverage = owing(STATS, days(1, 9), *LOG)
    assert debts(coverage, 3) == owed("1", "4", 11)
    after = paid(coverage, STATS, days(3), at="2")
    assert debts(after, 3) == owed("2", "4", 10)
    assert debts(after, 5) == debts(coverage, 5)
    assert debts(paid(after, STATS, days(3), at="3"), 3) == owed("3", "4", 8)
    assert debts(paid(after, STATS, days(3), at="4"), 3) == ()
    assert debts(paid(after, STATS, days(5), at="3"), 5) == ()


def test_without_the_log_the_rows_of_the_whole_debt_are_an_upper_bound() -> None:
    coverage = owing(STATS, days(1, 9), *LOG)
    after = paid(coverage, STATS, days(3), at="2", log=())
    assert debts(after, 3) == tuple(debt.replace(is_append=False) for debt in owed("2", "4", 11))


def test_a_slice_that_is_new_owes_what_came_after_the_version_that_was_read() -> None:
    coverage = owing(STATS, days(1, 2), *LOG)
    after = paid(coverage, STATS, days(3, 6), at="2")
    assert [debts(after, number) for number in (3, 4)] == [owed("2", "4", 10), ()]
    assert debts(after, 5) == owed("2", "3", 4, number=5)
    unknown = paid(coverage, STATS, days(3, 6), at="2", log=())
    assert [debts(unknown, number) for number in (3, 4, 5)] == [owed("2", "4", None)] * 3


def test_a_slice_of_other_code_owes_all_that_its_own_code_may_read() -> None:
    changed = STATS.replace(fingerprint=Fingerprint("v2"))
    coverage = owing(STATS, days(1, 9), *LOG)
    after = paid(coverage, changed, days(3, 4), at="3", log=())
    assert [debts(after, number) for number in (3, 4)] == [owed("3", "4", None)] * 2


def test_an_older_version_than_was_built_from_is_owed_again() -> None:
    clean = paid(owing(STATS, days(1, 9), *LOG), STATS, days(1, 9), at="4")
    assert not any(segment.debts for segment in clean.segments)
    assert debts(paid(clean, STATS, days(3), at="1"), 3) == owed("1", "4", 11)


def test_rows_appended_later_are_loaded_from_where_the_last_load_ended() -> None:
    coverage = owing(LOADED, WHOLE, *LOG)
    for log in (LOG, ()):
        after = paid(coverage, LOADED, WHOLE, at="2", since="1", mode="append", log=log)
        (debt,) = after.segments[0].debts
        assert (debt.since, debt.position, debt.is_append) == ("2", "4", True)
        assert write_of(LOADED.traits, LOADED.driver, after.segments[0].debts).since == "2"


def test_counts_are_kept_with_a_record_and_an_older_one_has_none() -> None:
    coverage = owing(STATS, days(1, 9), *LOG)
    assert from_json(to_json(coverage), Coverage) == coverage
    older = b'{"input": "raw.orders", "since": "1", "position": "4"}'
    assert from_json(older, Debt).counts is None
    assert from_json(b'{"table":"t","position":"1","parent":null,"extent":{"type":"nothing"}}', Touch).rows is None


def test_rows_changed_later_are_no_append() -> None:
    log = (*LOG[:2], touch("4", "3", days(3)))
    coverage = owing(LOADED, WHOLE, *log)
    (debt,) = paid(coverage, LOADED, WHOLE, at="2", log=log, mode="replace_all").segments[0].debts
    assert (debt.since, debt.position, debt.is_append, debt.counts) == ("2", "4", False, None)


def test_slices_that_are_new_beside_older_ones_owe_alike() -> None:
    after = paid(owing(STATS, days(1, 3), *LOG), STATS, days(3, 5), at="2")
    assert [debts(after, number) for number in (3, 5)] == [owed("2", "4", 10), owed("2", "3", 4, number=5)]
