"""The history of a snapshot: examples of each rule, and what holds of any sequence of looks at a source."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.simulation.algebra import Group, Read, Relation
from tests.simulation.history_oracle import expected_history
from tests.simulation.memory_histories import folded_history
from tests.simulation.models import simulated_model

from lamina.compiler.graph import CompiledModel
from lamina.project.strategy import SnapshotHistory
from lamina.strategies.version_fold import (
    Folded,
    Seen,
    Version,
    ambiguous_keys,
    fold_by_check,
    fold_by_time,
)
from lamina.values.names import ColumnName

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
KEY = ColumnName("key")


def hour(number: int | None) -> datetime:
    assert number is not None
    return BEGIN + timedelta(hours=number)


def timed(rows: dict[int, str], key: str = "a") -> tuple[Seen, ...]:
    return tuple(Seen((key,), (value,), hour(at)) for at, value in rows.items())


def spans(folded: Folded) -> list[tuple[str, float, float | None]]:
    """Return values with the hours from and to which they are valid."""

    def number(time: datetime) -> float:
        return (time - BEGIN) / timedelta(hours=1)

    ordered = sorted(folded.rows, key=lambda row: row.valid_from)
    ends = (None if row.valid_to is None else number(row.valid_to) for row in ordered)
    return [(row.values[0], number(row.valid_from), end) for row, end in zip(ordered, ends, strict=True)]


def looks(*given: tuple[int, dict[int, str]]) -> Folded:
    """Fold what runs at some hours found of one key, in that order."""
    folded = Folded(())
    for at, rows in given:
        folded = fold_by_time(folded.rows, timed(rows), hour(at))
    return folded


def states(*given: tuple[int, str | None]) -> Folded:
    """Fold the states of one key that runs at some hours found; none: it was not there."""
    folded = Folded(())
    for at, value in given:
        seen = () if value is None else (Seen(("a",), (value,)),)
        folded = fold_by_check(folded.rows, seen, hour(at), checked=lambda cells: cells)
    return folded


def test_a_version_is_valid_until_the_next_one_starts() -> None:
    assert spans(looks((5, {1: "x", 3: "y"}))) == [("x", 1, 3), ("y", 3, None)]


def test_a_late_version_is_put_in_its_place() -> None:
    assert spans(looks((5, {1: "x"}), (6, {4: "z"}), (7, {3: "y"}))) == [("x", 1, 3), ("y", 3, 4), ("z", 4, None)]


def test_the_same_time_with_other_values_corrects_the_row() -> None:
    folded = looks((5, {1: "x", 3: "y"}), (6, {1: "X", 3: "y"}))
    assert spans(folded) == [("X", 1, 3), ("y", 3, None)]
    assert (folded.counts.replaced, folded.counts.unchanged) == (1, 1)


def test_a_removed_key_is_closed_when_a_run_sees_it() -> None:
    folded = looks((5, {1: "x"}), (8, {}))
    assert spans(folded) == [("x", 1, 8)]
    assert folded.counts.closed == 1


def test_a_removed_row_of_the_future_is_closed_an_instant_after_it_begins() -> None:
    (row,) = looks((5, {9: "x"}), (8, {})).rows
    assert row.valid_to == hour(9) + timedelta(microseconds=1)


def test_a_key_that_comes_back_as_it_was_is_valid_again_from_when_a_run_sees_it() -> None:
    folded = looks((5, {1: "x"}), (8, {}), (9, {1: "x"}))
    assert spans(folded) == [("x", 1, 8), ("x", 9, None)]
    assert folded.counts.reopened == 1


def test_a_key_that_comes_back_with_a_new_version_is_valid_from_its_own_time() -> None:
    assert spans(looks((5, {1: "x"}), (8, {}), (12, {10: "y"}))) == [("x", 1, 8), ("y", 10, None)]


def test_a_late_version_of_a_time_when_the_key_was_away_ends_that() -> None:
    folded = looks((5, {1: "x"}), (8, {}), (11, {1: "x"}), (12, {1: "x", 9: "y"}))
    assert spans(folded) == [("x", 1, 8), ("y", 9, None)]
    assert folded.counts.deleted == 1


def test_a_late_version_before_a_removal_is_what_returned() -> None:
    folded = looks((5, {1: "x"}), (8, {}), (11, {1: "x"}), (12, {1: "x", 4: "y"}))
    assert spans(folded) == [("x", 1, 4), ("y", 4, 8), ("y", 11, None)]


def test_a_key_that_was_not_away_for_any_time_goes_on() -> None:
    assert spans(looks((5, {1: "x"}), (8, {}), (8, {1: "x"}))) == [("x", 1, None)]


def test_equal_rows_are_one_and_different_ones_of_a_time_are_named() -> None:
    seen = (*timed({1: "x"}), *timed({1: "x"}))
    assert ambiguous_keys(seen) == ()
    assert fold_by_time((), seen, hour(5)).counts.duplicate == 1
    assert ambiguous_keys((*seen, *timed({1: "y"}))) == (("a",),)


def test_null_keys_are_one_key() -> None:
    seen = (Seen((None,), ("x",), hour(1)), Seen((None,), ("y",), hour(2)))
    assert spans(fold_by_time((), seen, hour(5))) == [("x", 1, 2), ("y", 2, None)]


def test_a_state_is_valid_from_when_a_run_sees_it() -> None:
    assert spans(states((5, "x"), (6, "x"), (7, "y"))) == [("x", 5, 7), ("y", 7, None)]


def test_a_state_that_comes_back_is_a_new_row() -> None:
    folded = states((5, "x"), (6, None), (8, "x"))
    assert spans(folded) == [("x", 5, 6), ("x", 8, None)]
    assert folded.counts.reopened == 1


def test_another_state_of_the_same_moment_corrects_the_row() -> None:
    folded = states((5, "x"), (5, "y"))
    assert spans(folded) == [("y", 5, None)]
    assert folded.counts.replaced == 1


HISTORIES = {
    "by_time": SnapshotHistory((KEY,), updated_at=ColumnName("ts")),
    "by_check": SnapshotHistory((KEY,), check_columns=(ColumnName("amount"),)),
}


def model_of(strategy: SnapshotHistory) -> CompiledModel:
    query = Group(Read("raw.files", ("key", "ts", "amount")), ("key", "ts"), (("amount", "sum", "amount"),))
    return simulated_model("m.t", query, strategy=strategy, start=None)


# What one look finds: for each key, amounts by hour; and when it is.
AMOUNTS = st.dictionaries(st.integers(0, 9), st.integers(0, 2), max_size=3)
LOOK = st.tuples(st.dictionaries(st.sampled_from(("a", None)), AMOUNTS, max_size=2), st.integers(0, 12))


def relation_of(found: dict[str | None, dict[int, int]], *, is_timed: bool) -> Relation:
    rows = [(key, hour(at), amount) for key, amounts in found.items() for at, amount in sorted(amounts.items())]
    if not is_timed:
        rows = list({row[0]: row for row in rows}.values())
    return Relation(("key", "ts", "amount"), tuple(rows))


@pytest.mark.parametrize("name", HISTORIES)
@given(st.lists(LOOK, max_size=6))
def test_every_look_gives_what_an_independent_rule_says(name: str, given_looks: list[tuple[dict, int]]) -> None:  # type: ignore[type-arg]
    model, table = model_of(HISTORIES[name]), Relation(("key", "ts", "amount", "valid_from", "valid_to"), ())
    for found, at in given_looks:
        result = relation_of(found, is_timed=name == "by_time")
        expected = expected_history(model, table, result, hour(at))
        table, folded = folded_history(model, table, result, hour(at))
        assert Counter(table.rows) == Counter(expected.rows)
        counts = folded.counts
        classes = (counts.inserted, counts.replaced, counts.reopened, counts.unchanged, counts.duplicate)
        assert min(classes) >= 0
        assert sum(classes) == len(result.rows)
        check_validity(folded.rows)
        again, second = folded_history(model, table, result, hour(at + 1))
        assert Counter(again.rows) == Counter(table.rows), "a second look changes nothing"
        assert second.counts.unchanged == len(result.rows)


def check_validity(rows: tuple[Version, ...]) -> None:
    """Each moment of a key is in one row at most, and no row is empty."""
    by_key: dict[tuple[object, ...], list[Version]] = {}
    for row in rows:
        by_key.setdefault(row.key, []).append(row)
    for versions in by_key.values():
        ordered = sorted(versions, key=lambda row: row.valid_from)
        for row, after in pairwise(ordered):
            assert row.valid_to is not None
            assert row.valid_from < row.valid_to <= after.valid_from


@given(st.dictionaries(st.integers(0, 9), st.integers(0, 2), min_size=1), st.data())
def test_the_order_and_the_cut_of_looks_do_not_matter(amounts: dict[int, int], data: st.DataObject) -> None:
    """As long as the key stays in its source: whatever part of its versions each look finds, they all are found."""
    order = data.draw(st.permutations(sorted(amounts)))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(order)))) | {len(order)})
    rows: tuple[Version, ...] = ()
    for number, (start, end) in enumerate(zip([0, *cuts], cuts, strict=False)):
        seen = [Seen(("a",), (amounts[at],), hour(at)) for at in order[start:end]]
        rows = fold_by_time(rows, seen, hour(number)).rows
    whole = fold_by_time((), [Seen(("a",), (amount,), hour(at)) for at, amount in amounts.items()], hour(0)).rows
    assert set(rows) == set(whole)
