"""Why a model is stale as a whole, and what was given up."""

from datetime import datetime

import pytest
from tests.planner.making import DAILY, built, day, days, facts, model, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.staleness import clean_ranges, conditions_of, failure_in_words, given_up, rebuild_reason
from lamina.project.model import CheckSettings, ContractSettings
from lamina.values.coverage import Coverage, Debt, Segment
from lamina.values.facts import Failure
from lamina.values.interval import WHOLE
from lamina.values.names import ColumnName, ModelName, Position, RunId, TableName
from lamina.values.plan import Selection
from lamina.values.schema import Column

SOURCE = use("raw.orders")
INLINED = TableName("sales.completed")
STATS = model(inputs=(SOURCE,), on_drift="fail")
NOT_NULL = CheckSettings(type="not_null", column=ColumnName("day"))
FAILURE = Failure(
    model=ModelName("sales.stats"),
    interval=WHOLE,
    fingerprint=model().fingerprint,
    pins={},
    kind="data_rejected",
    message="`sales.stats`: Division by zero",
    attempts=1,
    first_seen=day(1),
    run_id=RunId("run-1"),
)


def with_settings(subject: CompiledModel, **changes: object) -> CompiledModel:
    """Return a model with other settings and the same code."""
    return subject.replace(settings=subject.settings.replace(**changes))


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (model(inputs=(SOURCE,), fingerprint="v2"), "the query changed"),
        (model(kind="python", fingerprint="v2"), "the code changed"),
        (model(kind="seed", fingerprint="v2"), "the file changed"),
        (
            model(inputs=(SOURCE,), fingerprint="v2").replace(depends_on=(INLINED,)),
            "the query, or ephemeral `sales.completed` in it, changed",
        ),
    ],
)
def test_changed_code_is_named(now: CompiledModel, words: str) -> None:
    before = now.replace(fingerprint="v1")
    assert rebuild_reason(now, facts(built(before, WHOLE)), Selection()) == words
    assert rebuild_reason(before, facts(built(before, WHOLE)), Selection()) is None


def test_only_what_current_code_built_and_owes_nothing_is_clean() -> None:
    subject = model(strategy=DAILY)
    debt = Debt(input=TableName("raw.orders"), position=Position("2"), since=Position("1"))
    coverage = Coverage(
        segments=(
            Segment(interval=days(1), logic=subject.fingerprint),
            Segment(interval=days(2), logic=subject.fingerprint, debts=(debt,)),
            Segment(interval=days(3), logic=model(fingerprint="v0").fingerprint),
            Segment(interval=days(4), logic=subject.fingerprint),
        )
    )
    assert clean_ranges(subject, coverage) == (days(1), days(4))


@pytest.mark.parametrize(
    ("failed", "now", "later", "is_given_up"),
    [
        (STATS, STATS, day(2), True),
        (STATS, with_settings(STATS, description="said better"), day(1), True),
        (STATS, with_settings(STATS, on_drift="evolve"), day(1), False),
        (with_settings(STATS, checks=(NOT_NULL,)), STATS, day(1), False),
        (STATS, with_settings(STATS, contract=ContractSettings(no_new_nullable=True)), day(1), False),
        (STATS, with_settings(STATS, columns=(Column(ColumnName("day")),)), day(1), False),
        (model(reads_parameters=("as_of",)), model(reads_parameters=("as_of",)), day(1, hour=9), True),
        (model(reads_parameters=("as_of",)), model(reads_parameters=("as_of",)), day(2), False),
        (model(reads_parameters=("execution_time",)), model(reads_parameters=("execution_time",)), day(2), False),
    ],
)
def test_a_failure_is_given_up_until_something_that_decides_it_changes(
    failed: CompiledModel, now: CompiledModel, later: datetime, is_given_up: bool
) -> None:
    failure = FAILURE.replace(conditions=conditions_of(failed, day(1)))
    known = facts().replace(failures=(failure,))
    assert given_up(now, known, later) == ((failure,) if is_given_up else ())


def test_a_failure_kept_without_its_conditions_is_tried_again() -> None:
    assert given_up(STATS, facts().replace(failures=(FAILURE,)), day(1)) == ()


def test_a_failure_says_how_to_go_on_before_what_was_wrong() -> None:
    assert failure_in_words((FAILURE,)) == (
        "failed at 2026-04-01T00:00Z and is not tried again until code, settings or data change, "
        "or `lamina retry sales.stats`: Division by zero"
    )
