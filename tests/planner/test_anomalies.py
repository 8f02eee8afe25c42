"""Which batches are unlike the ones before them, and which rebuilds would leave far less than there is."""

import pytest
from tests.planner.making import DAILY, built, day, days, model, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.anomalies import PastBatch, anomalies_of, size_of
from lamina.planner.segments import owe
from lamina.project.limits import AnomalySettings
from lamina.values.anomaly import Anomaly, Metric
from lamina.values.batch import Batch, BatchSize, Counts, Pin, Staged
from lamina.values.coverage import Coverage, Debt
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import CommitId, ModelName, Position, TableName
from lamina.values.plan import Mode

ORDERS = TableName("raw.orders")
NAME = ModelName("sales.stats")


def stats(*, is_daily: bool = True, **settings: object) -> CompiledModel:
    anomaly = AnomalySettings().replace(**settings)
    return model(inputs=(use(),), strategy=DAILY if is_daily else None, anomaly=anomaly)


def batch(mode: Mode, *slices: Interval, since: str | None = None, carried: tuple[Interval, ...] = ()) -> Batch:
    pin = Pin(ORDERS, Position("9"), since=None if since is None else Position(since))
    return Batch(CommitId("c"), NAME, mode, slices or (WHOLE,), pins=(pin,), base="b", parameters={}, carried=carried)


def staged(done: Batch, rows: int, *, before: int | None = None, after: int | None = None) -> Staged:
    counts = Counts(written=rows, inserted=rows)
    return Staged(done, "p", Position("1"), counts, (), rows_before=before, rows_after=after)


def past(mode: Mode, *sizes: tuple[Interval, int], is_partial: bool = False) -> tuple[PastBatch, ...]:
    return tuple(PastBatch((span,), BatchSize(mode, is_partial, rows)) for span, rows in sizes)


def found(
    subject: CompiledModel, now: Staged, *, before: Coverage | None = None, known: tuple[PastBatch, ...] = ()
) -> list[object]:
    items = anomalies_of(subject, now, before=before or Coverage(), past=known)
    return [(item.metric, item.observed, item.baseline, item.deviation_percent) for item in items]


DAYS = past("replace_slices", (days(2), 500), (days(1), 500))


@pytest.mark.parametrize(
    ("slices", "rows", "known", "seen"),
    [
        ((days(3),), 5, DAYS, [("row_count", 5, 500, 99.0)]),
        ((days(3),), 1100, DAYS, [("row_count", 1100, 500, 120.0)]),
        ((days(3),), 250, DAYS, []),  # exactly the threshold is not beyond it
        ((days(3),), 249, DAYS, [("row_count", 249, 500, 50.2)]),
        ((days(3, 4),), 1000, DAYS, []),  # rows of each day count, not of the batch
        ((days(3), days(5)), 100, DAYS, [("row_count", 50, 500, 90.0)]),
        ((days(3),), 0, DAYS, [("row_count", 0, 500, 100.0)]),
        ((days(3),), 5, (), []),  # a first batch is like no other
        ((days(3),), 5, DAYS[:1], [("row_count", 5, 500, 99.0)]),  # one earlier batch is enough
        ((days(3),), 5, past("replace_all", (days(1), 500)), []),  # of another mode
        ((days(3),), 5, (PastBatch((days(1),), None),), []),  # published before sizes were recorded
        ((days(3),), 5, past("replace_slices", (days(1), 0)), []),  # from nothing, everything is far
        ((days(3),), 60, past("replace_slices", (days(2), 0), (days(1), 100)), []),  # empty days are part of the mean
        ((Interval(day(3), day(3, hour=6)),), 5, DAYS, []),  # a day that is not over yet
        ((days(3),), 500, past("replace_slices", (Interval(day(2), day(2, hour=6)), 5), (days(1), 500)), []),
    ],
)
def test_rows_of_a_unit_are_compared_with_the_mean_of_earlier_batches(
    slices: tuple[Interval, ...], rows: int, known: tuple[PastBatch, ...], seen: list[object]
) -> None:
    assert found(stats(), staged(batch("replace_slices", *slices), rows), known=known) == seen


def test_only_the_latest_batches_count() -> None:
    known = past("replace_slices", (days(3), 10), (days(2), 10), (days(1), 1000))
    now = staged(batch("replace_slices", days(4)), 10)
    assert found(stats(history=2), now, known=known) == []
    assert found(stats(history=3), now, known=known) == [("row_count", 10, 340, 97.1)]


@pytest.mark.parametrize(
    ("since", "is_partial", "is_seen"), [("8", True, True), ("8", False, False), (None, False, True)]
)
def test_new_rows_are_compared_with_new_rows(since: str | None, is_partial: bool, is_seen: bool) -> None:
    known = past("merge", (WHOLE, 1000), is_partial=is_partial)
    assert bool(found(stats(is_daily=False), staged(batch("merge", since=since), 3), known=known)) == is_seen


def test_a_threshold_of_nothing_compares_nothing() -> None:
    assert found(stats(threshold_percent=0), staged(batch("replace_slices", days(3)), 5), known=DAYS) == []


@pytest.mark.parametrize(
    ("mode", "before", "after", "seen"),
    [
        ("replace_all", 100, 40, [("table_rows", 40, 100, 60.0)]),
        ("replace_all", 100, 0, [("table_rows", 0, 100, 100.0)]),
        ("replace_all", 100, 50, []),
        ("replace_all", 100, 900, []),  # a table may grow
        ("replace_all", None, 40, []),  # a first build
        ("replace_all", 0, 40, []),
        ("merge", 100, 40, [("table_rows", 40, 100, 60.0)]),  # keys that left the source are deleted
        ("append", 100, 40, []),
        ("rewrite", 100, 40, []),
    ],
)
def test_a_build_of_everything_is_compared_with_the_table(
    mode: Mode, before: int | None, after: int, seen: list[object]
) -> None:
    assert found(stats(is_daily=False), staged(batch(mode), 40, before=before, after=after)) == seen


def test_rows_that_another_program_wrote_are_no_baseline() -> None:
    subject = model(inputs=(use(),), anomaly=AnomalySettings())
    coverage = built(subject, WHOLE)
    debt = Debt(input=TableName(NAME), since=Position("1"), position=Position("2"), is_foreign=True)
    foreign = coverage.replace(segments=tuple(owe(item, debt) for item in coverage.segments))
    now = staged(batch("replace_all"), 40, before=100, after=40)
    assert found(subject, now, before=coverage) == [("table_rows", 40, 100, 60.0)]
    assert found(subject, now, before=foreign) == []


@pytest.mark.parametrize(
    ("carried", "seen"),
    [
        ((), [("covered_slices", 3, 10, 70.0)]),
        ((days(4, 10),), []),  # what is carried over stays built
        ((days(9, 20),), []),
    ],
)
def test_a_rebuild_with_fewer_slices_is_an_anomaly(carried: tuple[Interval, ...], seen: list[object]) -> None:
    subject = model(inputs=(use(),), strategy=DAILY, anomaly=AnomalySettings())
    now = staged(batch("replace_all", days(1, 3), carried=carried), 30)
    assert found(subject, now, before=built(subject, days(1, 10))) == seen


def test_an_anomaly_says_whether_it_stops_its_batch() -> None:
    now = staged(batch("replace_slices", days(3)), 5)
    for on_breach, is_stopped in (("warn", False), ("stop", True)):
        subject = model(
            inputs=(use(),),
            strategy=DAILY,
            anomaly=AnomalySettings().replace(on_breach=on_breach, threshold_percent=7.5),
        )
        assert anomalies_of(subject, now, before=Coverage(), past=DAYS) == (
            Anomaly(NAME, "row_count", 5, 500, 99.0, 7.5, stopped=is_stopped, intervals=(days(3),)),
        )


def test_the_size_of_a_batch_is_what_its_query_gave() -> None:
    counts = Counts(written=5, inserted=2, replaced=3, duplicate=4, deleted=9, carried=7, copied=8)
    assert size_of(batch("merge", since="8"), counts) == BatchSize("merge", is_partial=True, rows=9)
    assert size_of(batch("rewrite"), counts) is None


@pytest.mark.parametrize(
    ("metric", "observed", "baseline", "words"),
    [
        ("row_count", 12.5, 500, "12.5 rows instead of about 500 in earlier batches (99% fewer; the threshold is 50%)"),
        ("row_count", 1100, 500, "1,100 rows instead of about 500 in earlier batches (99% more; the threshold is 50%)"),
        ("row_count", 1, 500, "1 row instead of about 500 in earlier batches (99% fewer; the threshold is 50%)"),
        ("table_rows", 5, 500, "5 rows in the table instead of 500 that it has (99% fewer; the threshold is 50%)"),
        (
            "covered_slices",
            5,
            500,
            "5 built slices instead of 500 that the table has (99% fewer; the threshold is 50%)",
        ),
    ],
)
def test_an_anomaly_in_words(metric: Metric, observed: float, baseline: float, words: str) -> None:
    said = Anomaly(NAME, metric, observed, baseline, 99.0, 50, stopped=False).in_words()
    assert said == words
