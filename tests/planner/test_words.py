"""Counts of units, as reasons name them."""

import pytest

from lamina.planner.words import units_in_words
from lamina.values.grid import Grid, Unit


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
