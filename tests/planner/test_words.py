"""Counts of units and ranges, as reasons name them."""

from datetime import UTC, datetime

import pytest

from lamina.planner.words import spans_in_words, units_in_words
from lamina.values.grid import Grid, Unit
from lamina.values.interval import MAX, MIN, WHOLE, Interval

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
