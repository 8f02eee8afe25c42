"""The nearest word: close ones are offered, far ones are not, and long ones cost nothing."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lamina.values.nearest import distance, nearest

WORDS = st.text(alphabet="abc", max_size=6)


@pytest.mark.parametrize(
    ("word", "expected"),
    [("custmers", "customers"), ("ordres", "orders"), ("ORDERS", "orders"), ("zzzzzzzz", None), ("", None)],
)
def test_only_a_close_word_is_offered(word: str, expected: str | None) -> None:
    assert nearest(word, ["customers", "orders", "order_lines"]) == expected


@given(WORDS, WORDS)
def test_distance_is_symmetric_and_zero_only_for_equal_words(left: str, right: str) -> None:
    assert distance(left, right, limit=9) == distance(right, left, limit=9)
    assert (distance(left, right, limit=9) == 0) == (left == right)


@given(WORDS, st.integers(0, 6), st.sampled_from("abc"))
def test_one_inserted_letter_is_one_edit(word: str, position: int, letter: str) -> None:
    assert distance(word, word[:position] + letter + word[position:], limit=9) == 1


@given(st.text(alphabet="abcdef", max_size=6), st.text(alphabet="abcdef", max_size=6), st.integers(0, 6))
def test_a_limit_hides_larger_distances_and_changes_no_smaller_one(left: str, right: str, limit: int) -> None:
    assert min(distance(left, right, limit=limit), limit + 1) == min(distance(left, right, limit=9), limit + 1)


def test_a_word_of_a_megabyte_is_not_near_any_other() -> None:
    start = time.process_time()
    assert nearest("x" * 1_000_000, ["x" * 90] * 1000) is None
    assert time.process_time() - start < 1
