"""Checksums of two positions compared: what changed, came and was removed, for each set of columns."""

from datetime import UTC, datetime, timedelta

import pytest

from lamina.values.batch import DiffQuestion
from lamina.values.grid import Unit
from lamina.values.interval import Interval
from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType, Schema
from lamina.values.source_sums import FORM, Grouping, Partition, SourceSums
from lamina.values.touch import Refinement
from lamina.warehouse.spark.compared_sums import PartitionChanges, partition_changes, refinements_of
from lamina.warehouse.spark.diff_units import microsecond_of, unit_around

AT, AMOUNT, STATUS = (ColumnName(name) for name in ("at", "amount", "status"))
KINDS = {"at": "timestamp", "amount": "int", "status": "string", "day": "date", "tags": "array<int>"}
BY_AMOUNT = DiffQuestion(columns=(AMOUNT,), filter_column=AT, unit="day")
BY_STATUS = DiffQuestion(columns=(STATUS,), filter_column=AT, unit="day")

Row = tuple[datetime | None, int, str]


def schema(*names: str) -> Schema:
    return tuple(Column(name=ColumnName(name), type=DataType(KINDS[name])) for name in sorted(names))


ALL = schema("at", "amount", "status")
SETS = (schema("at", "amount"), schema("at", "status"), schema("amount"))


def moment(day: int, hour: int = 12) -> datetime:
    return datetime(2026, 1, day, hour, tzinfo=UTC)


def day(number: int, last: int | None = None) -> Interval:
    return Interval(moment(number, 0), moment(last or number, 0) + timedelta(days=1))


def summed(*rows: Row, unit: Unit = "day", columns: Schema = ALL) -> SourceSums:
    """Return sums that stand for rows: equal for equal multisets, and only for these."""
    parts: dict[int | None, list[Row]] = {}
    for row in rows:
        key = None if row[0] is None else microsecond_of(unit_around(microsecond_of(row[0]), unit).start)
        parts.setdefault(key, []).append(row)
    partitions = tuple(Partition(key=key, rows=len(items), sums=_sums(items)) for key, items in parts.items())
    grouping = Grouping(by=("at",), unit=unit, times=(), partitions=partitions)
    return SourceSums(form=FORM, columns=columns, sets=SETS, groupings=(grouping,))


def by_value(*rows: Row) -> SourceSums:
    """Return the sums of rows by their status, with the times of each."""
    parts: dict[str, list[Row]] = {}
    for row in rows:
        parts.setdefault(f"status={row[2]}", []).append(row)
    partitions = tuple(
        Partition(key=key, rows=len(items), sums=_sums(items), spans=(_span(items),)) for key, items in parts.items()
    )
    grouping = Grouping(by=("status",), unit=None, times=("at",), partitions=partitions)
    return SourceSums(form=FORM, columns=ALL, sets=SETS, groupings=(grouping,))


def _span(items: list[Row]) -> tuple[int, int] | None:
    times = [microsecond_of(row[0]) for row in items if row[0] is not None]
    return (min(times), max(times)) if times else None


def _sums(items: list[Row]) -> tuple[tuple[int, ...], ...]:
    picked: list[list[object]] = [
        [(row[0], row[1]) for row in items],
        [(row[0], row[2]) for row in items],
        [row[1] for row in items],
    ]
    return tuple((sum(hash(value) for value in values),) for values in picked)


ROWS: tuple[Row, ...] = ((moment(1), 1, "new"), (moment(2), 2, "new"), (moment(3), 4, "paid"))


def test_a_change_of_one_column_touches_only_its_readers() -> None:
    after = (ROWS[0], (moment(2), 2, "paid"), ROWS[2])
    assert refinements_of(summed(*ROWS), summed(*after), (BY_AMOUNT, BY_STATUS)) == (
        Refinement(columns=(AMOUNT,)),
        Refinement(columns=(STATUS,), filter_column=AT, ranges=(day(2),)),
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (ROWS, ROWS[:2], (day(3),)),
        (ROWS[:2], ROWS, (day(3),)),
        (ROWS, (*ROWS[1:], (moment(2, 13), 1, "new")), (day(1, 2),)),
        (ROWS, (*ROWS, ROWS[1]), (day(2),)),
        (ROWS, (*ROWS, (None, 1, "new")), ()),
    ],
    ids=["removed", "new", "moved", "doubled", "without a time"],
)
def test_changed_new_and_removed_partitions_are_touched(
    before: tuple[Row, ...], after: tuple[Row, ...], expected: tuple[Interval, ...]
) -> None:
    (found,) = refinements_of(summed(*before), summed(*after), (BY_AMOUNT,))
    assert found == Refinement(columns=(AMOUNT,), filter_column=AT, ranges=expected)


def test_two_rows_that_swap_values_are_a_change() -> None:
    after = ((moment(1), 2, "new"), (moment(2), 1, "new"), ROWS[2])
    found = refinements_of(summed(*ROWS), summed(*after), (BY_AMOUNT, DiffQuestion(columns=(AMOUNT,))))
    assert found == (
        Refinement(columns=(AMOUNT,), filter_column=AT, ranges=(day(1, 2),)),
        Refinement(columns=(AMOUNT,)),  # who does not read the time sees the same amounts
    )


def test_a_reader_of_all_columns_is_spared_only_where_both_have_the_same() -> None:
    everything = DiffQuestion(columns=None)
    wide = summed(*ROWS).replace(sets=(*SETS, ALL))
    widened = wide.replace(
        groupings=tuple(
            item.replace(partitions=tuple(part.replace(sums=(*part.sums, part.sums[0])) for part in item.partitions))
            for item in wide.groupings
        )
    )
    assert refinements_of(widened, widened, (everything,)) == (Refinement(columns=None),)
    more = widened.replace(columns=schema("at", "amount", "status", "day"))
    assert refinements_of(widened, more, (everything, BY_AMOUNT)) == (Refinement(columns=(AMOUNT,)),)


def test_another_type_another_form_and_sets_that_were_not_summed_prove_nothing() -> None:
    before = summed(*ROWS)
    retyped = tuple(item.replace(type=DataType("bigint")) if item.name == "amount" else item for item in ALL)
    assert refinements_of(before, summed(*ROWS, columns=retyped), (BY_AMOUNT,)) == ()
    assert refinements_of(before.replace(form=FORM + 1), summed(*ROWS), (BY_AMOUNT,)) == ()
    unknown = DiffQuestion(columns=(AMOUNT, STATUS), filter_column=AT, unit="day")
    assert refinements_of(before, before, (unknown,)) == ()


def test_nested_columns_count_as_changed() -> None:
    nested = schema("at", "amount", "status", "tags")
    question = DiffQuestion(columns=(ColumnName("tags"),))
    sums = summed(*ROWS, columns=nested)
    assert refinements_of(sums, sums, (question, DiffQuestion(columns=None))) == ()


def test_sums_of_hours_add_up_to_days_and_say_which_day_changed() -> None:
    before, after = summed(*ROWS, unit="hour"), summed(*ROWS[:2])
    hourly = DiffQuestion(columns=(AMOUNT,), filter_column=AT, unit="hour")
    for question in (BY_AMOUNT, hourly):
        assert refinements_of(before, after, (question,)) == (
            Refinement(columns=(AMOUNT,), filter_column=AT, ranges=(day(3),)),
        )
    months = summed(*ROWS[:2], unit="month")
    weeks = summed(*ROWS, unit="week")
    assert refinements_of(weeks, months, (BY_AMOUNT,)) == ()
    assert refinements_of(weeks, summed(*ROWS, unit="month"), (BY_AMOUNT,)) == (Refinement(columns=(AMOUNT,)),)


def test_partitions_by_value_touch_the_times_of_their_rows_before_and_after() -> None:
    late: Row = (moment(9), 8, "paid")
    (found,) = refinements_of(by_value(*ROWS), by_value(*ROWS[:2], late), (BY_AMOUNT,))
    spans = tuple(Interval(moment(number), moment(number, 13)) for number in (3, 9))
    assert found == Refinement(columns=(AMOUNT,), filter_column=AT, ranges=spans)
    (none,) = refinements_of(by_value(*ROWS), by_value(*ROWS, (None, 1, "lost")), (BY_AMOUNT,))
    assert none == Refinement(columns=(AMOUNT,), filter_column=AT)


def test_partitions_are_named_by_what_became_of_them() -> None:
    after = (ROWS[0], (moment(2), 2, "paid"), (moment(4), 1, "new"), (None, 1, "new"))
    assert partition_changes(summed(*ROWS), summed(*after), ("at",)) == PartitionChanges(
        changed=("2026-01-02",), added=("2026-01-04", "without a time"), removed=("2026-01-03",), unchanged=1
    )
    assert partition_changes(by_value(*ROWS), by_value(*ROWS[:2]), ("status",)) == PartitionChanges(
        removed=("status=paid",), unchanged=1
    )
    assert partition_changes(None, summed(*ROWS[:2]), ("at",)) == PartitionChanges(changed=("2026-01-01", "2026-01-02"))
