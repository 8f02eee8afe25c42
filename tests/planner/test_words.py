"""Counts of units and ranges, as reasons name them."""

from datetime import UTC, datetime

import pytest

from lamina.planner.words import changes_in_words, spans_in_words, units_in_words
from lamina.values.grid import Grid, Unit
from lamina.values.interval import MAX, MIN, WHOLE, Interval
from lamina.values.names import Position, TableName
from lamina.values.touch import Everything, FileCounts, Touch

MARCH = datetime(2026, 3, 1, tzinfo=UTC)
NOON = datetime(2026, 3, 5, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("spans", "words"),
    [
        ((), "nothing"),
        ((WHOLE,), "all of it"),
        ((Interval(MARCH, MAX),), "all since 2026-03-01"),
        ((Interval(MIN, MARCH),), "all before 2026-03-01"),
        ((Interval(MIN, MARCH), Interval(NOON, MAX)), "all before 2026-03-01, all since 2026-03-05T12:00"),
    ],
)
def test_an_open_range_is_named_by_the_bound_it_has(spans: tuple[Interval, ...], words: str) -> None:
    assert spans_in_words(spans, Grid("day")) == words


@pytest.mark.parametrize(
    ("count", "unit", "words"),
    [
        (1, "day", "1 day"),
        (3, "hour", "3 hours"),
        (1, "5 minutes", "1 unit of 5 minutes"),
        (4, "15 minutes", "4 units of 15 minutes"),
    ],
)
def test_units_are_counted_by_their_name(count: int, unit: Unit, words: str) -> None:
    assert units_in_words(count, Grid(unit)) == words


RAW = Touch(TableName("raw.orders"), Position("1"), None, Everything())
READ_OTHERWISE = RAW.replace(detail="its files are read with different settings")


@pytest.mark.parametrize(
    ("touches", "words"),
    [
        ([RAW.replace(files=FileCounts(added=1))], "1 file added"),
        ([RAW.replace(files=FileCounts(changed=1))] * 2, "2 files changed"),
        (
            [RAW.replace(files=FileCounts(added=2, removed=1)), RAW.replace(files=FileCounts(added=1200))],
            "1,202 files added, 1 file removed",
        ),
        ([RAW.replace(files=FileCounts(added=1)), READ_OTHERWISE], f"1 file added, {READ_OTHERWISE.detail}"),
        ([READ_OTHERWISE] * 2, READ_OTHERWISE.detail),
    ],
)
def test_what_several_looks_saw_is_counted_together(touches: list[Touch], words: str) -> None:
    assert changes_in_words(RAW.table, touches, zone="UTC") == f"`raw.orders`: {words}"
