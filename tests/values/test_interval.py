"""The algebra of intervals against a brute-force set of instants."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.values.interval import Interval, intersect, merge, subtract

START = datetime(2026, 1, 1, tzinfo=UTC)
pairs = st.tuples(st.integers(0, 30), st.integers(0, 30)).filter(lambda pair: pair[0] < pair[1])
tuples = st.lists(pairs, max_size=8).map(lambda found: tuple(_interval(*pair) for pair in found))


def _interval(start: int, end: int) -> Interval:
    return Interval(START + timedelta(hours=start), START + timedelta(hours=end))


def _bits(spans: tuple[Interval, ...]) -> set[int]:
    hour = timedelta(hours=1)
    return {bit for span in spans for bit in range((span.start - START) // hour, (span.end - START) // hour)}


def _is_canonical(spans: tuple[Interval, ...]) -> bool:
    return all(left.end < right.start for left, right in pairwise(spans))


@given(tuples)
def test_merge_keeps_every_instant_in_canonical_form(spans: tuple[Interval, ...]) -> None:
    merged = merge(spans)
    assert _bits(merged) == _bits(spans)
    assert _is_canonical(merged)
    assert merge(merged) == merged


@given(tuples, tuples)
def test_intersect_is_the_common_instants(left: tuple[Interval, ...], right: tuple[Interval, ...]) -> None:
    assert _bits(intersect(left, right)) == _bits(left) & _bits(right)
    assert _is_canonical(intersect(left, right))


@given(tuples, tuples)
def test_subtract_is_the_remaining_instants(left: tuple[Interval, ...], right: tuple[Interval, ...]) -> None:
    assert _bits(subtract(left, right)) == _bits(left) - _bits(right)
    assert _is_canonical(subtract(left, right))


def test_an_interval_is_never_empty() -> None:
    with pytest.raises(ValueError, match="starts at"):
        Interval(START, START)
