"""What a change of code does to history: rebuilt, left as it is, or refused."""

from typing import Any

import pytest
from tests.planner.making import DAILY, built, day, days, model, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.decide import decide
from lamina.planner.failures import conditions_of
from lamina.planner.now import Now
from lamina.planner.protected import kept_history
from lamina.planner.staleness import clean_ranges, stale_ranges
from lamina.project.strategy import Merge
from lamina.values.coverage import Coverage, Debt, Segment
from lamina.values.facts import ModelFacts, TargetFacts
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.plan import Action, Block, Build, Rebuild, Selection, Skip

DEBT = Debt(input=TableName("raw.orders"), position=Position("2"), since=Position("1"))
NOTHING_ASKED = Selection()


def daily(**settings: Any) -> CompiledModel:
    return model(inputs=(use(by="day"),), strategy=DAILY, start="2026-04-01", **settings)


def edited(subject: CompiledModel) -> CompiledModel:
    return subject.replace(fingerprint="v2")


def decided(subject: CompiledModel, coverage: Coverage, selection: Selection = NOTHING_ASKED) -> tuple[Action, ...]:
    facts = ModelFacts(coverage=coverage, target=TargetFacts(status="ours"))
    return decide(subject, facts, Now(day(8, hour=6), selection, {}, {}))


def owing(coverage: Coverage, span: Interval) -> Coverage:
    """Return a coverage of April 1 to 7 in which one range owes something."""
    (segment,) = coverage.segments
    parts = (Interval(day(1), span.start), span, Interval(span.end, day(8)))
    segments = (Segment(interval=part, logic=segment.logic, debts=(DEBT,) if part == span else ()) for part in parts)
    return coverage.replace(segments=tuple(segments))


def test_code_that_goes_forward_only_builds_new_slices_alone() -> None:
    subject = daily(on_change="forward_only")
    (build,) = decided(edited(subject), built(subject, days(1, 5)))
    assert isinstance(build, Build)
    assert (build.intervals, build.mode) == ((days(6, 7),), "replace_slices")


def test_code_that_goes_forward_only_says_what_it_leaves() -> None:
    subject = daily(on_change="forward_only")
    (skip,) = decided(edited(subject), built(subject, days(1, 7)))
    assert isinstance(skip, Skip)
    assert skip.reason == '2026-04-01 to 2026-04-07: as older code built it (`on_change = "forward_only"`)'


def test_an_input_reopens_a_slice_of_older_code() -> None:
    subject = daily(on_change="forward_only")
    (build,) = decided(edited(subject), owing(built(subject, days(1, 7)), days(3)))
    assert isinstance(build, Build)
    assert build.intervals == (days(3),)


def test_older_slices_are_built_when_the_setting_is_taken_away() -> None:
    subject = daily()
    (rebuild,) = decided(edited(subject), built(subject, days(1, 7)))
    assert isinstance(rebuild, Rebuild)
    assert rebuild.intervals == (days(1, 7),)


@pytest.mark.parametrize(("on_change", "clean"), [("forward_only", (days(1, 2), days(4, 7))), ("rebuild", ())])
def test_slices_of_older_code_that_stay_are_clean(on_change: str, clean: tuple[Interval, ...]) -> None:
    subject = daily(on_change=on_change)
    coverage = owing(built(subject, days(1, 7)), days(3))
    assert clean_ranges(edited(subject), coverage) == clean
    assert stale_ranges(edited(subject), coverage) == ((days(3),) if clean else (days(1, 7),))


@pytest.mark.parametrize(
    ("subject", "span"),
    [
        (daily(protect_history=True), days(1, 5)),
        (model(strategy=Merge(unique_key=(ColumnName("id"),)), protect_history=True), WHOLE),
    ],
)
def test_protected_history_refuses_other_code(subject: CompiledModel, span: Interval) -> None:
    (block,) = decided(edited(subject), built(subject, span))
    assert isinstance(block, Block)
    assert block.blocked_by == (subject.name,)
    assert block.reason == (
        "the query changed, but its history is protected (`protect_history`) and would be rebuilt; "
        'set `on_change = "forward_only"` to use the new code from now on, or bring the old code back'
    )


def test_protected_history_goes_forward_with_new_code() -> None:
    subject = daily(protect_history=True, on_change="forward_only")
    (build,) = decided(edited(subject), built(subject, days(1, 5)))
    assert isinstance(build, Build)
    assert build.intervals == (days(6, 7),)


def test_protected_history_follows_its_inputs() -> None:
    subject = daily(protect_history=True)
    (build,) = decided(subject, owing(built(subject, days(1, 7)), days(3)))
    assert isinstance(build, Build)
    assert build.intervals == (days(3),)


def test_protected_history_is_refreshed_only_where_the_loss_is_accepted() -> None:
    subject = daily(protect_history=True)
    (block,) = decided(subject, built(subject, days(1, 7)), Selection(is_full_refresh=True))
    assert isinstance(block, Block)
    assert block.reason.startswith(
        "its history is protected (`protect_history`), and `--full-refresh` would rebuild it"
    )
    accepted = Selection(is_full_refresh=True, is_loss_accepted=True)
    (rebuild,) = decided(subject, built(subject, days(1, 7)), accepted)
    assert isinstance(rebuild, Rebuild)


def test_protected_history_is_not_rebuilt_for_columns_either() -> None:
    subject = daily(protect_history=True)
    assert kept_history(subject, built(subject, days(1, 7)), (days(1, 7),)) is not None


@pytest.mark.parametrize(("spans", "is_kept"), [((days(1, 7),), True), ((days(6, 7),), False)])
def test_slices_of_older_code_are_not_rebuilt_for_columns(spans: tuple[Interval, ...], is_kept: bool) -> None:
    subject = daily(on_change="forward_only")
    coverage = built(subject, days(1, 7))
    older, newer = (coverage.segments[0].replace(interval=span) for span in (days(1, 5), days(6, 7)))
    mixed = coverage.replace(segments=(older, newer.replace(logic="v2")))
    assert (kept_history(edited(subject), mixed, spans) is not None) is is_kept


def test_columns_rebuild_a_table_that_nothing_protects() -> None:
    subject = daily()
    assert kept_history(edited(subject), built(subject, days(1, 7)), (days(1, 7),)) is None


def test_a_failure_is_tried_again_when_history_is_no_longer_kept() -> None:
    known, at = ModelFacts(coverage=Coverage(), target=TargetFacts(status="ours")), day(8)
    found = {
        conditions_of(subject, known, at)
        for subject in (daily(), daily(protect_history=True), daily(on_change="forward_only"))
    }
    assert len(found) == 3
