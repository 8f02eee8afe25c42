"""The diff of old and new rows, for each set of columns and each unit that readers ask about."""

import time
from collections.abc import Iterator

import pytest
from tests.spark.lake import Lake, day

from lamina.compiler.render import verbatim
from lamina.project.strategy import Merge, TimeInterval
from lamina.values.batch import DiffQuestion
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName
from lamina.values.touch import Refinement

pytestmark = pytest.mark.spark

TS, AMOUNT, STATUS = (ColumnName(name) for name in ("ts", "amount", "status"))


def rows(*values: str) -> str:
    listed = f"VALUES {', '.join(values)} AS t(ts, amount, status)"
    return f"SELECT CAST(ts AS TIMESTAMP) AS ts, amount, status FROM {listed}"


def test_equal_rebuild_is_equal_and_publishes_only_a_mark(lake: Lake) -> None:
    text = rows("('2026-01-01', 1.5D, 'a')", "(NULL, NULL, NULL)")
    lake.build(lake.add_model("d.t", text))
    model = lake.add_model("d.t", text + " ORDER BY amount")
    staged = lake.stage(model)

    diff = lake.warehouse.diff(staged, ())
    lake_move = lake.mark(staged)

    assert diff.is_equal
    head = lake.warehouse.history(model.target, None)
    assert head.versions[-1].is_content_preserving
    assert head.versions[-1].position == lake_move.position
    assert lake.sql("SELECT count(*) FROM lake.d.t") == [(2,)]


@pytest.fixture
def far_away(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A host whose clock is set to another zone than UTC."""
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "America/New_York")
        time.tzset()
        yield
    time.tzset()


@pytest.mark.usefixtures("far_away")
def test_i6_the_zone_of_the_host_moves_no_range_and_no_answer(lake: Lake) -> None:
    lake.build(lake.add_model("d.t", rows("('2026-01-01', 1, 'a')", "('2026-01-02', 2, 'b')")))
    model = lake.add_model("d.t", rows("('2026-01-01', 1, 'a')", "('2026-01-02', 2, 'x')"))
    question = DiffQuestion(columns=(STATUS,), filter_column=TS, unit="day")

    diff = lake.warehouse.diff(lake.stage(model), (question,))
    asked = verbatim(
        "SELECT TIMESTAMP '2026-01-02 03:00:00', TIMESTAMP_NTZ '2026-01-02 03:00:00',"
        " array(struct(TIMESTAMP '2026-07-02 03:00:00'))"
    )
    answer = lake.warehouse.query(asked, limit=1)

    assert diff.refinements == (Refinement(columns=(STATUS,), filter_column=TS, ranges=(day(2),)),)
    assert answer.rows == (("2026-01-02T03:00:00Z", "2026-01-02T03:00:00Z", [["2026-07-02T03:00:00Z"]]),)


def test_change_at_the_end_of_time_touches_all_of_it(lake: Lake) -> None:
    lake.build(lake.add_model("d.t", rows("('9999-12-31', 1, 'a')")))
    question = DiffQuestion(columns=(STATUS,), filter_column=TS, unit="day")

    diff = lake.warehouse.diff(lake.stage(lake.add_model("d.t", rows("('9999-12-31', 1, 'x')"))), (question,))

    assert diff.refinements == (Refinement(columns=(STATUS,), filter_column=TS, ranges=(WHOLE,)),)


def test_change_of_one_column_spares_readers_of_others(lake: Lake) -> None:
    lake.build(lake.add_model("d.t", rows("('2026-01-01', 1, 'a')", "('2026-01-02', 2, 'b')")))
    model = lake.add_model("d.t", rows("('2026-01-01', 1, 'a')", "('2026-01-02', 2, 'x')"))
    questions = (
        DiffQuestion(columns=(AMOUNT,)),
        DiffQuestion(columns=(STATUS,)),
        DiffQuestion(columns=(STATUS,), filter_column=TS, unit="day"),
        DiffQuestion(columns=(AMOUNT,), filter_column=TS, unit="day"),
    )

    diff = lake.warehouse.diff(lake.stage(model), questions)

    assert not diff.is_equal
    assert diff.refinements == (
        Refinement(columns=(AMOUNT,)),
        Refinement(columns=(STATUS,), filter_column=TS, ranges=(day(2),)),
        Refinement(columns=(AMOUNT,)),
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(NULL, 1, 'a')", "(NULL, INT(NULL), 'a')"),
        ("(NULL, 0.0D, 'a')", "(NULL, -0.0D, 'a')"),
        ("(NULL, '1', STRING(NULL))", "(NULL, STRING(NULL), '1')"),
        ("(NULL, 1, 'a'), (NULL, 1, 'a')", "(NULL, 1, 'a')"),
        ("(NULL, 1, array(array(1, 2), array(3)))", "(NULL, 1, array(array(1), array(2, 3)))"),
    ],
)
def test_small_changes_are_seen(lake: Lake, before: str, after: str) -> None:
    lake.build(lake.add_model("d.t", rows(before)))

    assert not lake.warehouse.diff(lake.stage(lake.add_model("d.t", rows(after))), ()).is_equal


def test_only_the_slices_of_the_batch_are_compared(lake: Lake) -> None:
    strategy = TimeInterval(time_column=TS)
    text = "SELECT @start_ts AS ts, 1 AS amount"
    model = lake.add_model("d.t", text, columns="ts timestamp, amount int", strategy=strategy)
    lake.build(model, "replace_slices", slices=(day(1),))
    lake.build(model, "replace_slices", slices=(day(2),))

    diff = lake.warehouse.diff(
        lake.stage(model, "replace_slices", slices=(day(2),)),
        (DiffQuestion(columns=(AMOUNT,), filter_column=TS, unit="day"),),
    )

    assert diff.is_equal
    assert diff.refinements == (Refinement(columns=(AMOUNT,)),)


def test_a_merge_is_compared_by_the_rows_of_the_files_it_changed(lake: Lake) -> None:
    strategy = Merge(unique_key=(AMOUNT,))
    lake.build(lake.add_model("d.m", rows("('2026-01-01', 1, 'a')", "('2026-01-02', 2, 'b')"), strategy=strategy))
    lake.build(lake.add_model("d.m", rows("('2026-01-03', 3, 'c')", "(NULL, 4, 'd')"), strategy=strategy), "merge")
    question = DiffQuestion(columns=(STATUS,), filter_column=TS, unit="day")

    moved = lake.add_model("d.m", rows("('2026-01-09', 3, 'c')", "('2026-01-08', 5, 'e')"), strategy=strategy)
    diff = lake.warehouse.diff(lake.stage(moved, "merge"), (question,))
    undated = lake.add_model("d.m", rows("(NULL, 4, 'x')", "(NULL, 6, 'f')"), strategy=strategy)
    without_time = lake.warehouse.diff(lake.stage(undated, "merge"), (question,))
    same = lake.add_model("d.m", rows("('2026-01-03', 3, 'c')"), strategy=strategy)
    equal = lake.warehouse.diff(lake.stage(same, "merge"), (question,))

    ranges = (day(3), Interval(day(8).start, day(9).end))
    assert diff.refinements == (Refinement(columns=(STATUS,), filter_column=TS, ranges=ranges),)
    assert without_time.refinements == (Refinement(columns=(STATUS,), filter_column=TS, ranges=()),)
    assert not without_time.is_equal
    assert equal.is_equal
