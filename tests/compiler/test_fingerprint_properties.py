"""Properties of the canonical form over random queries: blind to spelling, sensitive to meaning."""

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot import parse_one
from tests.compiler.random_queries import Query, edits, queries, spell

from lamina.compiler.identity.canonical import canonical


def form(query: Query, seed: int) -> str:
    return canonical(parse_one(spell(query, Random(seed)), dialect="spark"))


@given(query=queries(), first=st.integers(), second=st.integers())
@settings(max_examples=150, deadline=None)
def test_two_spellings_of_a_query_share_a_form(query: Query, first: int, second: int) -> None:
    assert form(query, first) == form(query, second)


@given(query=queries(), seed=st.integers(), choice=st.randoms(use_true_random=False))
@settings(max_examples=250, deadline=None)
def test_an_edit_that_can_change_a_row_changes_the_form(query: Query, seed: int, choice: Random) -> None:
    edited = choice.choice(edits(query))
    assert form(query, seed) != form(edited, seed)


@given(query=queries(), seed=st.integers())
@settings(max_examples=50, deadline=None)
def test_the_form_is_stable_under_generation_and_parsing_again(query: Query, seed: int) -> None:
    tree = parse_one(spell(query, Random(seed)), dialect="spark")
    again = parse_one(tree.sql(dialect="spark"), dialect="spark")
    assert canonical(again) == canonical(tree)
