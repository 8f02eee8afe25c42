"""One pass over old and new rows: what it costs, and that checksums see every change."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.spark.lake import Lake, day, schema

from lamina.values.batch import Diff, DiffQuestion
from lamina.values.interval import Interval
from lamina.values.names import ColumnName
from lamina.values.touch import Refinement
from lamina.warehouse.spark.diff import Sides, diff_sides, of_versions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = pytest.mark.spark

TS, SEEN, AMOUNT, STATUS = (ColumnName(name) for name in ("ts", "seen", "amount", "status"))

SIX_READERS = (
    DiffQuestion(columns=(AMOUNT,), filter_column=TS, unit="day"),
    DiffQuestion(columns=(AMOUNT, STATUS), filter_column=TS, unit="month"),
    DiffQuestion(columns=(STATUS,), filter_column=TS, unit="hour"),
    DiffQuestion(columns=(STATUS,), filter_column=SEEN, unit="week"),
    DiffQuestion(columns=(STATUS, AMOUNT)),
    DiffQuestion(columns=None),
)


def frame(lake: Lake, *rows: str) -> "DataFrame":
    """Return rows of a time, another time, an amount and a status."""
    listed = f"VALUES {', '.join(rows)} AS t(ts, seen, amount, status)"
    return lake.spark.sql(
        f"SELECT CAST(ts AS TIMESTAMP) AS ts, CAST(seen AS TIMESTAMP) AS seen, amount, status FROM {listed}"
    )


def compare(old: "DataFrame", new: "DataFrame", *questions: DiffQuestion) -> Diff:
    before, after = (schema(", ".join(f"{name} {kind}" for name, kind in side.dtypes)) for side in (old, new))
    return diff_sides(of_versions(old, new), questions, before=before, after=after)


@contextmanager
def counted_jobs(lake: Lake, group: str) -> Iterator[list[int]]:
    """Give the jobs of a block once it has ended."""
    jobs: list[int] = []
    tracker = lake.spark.sparkContext.statusTracker()
    lake.application.name_jobs(group)
    yield jobs
    jobs += tracker.getJobIdsForGroup(group)
    lake.application.name_jobs("")


def test_six_readers_are_answered_by_the_jobs_of_one_and_each_side_is_read_once(lake: Lake) -> None:
    old, new = (frame(lake, f"('2026-01-05', '2026-01-06', 1, '{status}')") for status in ("a", "b"))
    columns, read = schema("ts timestamp, seen timestamp, amount int, status string"), list[list[str]]()
    whole = of_versions(old, new)

    def sides(names: list[str]) -> "DataFrame":
        read.append(names)
        return whole(names)

    def jobs_of(group: str, asked: Sides, *questions: DiffQuestion) -> int:
        with counted_jobs(lake, group) as jobs:
            diff_sides(asked, questions, before=columns, after=columns)
        return len(jobs)

    alone = jobs_of("one reader", whole, SIX_READERS[0])
    assert jobs_of("six readers", sides, *SIX_READERS) == alone > 0
    assert read == [["`amount`", "`seen`", "`status`", "`ts`"]]


def test_readers_of_every_unit_and_filter_column_get_their_own_ranges(lake: Lake) -> None:
    rows = ("('2026-01-05 03:10', '2026-02-04', 1, 'a')", "('2026-01-20 00:00', '2026-02-10', 2, 'b')")
    late = "('2026-01-05 04:50', '2026-02-03', 1, 'a')"

    diff = compare(frame(lake, *rows), frame(lake, *rows, late), *SIX_READERS)

    hour = Interval(day(5).start.replace(hour=4), day(5).start.replace(hour=5))
    month = Interval(day(1).start, day(1, month=2).start)
    week = Interval(day(2, month=2).start, day(9, month=2).start)
    assert not diff.is_equal
    assert diff.refinements == (
        Refinement(columns=(AMOUNT,), filter_column=TS, ranges=(day(5),)),
        Refinement(columns=(AMOUNT, STATUS), filter_column=TS, ranges=(month,)),
        Refinement(columns=(STATUS,), filter_column=TS, ranges=(hour,)),
        Refinement(columns=(STATUS,), filter_column=SEEN, ranges=(week,)),
    )


def test_sums_by_unit_add_up_to_the_whole(lake: Lake) -> None:
    old = frame(lake, "('2026-01-05', NULL, 1, 'a')", "('2026-01-07', NULL, 2, 'b')")
    swapped = frame(lake, "('2026-01-05', NULL, 2, 'b')", "('2026-01-07', NULL, 1, 'a')")
    by_day = DiffQuestion(columns=(AMOUNT,), filter_column=TS, unit="day")

    diff = compare(old, swapped, by_day, DiffQuestion(columns=(AMOUNT, STATUS)))

    assert diff.refinements == (
        Refinement(columns=(AMOUNT,), filter_column=TS, ranges=(day(5), day(7))),
        Refinement(columns=(AMOUNT, STATUS)),
    )


def test_values_that_changed_rows_are_a_change_of_their_pair_alone(lake: Lake) -> None:
    old = frame(lake, "(NULL, NULL, 1, 'a')", "(NULL, NULL, 2, 'b')")
    crossed = frame(lake, "(NULL, NULL, 1, 'b')", "(NULL, NULL, 2, 'a')")
    alone, pair = (DiffQuestion(columns=(name,)) for name in (AMOUNT, STATUS)), (AMOUNT, STATUS)

    diff = compare(old, crossed, *alone, DiffQuestion(columns=pair))

    assert not diff.is_equal
    assert diff.refinements == (Refinement(columns=(AMOUNT,)), Refinement(columns=(STATUS,)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(NULL, NULL, 1, 'a')", "(NULL, NULL, INT(NULL), 'a')"),
        ("(NULL, NULL, 0, 'a')", "(NULL, NULL, INT(NULL), 'a')"),
        ("(NULL, NULL, '', 'a')", "(NULL, NULL, STRING(NULL), 'a')"),
        ("(NULL, NULL, 0.0D, 'a')", "(NULL, NULL, -0.0D, 'a')"),
        ("(NULL, NULL, FLOAT(0.0D), 'a')", "(NULL, NULL, FLOAT(-0.0D), 'a')"),
        ("(NULL, NULL, DOUBLE('NaN'), 'a')", "(NULL, NULL, 0.0D, 'a')"),
        ("(NULL, NULL, 1.10BD, 'a')", "(NULL, NULL, 1.11BD, 'a')"),
        ("(NULL, NULL, '1', STRING(NULL))", "(NULL, NULL, STRING(NULL), '1')"),
        ("(NULL, NULL, 'ab', 'c')", "(NULL, NULL, 'a', 'bc')"),
        ("(NULL, NULL, 1, 'a'), (NULL, NULL, 1, 'a')", "(NULL, NULL, 1, 'a')"),
        ("(NULL, NULL, 1, array(array(1, 2), array(3)))", "(NULL, NULL, 1, array(array(1), array(2, 3)))"),
    ],
)
def test_small_changes_are_seen_by_checksums(lake: Lake, before: str, after: str) -> None:
    assert not compare(frame(lake, before), frame(lake, after)).is_equal


def test_a_reader_that_only_counts_rows_is_spared_while_their_number_is_the_same(lake: Lake) -> None:
    row, other = "('2026-01-05', NULL, 1, 'a')", "('2026-01-05', NULL, 2, 'b')"
    count = DiffQuestion(columns=())
    by_day = DiffQuestion(columns=(AMOUNT,), filter_column=TS, unit="day")
    with_more = frame(lake, row).selectExpr("*", "1 AS more")

    assert compare(frame(lake, row), frame(lake, other), count).refinements == (Refinement(columns=()),)
    assert compare(frame(lake, row), frame(lake, row, row), count).refinements == ()
    assert compare(frame(lake, row), with_more, count).refinements == (Refinement(columns=()),)
    assert compare(frame(lake, row), with_more, count, by_day) == Diff(
        is_equal=False, refinements=(Refinement(columns=()), Refinement(columns=(AMOUNT,)))
    )


@pytest.mark.parametrize("row", ["(NULL, NULL, DOUBLE('NaN'), 'a')", "('2026-01-01', NULL, -0.0D, STRING(NULL))"])
def test_the_same_rows_have_the_same_checksums(lake: Lake, row: str) -> None:
    assert compare(frame(lake, row, row), frame(lake, row, row), *SIX_READERS).is_equal


def test_sides_without_rows_are_equal(lake: Lake) -> None:
    empty = frame(lake, "(NULL, NULL, 1, 'a')").limit(0)
    assert compare(empty, empty).is_equal
    assert compare(empty, empty, *SIX_READERS).is_equal
