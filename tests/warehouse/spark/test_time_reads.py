"""The conditions of rows that are read by their timestamps, in the domain of each type of column."""

import pytest

from lamina.planner.time_position import instant_of
from lamina.values.names import ColumnName
from lamina.values.time_position import TimeSpan
from lamina.warehouse.spark.time_reads import condition, replaced_range

AT = ColumnName("at")


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (
            "2026-04-07T10:00:00.5Z",
            "2026-04-08T00:00:00Z",
            "`at` <= TIMESTAMP '2026-04-08 00:00:00' AND `at` > TIMESTAMP '2026-04-07 10:00:00.500000'",
        ),
        (
            "2026-04-07T10:00:00.000001",
            "2026-04-08T00:00:00",
            "`at` <= TIMESTAMP_NTZ '2026-04-08 00:00:00' AND `at` > TIMESTAMP_NTZ '2026-04-07 10:00:00.000001'",
        ),
        ("2026-04-07", "2026-04-08", "`at` <= DATE '2026-04-08' AND `at` > DATE '2026-04-07'"),
    ],
    ids=["timestamp", "timestamp_ntz", "date"],
)
def test_new_rows_lie_after_the_watermark(start: str, end: str, expected: str) -> None:
    assert condition(TimeSpan(AT, start=start, end=end)) == expected


def test_a_full_load_takes_rows_without_a_time_and_nothing_else_where_all_are_too_young() -> None:
    assert condition(TimeSpan(AT, end="2026-04-08", has_nulls=True)) == "(`at` <= DATE '2026-04-08') OR `at` IS NULL"
    assert condition(TimeSpan(AT, has_nulls=True)) == "(false) OR `at` IS NULL"


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("2026-04-07", "`at` >= DATE '2026-04-07' AND `at` < DATE '2026-04-08'"),
        (
            "2026-04-07T10:00:00Z",
            "`at` >= TIMESTAMP '2026-04-07 10:00:00' AND `at` < TIMESTAMP '2026-04-07 10:00:00.000001'",
        ),
    ],
)
def test_one_instant_is_replaced(start: str, expected: str) -> None:
    found = replaced_range(TimeSpan(AT, start=start, end=start, has_start=True, replaces=True))
    assert found is not None
    assert found.predicate() == expected
    assert replaced_range(TimeSpan(AT, start=start, end=start)) is None


def test_a_time_without_a_zone_is_one_of_the_model() -> None:
    assert f"{instant_of('2026-04-07', zone='Europe/Stockholm'):%dT%H}" == "06T22"
    assert f"{instant_of('2026-04-07T10:00:00Z', zone='Europe/Stockholm'):%dT%H}" == "07T10"
