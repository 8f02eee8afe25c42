"""The state of models, found from what a run would do."""

from datetime import timedelta

import pytest
from tests.planner.making import DAILY, ORDERS, built, day, days, facts, model, use
from tests.planner.test_owed_rows import counted

from lamina.planner.fold import fold
from lamina.planner.pending import built_again, pending_ranges
from lamina.planner.standing import interval_ranges, model_status
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ModelName
from lamina.values.plan import Action, Block, Build, Hold, Rebuild, Skip, Wait
from lamina.values.result import ModelStatus, RangeReason, Standing, StatusResult
from lamina.values.row_counts import RowCounts

NAME = ModelName("sales.stats")
OTHER = ModelName("sales.other")
MODEL = model(strategy=DAILY)


@pytest.mark.parametrize(
    ("action", "status", "reason"),
    [
        (Skip(model=NAME, reason="unchanged"), "current", "unchanged"),
        (Build(model=NAME, intervals=(days(3),), reason="late", mode="replace_slices"), "stale", "late"),
        (Rebuild(model=NAME, intervals=(days(1, 2),), reason="the query changed"), "stale", "the query changed"),
        (Wait(model=NAME, intervals=(days(3),), reason="not yet"), "waiting", "not yet"),
        (Hold(model=NAME, intervals=(days(3),), reason="kept"), "held", "kept"),
        (Block(model=NAME, intervals=(days(3),), reason="no", blocked_by=(NAME,)), "failed", "no"),
        (Block(model=NAME, intervals=(days(3),), reason="no", blocked_by=(OTHER,)), "blocked", "no"),
    ],
)
def test_the_word_follows_from_what_would_be_done(action: Action, status: str, reason: str) -> None:
    found = model_status(MODEL, facts(built(MODEL, days(1, 2))), (action,))
    assert (found.status, found.reason, found.built) == (status, reason, (days(1, 2),))


def test_a_model_without_rows_is_not_built() -> None:
    build = Build(model=NAME, intervals=(days(1, 4),), reason="first build", mode="replace_slices")
    found = model_status(MODEL, facts(), (build,))
    assert (found.status, found.built, found.stale) == ("not_built", (), (days(1, 4),))


def test_a_failure_outweighs_work_that_goes_on() -> None:
    build = Build(model=NAME, intervals=(days(1),), reason="late", mode="replace_slices")
    block = Block(model=NAME, intervals=(days(2),), reason="no", blocked_by=(NAME,))
    assert model_status(MODEL, facts(built(MODEL, days(1, 2))), (build, block)).status == "failed"


def test_ranges_are_sorted_by_their_state() -> None:
    late = Build(model=NAME, intervals=(days(2), days(4)), reason="late", mode="replace_slices")
    waiting = Wait(model=NAME, intervals=(days(5),), reason="not yet")
    failed = Block(model=NAME, intervals=(days(6),), reason="no", blocked_by=(NAME,))
    elsewhere = Block(model=NAME, intervals=(days(7),), reason="`sales.other` failed", blocked_by=(OTHER,))
    found = interval_ranges(MODEL, facts(built(MODEL, days(1, 3))), (late, waiting, failed, elsewhere))
    assert [item.start for item in found.pending] == ["2026-04-02T00:00:00Z"]
    assert [item.start for item in found.missing] == ["2026-04-04T00:00:00Z"]
    assert [item.start for item in found.waiting] == ["2026-04-05T00:00:00Z"]
    assert [(item.start, item.reason) for item in found.failed] == [("2026-04-06T00:00:00Z", "no")]


def test_rows_that_came_are_named_beside_what_is_pending() -> None:
    subject = model(inputs=(use(reads=("day",), by="day"),), strategy=DAILY)
    load = counted("2", "1", {2: RowCounts(on_time=3), 3: RowCounts(late=1, oldest_load=day(9, hour=4))})
    before = built(subject, days(1, 3), positions={"raw.orders": "1"})
    coverage, _ = fold(before, subject, touches={ORDERS: (load,)}, heads={})
    late = Build(model=NAME, intervals=(days(2), days(4)), reason="late", mode="replace_slices")
    held = Hold(model=NAME, intervals=(days(3),), reason="kept")
    expected = [(3, 0, None), (0, 1, "2026-04-09T04:00:00Z")]
    found = interval_ranges(subject, facts(coverage), (late, held))
    rows = [(item.rows_on_time, item.rows_late, item.oldest_load) for item in (*found.pending, *found.waiting)]
    assert rows == expected
    assert (found.missing[0].rows_on_time, found.missing[0].rows_late) == (None, None)
    pending = pending_ranges(subject, coverage, built_again(coverage, (held, late)))
    assert [(item.rows_on_time, item.rows_late, item.oldest_load) for item in pending] == expected
    assert [item.start for item in pending] == ["2026-04-02T00:00:00Z", "2026-04-03T00:00:00Z"]


def test_only_the_slice_that_was_built_before_its_end_is_partial() -> None:
    span = Interval(day(1), day(3) + timedelta(hours=5))
    found = interval_ranges(MODEL, facts(built(MODEL, span)), ())
    assert found.partial == (
        RangeReason(start="2026-04-03T00:00:00Z", end="2026-04-03T05:00:00Z", reason="unfinished"),
    )
    assert interval_ranges(MODEL, facts(built(MODEL, days(1, 3))), ()).partial == ()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 0),
        (("current", "stale", "waiting", "held", "not_built"), 0),
        (("current", "failed"), 2),
        (("stale", "blocked"), 2),
        (("failed", "blocked"), 1),
    ],
)
def test_a_status_with_failed_models_ends_as_a_run_would(words: tuple[Standing, ...], code: int) -> None:
    models = tuple(ModelStatus(model=NAME, strategy="merge", status=word, reason="") for word in words)
    assert StatusResult(environment="prod", models=models).exit_code == code


def test_a_whole_table_has_no_bounds() -> None:
    whole = model()
    build = Build(model=NAME, intervals=(WHOLE,), reason="first build", mode="replace_all")
    found = interval_ranges(whole, facts(), (build,))
    assert found.missing == (RangeReason(start=None, end=None, reason="first build"),)
