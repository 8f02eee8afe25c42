"""Cutting decisions into batches."""

from itertools import count, pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.planner.making import DAILY, ORDERS, built, day, days, model, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.batches import cut_batches, cut_spans
from lamina.project.strategy import Incremental, TimeInterval
from lamina.values.batch import Batch, Pin
from lamina.values.grid import Grid, count_units
from lamina.values.interval import WHOLE, Interval, merge
from lamina.values.names import ColumnName, CommitId, Position
from lamina.values.plan import Build, Rebuild


def sized(size: int, *inputs: str) -> CompiledModel:
    strategy = TimeInterval(time_column=ColumnName("day"), batch_size=size)
    return model(strategy=strategy, inputs=tuple(use(name, by="day") for name in inputs))


def build(subject: CompiledModel, *spans: Interval) -> Build:
    return Build(model=subject.name, intervals=spans, reason="", mode="replace_slices")


def test_batches_stop_at_gaps_and_at_their_size() -> None:
    subject = sized(2)
    spans = tuple(cut_spans(build(subject, days(1, 3), days(5, 6)), subject))
    assert spans == (days(1, 2), days(3), days(5, 6))


def test_auto_takes_a_month_of_days_at_once() -> None:
    subject = model(strategy=DAILY)
    assert tuple(cut_spans(build(subject, days(1, 30)), subject)) == (days(1, 30),)
    year = Interval(day(1, month=1), day(31, month=12))
    assert [count_units(Grid("day"), span) for span in cut_spans(build(subject, year), subject)] == [30] * 12 + [4]


def test_auto_takes_all_at_once_where_the_inputs_are_small() -> None:
    subject = model(strategy=DAILY)
    year = Interval(day(1, month=1), day(31, month=12))
    assert tuple(cut_spans(build(subject, year), subject, input_bytes=2**20)) == (year,)
    assert len(tuple(cut_spans(build(subject, year), subject, input_bytes=2**40))) == 13
    assert len(tuple(cut_spans(build(sized(60), year), sized(60), input_bytes=2**20))) == 7


def test_a_rebuild_is_one_batch() -> None:
    subject = sized(1)
    action = Rebuild(model=subject.name, intervals=(days(1, 20),), reason="")
    assert tuple(cut_spans(action, subject)) == (days(1, 20),)


def test_a_model_that_reads_its_own_past_goes_unit_by_unit() -> None:
    subject = sized(10, "sales.stats")
    assert tuple(cut_spans(build(subject, days(1, 3)), subject)) == (days(1), days(2), days(3))


@given(st.sets(st.integers(1, 25), min_size=1), st.integers(1, 7))
def test_i8_batches_cover_exactly_what_is_asked_in_order(numbers: set[int], size: int) -> None:
    subject = sized(size)
    wanted = merge(tuple(days(number) for number in numbers))
    spans = tuple(cut_spans(build(subject, *wanted), subject))
    assert merge(spans) == wanted
    assert all(left.end <= right.start for left, right in pairwise(spans))
    assert all(count_units(Grid("day"), span) <= size for span in spans)


def test_batches_read_what_is_folded_and_the_driver_from_where_it_was_left() -> None:
    subject = model(inputs=(use(is_driver=True), use("raw.prices")), strategy=Incremental())
    coverage = built(subject, WHOLE, positions={"raw.orders": "5", "raw.prices": "9", "raw.gone": "1"})
    numbers = count(1)
    action = Build(model=subject.name, intervals=(WHOLE,), reason="", mode="append", since=Position("3"))
    batches = cut_batches(
        action,
        subject,
        coverage=coverage,
        base="pointer",
        parameters={"as_of": "2026-04-08"},
        is_from_nothing=False,
        carries_rows=True,
        new_commit=lambda: CommitId(f"c{next(numbers)}"),
    )
    assert tuple(batches) == (
        Batch(
            commit=CommitId("c1"),
            model=subject.name,
            mode="append",
            slices=(WHOLE,),
            pins=(
                Pin(input=ORDERS, position=Position("5"), since=Position("3")),
                Pin(input=use("raw.prices").name, position=Position("9")),
            ),
            base="pointer",
            parameters={"as_of": "2026-04-08"},
        ),
    )
