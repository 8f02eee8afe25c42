"""Which slices a sample holds."""

from datetime import UTC, datetime

import pytest

from lamina.planner.consumed import Consumed
from lamina.planner.sampled import sampled
from lamina.values.grid import Grid
from lamina.values.interval import Interval

DAYS = Grid("day", "UTC")


def days(first: int, last: int) -> Interval:
    return Interval(datetime(2026, 4, first, tzinfo=UTC), datetime(2026, 4, last, tzinfo=UTC))


def group(*spans: Interval) -> Consumed:
    return Consumed(intervals=spans, pins={}, is_stale=False)


@pytest.mark.parametrize(
    ("spans", "total", "counts"),
    [
        ((days(1, 2),), 1, 1),
        ((days(1, 3),), 2, 2),
        ((days(1, 4),), 3, 3),
        ((days(1, 3), days(10, 12)), 4, 3),
        ((days(1, 29),), 28, 3),
    ],
)
def test_the_oldest_the_newest_and_one_in_between(spans: tuple[Interval, ...], total: int, counts: int) -> None:
    for seed in range(20):
        chosen, found = sampled((group(*spans),), DAYS, pick=seed)
        picked = [unit for part in chosen for span in part.intervals for unit in _days(span)]
        assert found == total
        assert len(picked) == counts
        assert min(picked) == spans[0].start.day
        assert max(picked) == spans[-1].end.day - 1


def test_slices_stay_with_what_they_were_built_from() -> None:
    clean, stale = group(days(1, 3)), Consumed(intervals=(days(3, 5),), pins={}, is_stale=True)
    chosen, total = sampled((clean, stale), DAYS, pick=1)
    assert total == 4
    assert [part.is_stale for part in chosen] == [False, True]


def _days(span: Interval) -> range:
    return range(span.start.day, span.end.day)
