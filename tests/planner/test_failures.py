"""What failed in earlier passes: when it is tried again, how failures add up, and how that is said."""

from datetime import datetime, timedelta

import pytest
from tests.planner.making import day, facts, model, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.failures import (
    conditions_of,
    counted_on,
    failure_in_words,
    given_up,
    is_kept,
    rest_of,
    unchanged_since,
)
from lamina.project.model import CheckSettings, ContractSettings
from lamina.values.facts import Failure
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName, ModelName, Position, RunId, TableName
from lamina.values.schema import Column

HOUR = timedelta(hours=1)
STATS = model(inputs=(use("raw.orders"),), on_drift="fail")
NOT_NULL = CheckSettings(type="not_null", column=ColumnName("day"))
NO_FUTURE = CheckSettings(type="not_in_future", column=ColumnName("day"))
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
    conditions=conditions_of(STATS, facts(), day(1)),
    tried_at=day(1),
    next_try=day(4),
)


def with_settings(subject: CompiledModel, **changes: object) -> CompiledModel:
    """Return a model with other settings and the same code."""
    return subject.replace(settings=subject.settings.replace(**changes))


@pytest.mark.parametrize(
    ("failed", "now", "later", "is_given_up"),
    [
        (STATS, STATS, day(2), True),
        (STATS, with_settings(STATS, description="said better"), day(1), True),
        (STATS, with_settings(STATS, on_drift="evolve"), day(1), False),
        (with_settings(STATS, checks=(NOT_NULL,)), STATS, day(1), False),
        (STATS, with_settings(STATS, contract=ContractSettings(no_new_nullable=True)), day(1), False),
        (STATS, with_settings(STATS, columns=(Column(ColumnName("day")),)), day(1), False),
        (with_settings(STATS, checks=(NO_FUTURE,)), with_settings(STATS, checks=(NO_FUTURE,)), day(1, hour=9), True),
        (with_settings(STATS, checks=(NO_FUTURE,)), with_settings(STATS, checks=(NO_FUTURE,)), day(2), False),
        (model(reads_parameters=("as_of",)), model(reads_parameters=("as_of",)), day(1, hour=9), True),
        (model(reads_parameters=("as_of",)), model(reads_parameters=("as_of",)), day(2), False),
        (model(reads_parameters=("execution_time",)), model(reads_parameters=("execution_time",)), day(2), False),
    ],
)
def test_a_failure_is_given_up_until_something_that_decides_it_changes(
    failed: CompiledModel, now: CompiledModel, later: datetime, is_given_up: bool
) -> None:
    failure = FAILURE.replace(conditions=conditions_of(failed, facts(), day(1)))
    known = facts().replace(failures=(failure,))
    assert given_up(now, known, later) == ((failure,) if is_given_up else ())


def test_a_failure_kept_without_its_conditions_is_tried_again() -> None:
    assert given_up(STATS, facts().replace(failures=(FAILURE.replace(conditions=""),)), day(1)) == ()


@pytest.mark.parametrize(
    ("execution_time", "is_given_up"),
    [
        (day(1), True),
        (day(4) - timedelta(seconds=1), True),
        (day(4), False),
        (day(1) - HOUR, False),  # a pass for an earlier time asks for something else
    ],
)
def test_a_failure_rests_from_the_pass_that_failed_until_its_next_try(
    execution_time: datetime, is_given_up: bool
) -> None:
    known = facts().replace(failures=(FAILURE,))
    assert given_up(STATS, known, execution_time) == ((FAILURE,) if is_given_up else ())
    # Its readers do not build on it before it was built.
    assert unchanged_since(STATS, known, execution_time) == (FAILURE,)


def test_a_failure_without_a_next_try_is_tried_by_the_next_pass() -> None:
    assert given_up(STATS, facts().replace(failures=(FAILURE.replace(next_try=None),)), day(1)) == ()


@pytest.mark.parametrize(
    ("kind", "rests"),
    [
        ("query_rejected", [1, 2, 4, 8, 16, 24, 24]),
        ("data_rejected", [1, 2, 4, 8, 16, 24, 24]),
        ("resources", [1 / 12, 1 / 6, 1 / 3, 2 / 3, 1, 1]),
        ("internal", [1 / 12, 1 / 6, 1 / 3, 2 / 3, 1, 1]),
        ("unknown", [1 / 12, 1 / 6, 1 / 3, 2 / 3, 1, 1]),
    ],
)
def test_a_rest_is_doubled_up_to_the_longest(kind: str, rests: list[float]) -> None:
    assert [rest_of(kind, at + 1) / HOUR for at in range(len(rests))] == rests
    assert rest_of(kind, 1_000_000) / HOUR == rests[-1]


@pytest.mark.parametrize(
    "kind", ["auth_failed", "connection_failed", "quota_exceeded", "not_found", "transient", "conflict", "interrupted"]
)
def test_what_may_be_well_in_the_next_pass_is_not_kept(kind: str) -> None:
    assert not is_kept(kind)


def test_failures_of_a_slice_add_up_whatever_their_kind_and_code() -> None:
    first = counted_on(FAILURE.replace(kind="resources"), (), at=day(1))
    assert (first.attempts, first.next_try) == (1, day(1) + timedelta(minutes=5))
    again = FAILURE.replace(fingerprint=model(fingerprint="v2").fingerprint, first_seen=day(2))
    second = counted_on(again, (first,), at=day(2, hour=1).replace(second=30))
    assert (second.attempts, second.first_seen, second.next_try) == (2, day(1), day(2, hour=3))
    assert second.message == FAILURE.message


def test_failures_of_other_slices_and_lost_files_do_not_count() -> None:
    monday, tuesday = Interval(day(6), day(7)), Interval(day(7), day(8))
    known = (FAILURE.replace(interval=monday), FAILURE.replace(kind="not_found", lost_file="a.parquet"))
    assert counted_on(FAILURE.replace(interval=tuesday), known, at=day(8)).attempts == 1


@pytest.mark.parametrize(
    ("failures", "words"),
    [
        ((FAILURE,), "failed at 2026-04-01T00:00Z, next try at 2026-04-04T00:00Z"),
        (
            (FAILURE.replace(attempts=3, next_try=day(3)), FAILURE.replace(first_seen=day(2))),
            "failed 3 times since 2026-04-01T00:00Z, next try at 2026-04-03T00:00Z",
        ),
    ],
)
def test_a_failure_says_how_to_go_on_before_what_was_wrong(failures: tuple[Failure, ...], words: str) -> None:
    assert failure_in_words(failures) == (
        f"{words}, or when code, settings or data change, or with `lamina retry sales.stats`: Division by zero"
    )


def test_another_version_of_a_table_that_checks_look_values_up_in_lets_a_failure_be_tried() -> None:
    first, second = (facts().replace(looked_up={TableName("raw.names"): Position(text)}) for text in ("1", "2"))
    failure = FAILURE.replace(conditions=conditions_of(STATS, first, day(1)))
    assert given_up(STATS, first.replace(failures=(failure,)), day(1)) == (failure,)
    assert given_up(STATS, second.replace(failures=(failure,)), day(1)) == ()
