"""Rows that came on time and late, from touches into debts: counted once, whatever is cut or fused."""

from hypothesis import given
from hypothesis import strategies as st
from tests.planner.making import DAILY, ORDERS, built, day, days, head, model, touch, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.fold import fold
from lamina.planner.owed_rows import in_all, rows_by_input
from lamina.planner.segments import cut_out, fuse, leave_out
from lamina.values.coverage import Coverage
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName
from lamina.values.row_counts import ColumnCounts, RangeCounts, RowCounts
from lamina.values.touch import Touch

STATS = model(inputs=(use(reads=("day",), by="day"),), strategy=DAILY)
ROLLING = model(inputs=(use(reads=("day",), by="day", window_days=2),), strategy=DAILY)
WHOLE_TABLE = model(inputs=(use(reads=("day",)),))
ALL = days(1, 20)

numbers = st.integers(1, 20)
rows = st.builds(RowCounts, on_time=st.integers(0, 5), late=st.integers(0, 5))
by_day = st.dictionaries(numbers, rows, min_size=1, max_size=5)
cuts = st.sets(numbers, max_size=4)


def counted(position: str, parent: str, found: dict[int, RowCounts], *, is_by_day: bool = True) -> Touch:
    """Return a touch of some days with the rows of each, or of all of them together."""
    made = touch(position, parent, *(days(number) for number in sorted(found)), is_append=True)
    made = made.replace(rows=sum(found.values(), start=RowCounts()))
    ranges = tuple(RangeCounts(interval=days(number), rows=found[number]) for number in sorted(found))
    return made.replace(rows_in=(ColumnCounts(column=ColumnName("day"), ranges=ranges),)) if is_by_day else made


def owing(subject: CompiledModel, *log: Touch) -> Coverage:
    span = WHOLE if subject is WHOLE_TABLE else ALL
    before = built(subject, span, positions={"raw.orders": "0"})
    return fold(before, subject, touches={ORDERS: log}, heads={})[0]


def pending(coverage: Coverage, *numbers: int) -> RowCounts | None:
    return in_all(rows_by_input(coverage, days(*numbers), inputs=STATS.inputs))


def test_rows_of_each_day_are_owed_by_that_day() -> None:
    late = RowCounts(late=3, oldest_load=day(7))
    coverage = owing(STATS, counted("1", "0", {2: RowCounts(on_time=5), 3: late}))
    assert pending(coverage, 2) == RowCounts(on_time=5)
    assert pending(coverage, 3) == late
    assert pending(coverage, 2, 3) == RowCounts(on_time=5, late=3, oldest_load=day(7))
    assert pending(coverage, 4) is None


def test_a_later_touch_adds_its_rows_once() -> None:
    first = counted("1", "0", {2: RowCounts(late=1, oldest_load=day(9))})
    second = counted("2", "1", {2: RowCounts(late=2, oldest_load=day(8))})
    coverage = owing(STATS, first)
    coverage, _ = fold(coverage, STATS, touches={ORDERS: (first, second)}, heads={})
    assert pending(coverage, 2) == RowCounts(late=3, oldest_load=day(8))
    again, _ = fold(coverage, STATS, touches={ORDERS: (first, second)}, heads={})
    assert again == coverage


def test_rows_that_were_not_counted_make_the_sum_unknown() -> None:
    known = counted("1", "0", {2: RowCounts(late=1), 3: RowCounts(late=4)})
    coverage = owing(STATS, known, touch("2", "1", days(2)))
    assert pending(coverage, 2) is None
    assert pending(coverage, 3) == RowCounts(late=4)


def test_a_touch_that_does_not_follow_the_cursor_counts_nothing() -> None:
    assert pending(owing(STATS, counted("2", "1", {2: RowCounts(late=1)})), 2) is None
    elsewhere, _ = fold(built(STATS, ALL, positions={"raw.orders": "0"}), STATS, touches={}, heads={ORDERS: head("9")})
    assert pending(elsewhere, 2) is None


def test_a_touched_day_without_counted_rows_is_unknown() -> None:
    made = counted("1", "0", {2: RowCounts(late=1)})
    extended = touch("1", "0", days(2), days(5)).replace(rows=made.rows, rows_in=made.rows_in)
    coverage = owing(STATS, extended)
    assert pending(coverage, 2) == RowCounts(late=1)
    assert pending(coverage, 5) is None


def test_rows_that_are_not_known_by_day_bound_each_touched_day() -> None:
    coverage = owing(STATS, counted("1", "0", {2: RowCounts(on_time=1), 6: RowCounts(on_time=2)}, is_by_day=False))
    assert pending(coverage, 2) == RowCounts(on_time=3)
    assert pending(coverage, 6) == RowCounts(on_time=3)
    assert pending(coverage, 2, 6) == RowCounts(on_time=3)
    assert pending(coverage, 4) is None


def test_every_slice_that_reads_a_row_owes_it_and_it_is_one_row_of_all() -> None:
    coverage = owing(ROLLING, counted("1", "0", {2: RowCounts(late=1)}))
    assert [pending(coverage, number) for number in (1, 2, 3, 4, 5)] == [None, *[RowCounts(late=1)] * 3, None]
    assert pending(coverage, 2, 4) == RowCounts(late=1)


def test_a_table_without_slices_owes_all_rows() -> None:
    coverage = owing(WHOLE_TABLE, counted("1", "0", {2: RowCounts(late=1), 6: RowCounts(on_time=2)}))
    assert in_all(rows_by_input(coverage, WHOLE, inputs=WHOLE_TABLE.inputs)) == RowCounts(on_time=2, late=1)


@given(st.lists(st.tuples(by_day, st.booleans()), min_size=1, max_size=4), cuts, st.booleans())
def test_rows_are_the_same_after_any_cuts(
    loads: list[tuple[dict[int, RowCounts], bool]], cut: set[int], is_rolling: bool
) -> None:
    subject = ROLLING if is_rolling else STATS
    log = tuple(
        counted(str(place + 1), str(place), found, is_by_day=is_by_day)
        for place, (found, is_by_day) in enumerate(loads)
    )
    brought = sum((item for found, _ in loads for item in found.values()), start=RowCounts())
    coverage = owing(subject, *log)
    spans: tuple[Interval, ...] = tuple(days(number) for number in sorted(cut))
    parts = coverage.replace(segments=(*cut_out(coverage.segments, spans), *leave_out(coverage.segments, spans)))
    fused = parts.replace(segments=fuse(parts.segments))
    assert fused == coverage
    for made in (coverage, fused, parts.replace(segments=tuple(sorted(parts.segments, key=lambda it: it.interval)))):
        assert in_all(rows_by_input(made, Interval(day(1), day(30)), inputs=subject.inputs)) == brought
    for number in range(1, 21):
        exact = [
            found[at]
            for found, is_by_day in loads
            for at in found
            if is_by_day and at <= number <= at + (2 if is_rolling else 0)
        ]
        bound = pending(coverage, number)
        least = sum(exact, start=RowCounts())
        assert bound is None or least | bound == bound
        assert bound is None or bound | brought == brought
        if bound is not None and all(is_by_day for _, is_by_day in loads):
            assert bound == least


@given(by_day, by_day, st.booleans())
def test_folding_in_steps_or_at_once_counts_the_same(
    first: dict[int, RowCounts], second: dict[int, RowCounts], is_by_day: bool
) -> None:
    log = (counted("1", "0", first), counted("2", "1", second, is_by_day=is_by_day))
    in_steps, _ = fold(owing(STATS, log[0]), STATS, touches={ORDERS: log}, heads={})
    assert in_steps == owing(STATS, *log)
