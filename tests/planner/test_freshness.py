"""How old a table is beside what its settings allow."""

from datetime import datetime, timedelta

import pytest
from tests.planner.making import day

from lamina.planner.freshness import NO_ROWS, judged
from lamina.project.limits import FreshnessSettings
from lamina.values.freshness import FreshnessResult, TableFreshness
from lamina.values.names import ColumnName

COLUMN = ColumnName("ts")
BOTH = FreshnessSettings(COLUMN, warn_after="36h", error_after="3 days")
WARN = FreshnessSettings(COLUMN, warn_after="36h")
ERROR = FreshnessSettings(COLUMN, error_after="3 days")
NOW = day(10)


def age(hours: float) -> datetime:
    return NOW - timedelta(hours=hours)


@pytest.mark.parametrize(
    ("settings", "newest", "status"),
    [
        (BOTH, age(36), "fresh"),  # exactly as old as allowed
        (BOTH, age(36.01), "warn"),
        (BOTH, age(72), "warn"),
        (BOTH, age(72.01), "error"),
        (WARN, age(720), "warn"),
        (ERROR, age(71), "fresh"),
        (ERROR, age(73), "error"),
        (BOTH, age(-5), "fresh"),  # a time to come
        (BOTH, None, "unknown"),
    ],
)
def test_age_is_compared_with_what_is_allowed(
    settings: FreshnessSettings, newest: datetime | None, status: str
) -> None:
    assert judged("a.b", settings, newest, now=NOW).status == status


def test_what_is_known_of_a_table() -> None:
    assert judged("a.b", BOTH, age(2), now=NOW) == TableFreshness(
        name="a.b",
        status="fresh",
        column="ts",
        newest="2026-04-09T22:00:00Z",
        age_seconds=7200,
        warn_after="36h",
        error_after="3 days",
    )
    assert judged("a.b", BOTH, None, now=NOW).reason == NO_ROWS


@pytest.mark.parametrize(
    ("status", "is_fault", "code"),
    [("fresh", False, 0), ("warn", False, 0), ("unknown", False, 0), ("error", False, 1), ("unknown", True, 1)],
)
def test_an_old_table_and_one_that_cannot_be_read_fail(status: str, is_fault: bool, code: int) -> None:
    item = TableFreshness(name="a.b", status=status, column="ts", is_fault=is_fault)  # type: ignore[arg-type]  # a word
    assert FreshnessResult(models=(item,), sources=()).exit_code == code
    assert FreshnessResult(models=(), sources=(item,)).exit_code == code
