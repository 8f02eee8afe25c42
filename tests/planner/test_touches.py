"""What batches do to readers, and what a diff is asked."""

import pytest
from tests.planner.making import DAILY, built, day, days, model, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.touches import (
    adds_nothing,
    batch_extent,
    diff_questions,
    is_append,
    is_compared,
    naming_questions,
)
from lamina.project.strategy import Incremental
from lamina.values.batch import Batch, Counts, Diff, DiffQuestion, Pin, Staged
from lamina.values.coverage import Coverage, InputRange, Logic
from lamina.values.drift import Drift
from lamina.values.grid import Grid
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName, CommitId, Fingerprint, Position, TableName
from lamina.values.plan import Mode
from lamina.values.schema import Column, DataType
from lamina.values.touch import ColumnRanges, Everything, Ranges, Refinement

STATS = model(strategy=DAILY)


NO_ROWS = Counts()


def batch(subject: CompiledModel, *slices: Interval, mode: Mode, since: str | None = None) -> Batch:
    pin = Pin(input=TableName("raw.orders"), position=Position("2"), since=None if since is None else Position(since))
    return Batch(
        commit=CommitId("c"),
        model=subject.name,
        mode=mode,
        slices=slices,
        pins=(pin,),
        base="pointer",
        parameters={},
    )


def test_replaced_slices_touch_their_ranges() -> None:
    extent = batch_extent(batch(STATS, days(3), mode="replace_slices"), STATS, added=(), is_appended=False)
    assert extent == Ranges(columns=(ColumnRanges(column=ColumnName("day"), ranges=(days(3),)),))


def test_a_zoned_date_column_is_touched_in_its_own_domain() -> None:
    zoned = model(strategy=DAILY, column_type="date", timezone="America/New_York")
    local = Interval(day(3, hour=4), day(5, hour=4))
    extent = batch_extent(batch(zoned, local, mode="replace_slices"), zoned, added=(), is_appended=False)
    assert extent == Ranges(columns=(ColumnRanges(column=ColumnName("day"), ranges=(days(3, 4),)),))
    ragged = Interval(day(3, hour=4), day(4, hour=9))
    extent = batch_extent(batch(zoned, ragged, mode="replace_slices"), zoned, added=(), is_appended=False)
    assert extent == Ranges(columns=(ColumnRanges(column=ColumnName("day"), ranges=(days(3, 4),)),))


def test_an_append_touches_where_its_rows_lie_if_that_is_known() -> None:
    subject = model(strategy=Incremental())
    known = (ColumnRanges(column=ColumnName("ts"), ranges=(days(3),)),)
    made = batch(subject, WHOLE, mode="append")
    assert batch_extent(made, subject, added=known, is_appended=True) == Ranges(columns=known)
    assert batch_extent(made, subject, added=(), is_appended=True) == Everything()
    assert is_append(made, Counts(inserted=1))


def test_an_append_that_replaced_rows_is_compared_and_touches_everything() -> None:
    subject = model(strategy=Incremental())
    known = (ColumnRanges(column=ColumnName("ts"), ranges=(days(3),)),)
    made, counts = batch(subject, WHOLE, mode="append"), Counts(inserted=2, deleted=1)
    assert not is_append(made, counts)
    assert batch_extent(made, subject, added=known, is_appended=False) == Everything()
    assert is_compared(made, built(subject, WHOLE), (), counts)
    staged = Staged(batch=made, pointer="p", position=Position("3"), counts=Counts(deleted=1), columns=())
    assert not adds_nothing(staged)


def test_an_append_without_rows_touches_no_reader() -> None:
    made = batch(model(strategy=Incremental()), WHOLE, mode="append")
    staged = Staged(batch=made, pointer="p", position=Position("3"), counts=Counts(read=4), columns=())
    drift = Drift(model=made.model, column="note", before=None, after="string", action="added", reason="")
    assert adds_nothing(staged)
    assert not adds_nothing(staged.replace(counts=Counts(written=1)))
    assert not adds_nothing(staged.replace(drift=(drift,)))


def test_a_replaced_table_touches_everything() -> None:
    made = batch(STATS, days(1, 9), mode="replace_all")
    assert batch_extent(made, STATS, added=(), is_appended=False) == Everything()
    assert not is_append(made, Counts(inserted=1))


def test_slices_that_had_no_rows_are_filled_by_an_append() -> None:
    made = batch(STATS, days(3), mode="replace_slices")
    assert is_append(made, Counts(inserted=5))
    assert not is_append(made, Counts(inserted=5, deleted=1))
    assert not is_append(made, Counts(inserted=5, copied=1))


def test_only_what_replaces_built_rows_is_compared() -> None:
    coverage = built(STATS, days(1, 5))
    assert is_compared(batch(STATS, days(3), mode="replace_slices"), coverage, (), NO_ROWS)
    assert not is_compared(batch(STATS, days(6), mode="replace_slices"), coverage, (), NO_ROWS)
    assert not is_compared(batch(STATS, days(3), mode="replace_slices").replace(base=None), coverage, (), NO_ROWS)
    assert not is_compared(batch(STATS, WHOLE, mode="append"), built(STATS, WHOLE), (), NO_ROWS)
    new_rows = batch(STATS, WHOLE, mode="merge", since="1")
    assert not is_compared(new_rows, built(STATS, WHOLE), (), NO_ROWS)
    assert is_compared(new_rows, built(STATS, WHOLE), (DiffQuestion(columns=None),), NO_ROWS)


def test_a_diff_is_asked_once_for_each_way_of_reading() -> None:
    table = TableName("sales.orders")
    interval = model("a.interval", inputs=(use("sales.orders", reads=("day", "amount"), by="day"),), strategy=DAILY)
    whole = model("a.whole", inputs=(use("sales.orders", reads=("status",), by="day"),))
    twin = model("a.twin", inputs=(use("sales.orders", reads=("status",)),))
    star = model("a.star", inputs=(use("sales.orders"),))
    old = Logic(fingerprint=Fingerprint("v0"), reads={table: (ColumnName("old"),)})
    ranged = Logic(
        fingerprint=Fingerprint("v00"),
        reads={table: (ColumnName("at"),)},
        grid=Grid("hour"),
        ranges={table: InputRange(ColumnName("at"))},
    )
    current = Logic(fingerprint=whole.fingerprint, reads={table: (ColumnName("status"),)})
    questions = diff_questions(
        table, (interval, whole, twin, star), coverages={"a.whole": Coverage(logics=(old, ranged, current))}
    )
    assert questions == (
        DiffQuestion(columns=(ColumnName("day"), ColumnName("amount")), filter_column=ColumnName("day"), unit="day"),
        DiffQuestion(columns=(ColumnName("status"),)),
        DiffQuestion(columns=(ColumnName("old"),)),
        DiffQuestion(columns=(ColumnName("at"),), filter_column=ColumnName("at"), unit="hour"),
        DiffQuestion(columns=None),
    )


@pytest.mark.parametrize(
    ("zone", "of_dates", "unit"),
    [
        ("UTC", False, "day"),
        ("Europe/Stockholm", False, "hour"),
        ("Asia/Kolkata", False, "15 minutes"),
        ("Asia/Kolkata", True, "day"),
    ],
)
def test_changes_are_grouped_so_that_local_days_stay_apart(zone: str, *, of_dates: bool, unit: str) -> None:
    reader = model(inputs=(use(by="day", of_dates=of_dates),), strategy=DAILY, timezone=zone)
    assert [item.unit for item in diff_questions(TableName("raw.orders"), (reader,), coverages={})] == [unit]


def test_single_columns_are_compared_only_to_name_them_to_a_spared_reader() -> None:
    day, amount, status, note = (ColumnName(name) for name in ("day", "amount", "Status", "note"))
    columns = tuple(Column(name=name, type=DataType("string")) for name in (day, amount, status, note))
    spared = Refinement(columns=(day, ColumnName("Amount")))
    rebuilt = Refinement(columns=(status,), filter_column=day, ranges=(days(3),))

    def named(*proofs: Refinement, is_equal: bool = False) -> list[tuple[ColumnName, ...] | None]:
        return [item.columns for item in naming_questions(columns, Diff(is_equal=is_equal, refinements=proofs))]

    assert named(spared, rebuilt) == [(status,), (note,)]
    assert named(rebuilt) == []
    assert named(spared, is_equal=True) == []
    assert named(spared, Refinement(columns=(note,))) == []  # `status` is what is left
    assert naming_questions(columns * 13, Diff(is_equal=False, refinements=(spared,))) == ()
