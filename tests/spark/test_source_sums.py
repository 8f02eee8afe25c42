"""Checksums of a source's rows: what Spark sums sees every change, and only units that were touched are read."""

from typing import TYPE_CHECKING

import pytest
from tests.spark.lake import Lake, day

from lamina.project.source import SourceTable
from lamina.values.batch import DiffQuestion
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName, SourceName
from lamina.values.source_sums import FORM, SourceSums
from lamina.values.touch import ColumnRanges, Everything, Extent, Ranges, Refinement
from lamina.warehouse.spark import diff
from lamina.warehouse.spark.compared_sums import partition_changes, refinements_of
from lamina.warehouse.spark.source_sums import (
    SumsPlan,
    carry_over,
    plan_sums,
    rows_to_sum,
    schema_of,
    sum_groupings,
    touched_spans,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = pytest.mark.spark

AT, AMOUNT, STATUS, REGION = (ColumnName(name) for name in ("at", "amount", "status", "region"))
ORDERS = SourceTable(name=SourceName("raw.orders"), type="files", location="raw", detect="checksum", time_column=AT)
BY_AMOUNT = DiffQuestion(columns=(AMOUNT,), filter_column=AT, unit="day")
BY_STATUS = DiffQuestion(columns=(STATUS,), filter_column=AT, unit="day")
QUESTIONS = (BY_AMOUNT, BY_STATUS, DiffQuestion(columns=(AMOUNT,)))


def frame(lake: Lake, *rows: str, amount: str = "double") -> "DataFrame":
    """Return rows of a time, an amount, a status and a region."""
    listed = f"VALUES {', '.join(rows)} AS t(at, amount, status, region)"
    return lake.spark.sql(
        f"SELECT CAST(at AS TIMESTAMP) AS At, CAST(amount AS {amount}) AS amount, CAST(status AS STRING) AS status,"
        f" region FROM {listed}"
    )


def summed(
    rows: "DataFrame", source: SourceTable = ORDERS, questions: tuple[DiffQuestion, ...] = QUESTIONS
) -> SourceSums:
    plan = plan_sums(source, schema_of(rows), questions)
    return SourceSums(form=FORM, columns=plan.columns, sets=plan.sets, groupings=sum_groupings(rows, plan))


ROWS = ("('2026-01-01 10:00', 1, 'new', 'eu')", "('2026-01-01 11:00', 2, 'paid', 'us')", "('2026-01-02', 4, 'x', 'eu')")


def test_equal_rows_have_equal_sums_in_whatever_order_and_parts_they_come(lake: Lake) -> None:
    one, other = frame(lake, *ROWS), frame(lake, *reversed(ROWS)).repartition(3)
    assert refinements_of(summed(one), summed(other), QUESTIONS) == (
        Refinement(columns=(AMOUNT,)),
        Refinement(columns=(STATUS,)),
        Refinement(columns=(AMOUNT,)),
    )


@pytest.mark.parametrize(
    "after",
    [
        ("('2026-01-01 10:00', 2, 'new', 'eu')", "('2026-01-01 11:00', 1, 'paid', 'us')", ROWS[2]),
        (*ROWS, ROWS[0]),
        (ROWS[0], ROWS[2]),
        ("('2026-01-01 10:00', NULL, 'new', 'eu')", *ROWS[1:]),
        ("('2026-01-01 10:30', 1, 'new', 'eu')", *ROWS[1:]),
    ],
    ids=["swapped", "doubled", "removed", "null", "moved"],
)
def test_a_change_of_amounts_is_seen_in_its_day(lake: Lake, after: tuple[str, ...]) -> None:
    (found,) = refinements_of(summed(frame(lake, *ROWS)), summed(frame(lake, *after)), (BY_AMOUNT,))
    assert found == Refinement(columns=(AMOUNT,), filter_column=AT, ranges=(day(1),))


def test_values_that_were_summed_one_by_one_would_hide_a_swap(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    after = ("('2026-01-01 10:00', 2, 'new', 'eu')", "('2026-01-01 11:00', 1, 'paid', 'us')", ROWS[2])
    # Small hashes: a carry between the halves of a sum would show it.
    monkeypatch.setattr(diff, "row_hash", lambda values: " + ".join(f"pmod({item}, 1000)" for item in values))
    found = refinements_of(summed(frame(lake, *ROWS)), summed(frame(lake, *after)), (BY_AMOUNT,))
    assert found == (Refinement(columns=(AMOUNT,)),)


def test_nulls_the_sign_of_zero_and_types_are_part_of_it(lake: Lake) -> None:
    zero, minus = (frame(lake, f"('2026-01-01', {text}, NULL, 'eu')") for text in ("0.0D", "-0.0D"))
    empty = frame(lake, "('2026-01-01', 0.0D, '', 'eu')")
    number = frame(lake, "('2026-01-01', 0, NULL, 'eu')", amount="int")
    changed = (Refinement(columns=(AMOUNT,), filter_column=AT, ranges=(day(1),)),)
    assert refinements_of(summed(zero), summed(minus), (BY_AMOUNT,)) == changed
    assert refinements_of(summed(zero), summed(empty), (BY_STATUS,)) == (
        Refinement(columns=(STATUS,), filter_column=AT, ranges=(day(1),)),
    )
    assert refinements_of(summed(zero), summed(number), (BY_AMOUNT,)) == ()


def test_partitions_by_value_know_the_times_of_their_rows(lake: Lake) -> None:
    source = ORDERS.replace(checksum_by=(REGION, AT))
    after = (ROWS[0], "('2026-01-01 12:00', 3, 'paid', 'us')", "(NULL, 4, 'x', NULL)")
    before, now = (summed(frame(lake, *rows), source) for rows in (ROWS, after))
    found = partition_changes(before, now, ("region", "at"))
    assert found.changed == ("region=us, at=2026-01-01 00:00:00",)
    assert found.added == ("region=null, at=null",)
    assert found.removed == ("region=eu, at=2026-01-02 00:00:00",)
    assert found.unchanged == 1
    (refined,) = refinements_of(before, now, (BY_AMOUNT,))
    hours = [(span.start.day, span.start.hour, span.end.hour) for span in refined.ranges]
    assert hours == [(1, 11, 13), (2, 0, 1)]


def test_only_the_units_around_a_change_are_read_and_those_without_a_time(lake: Lake) -> None:
    rows = (*ROWS, "(NULL, 8, 'x', 'eu')")
    after = frame(lake, *ROWS[:2], "('2026-01-02 01:00', 5, 'x', 'eu')", "(NULL, 9, 'x', 'eu')")
    before, plan = summed(frame(lake, *rows)), plan_sums(ORDERS, schema_of(after), QUESTIONS)
    spans = touched_spans(plan, before, _ranges(Interval(day(2).start, day(2).start.replace(hour=3))))
    assert spans == (day(2),)
    read = rows_to_sum(after, plan, spans)
    assert read.count() == 2
    (summed_again,) = sum_groupings(read, plan)
    carried = carry_over(before, summed_again, plan, spans)
    whole = summed(after)
    assert _partitions(carried[0].partitions) == _partitions(whole.groupings[0].partitions)
    assert sum_groupings(rows_to_sum(after, plan, ()), plan)[0].partitions[0].rows == 1


@pytest.mark.parametrize("extent", [Everything(), Ranges(columns=())])
def test_everything_is_read_where_what_changed_is_not_known(lake: Lake, extent: Extent) -> None:
    rows = frame(lake, *ROWS)
    before, plan = summed(rows), plan_sums(ORDERS, schema_of(rows), QUESTIONS)
    assert touched_spans(plan, before, extent) is None
    assert touched_spans(plan, before, _ranges(WHOLE)) is None
    assert touched_spans(plan, before.replace(sets=before.sets[1:]), _ranges(day(1))) is None
    two = SumsPlan(columns=plan.columns, sets=plan.sets, units={"at": "day", "seen": "day"})
    assert touched_spans(two, before, _ranges(day(1))) is None


def _ranges(*spans: Interval) -> Ranges:
    return Ranges(columns=(ColumnRanges(column=ColumnName("AT"), ranges=spans),))


def _partitions(found: tuple[object, ...]) -> set[str]:
    return {repr(item) for item in found}
