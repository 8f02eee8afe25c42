"""Units that changes are grouped by."""

from datetime import UTC, datetime, timedelta

import pytest

from lamina.values.grid import Unit
from lamina.values.interval import WHOLE, Interval
from lamina.warehouse.spark.diff_by_files import Changed, Facts
from lamina.warehouse.spark.diff_units import common_unit, known_unit, unit_around


def micros(year: int, month: int, day: int, hour: int = 0) -> int:
    since = datetime(year, month, day, hour, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return since // timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("units", "common"),
    [
        ({"day"}, "day"),
        ({"day", "month"}, "day"),
        ({"week"}, "week"),
        ({"week", "month"}, "day"),
        ({"week", "hour"}, "hour"),
        ({"15 minutes", "5 minutes", "year"}, "5 minutes"),
    ],
)
def test_one_truncation_tiles_every_unit_that_is_asked_for(units: set[Unit], common: Unit) -> None:
    assert common_unit(units) == common


def test_minutes_are_grouped_by_the_hour() -> None:
    assert known_unit("minute") == known_unit(None) == "hour"
    start = micros(2026, 1, 1, 5)
    hour = Interval(datetime(2026, 1, 1, 5, tzinfo=UTC), datetime(2026, 1, 1, 6, tzinfo=UTC))
    assert unit_around(start, known_unit("minute")) == hour


def test_a_part_of_a_unit_is_widened_to_all_of_it() -> None:
    year = Interval(datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC))
    week = Interval(datetime(2026, 1, 5, tzinfo=UTC), datetime(2026, 1, 12, tzinfo=UTC))
    assert unit_around(micros(2026, 5, 6), "year") == year
    assert unit_around(micros(2026, 1, 11), "week") == week
    assert unit_around(micros(9998, 1, 1), "day") == WHOLE
    assert unit_around(micros(1, 1, 1) * 3, "day") == WHOLE


def test_files_that_look_alike_prove_nothing() -> None:
    facts = Facts(rows=3, known={("null_value_counts", 1): 0, ("lower_bounds", 2): b"a"})
    assert not Changed(old=facts, new=facts).surely_differs(frozenset((1, 2)))
    moved = Changed(old=facts, new=facts.replace(known={**facts.known, ("lower_bounds", 2): b"b"}))
    assert moved.surely_differs(frozenset((1, 2)))
    assert not moved.surely_differs(frozenset((1,)))
    assert not Changed(old=facts, new=facts.replace(known={})).surely_differs(frozenset((1, 2)))
    assert Changed(old=facts, new=facts.replace(rows=4)).surely_differs(frozenset())
