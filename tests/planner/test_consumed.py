"""Which versions of the inputs built ranges are as of."""

from tests.planner.making import DAILY, built, days, model, use

from lamina.planner.consumed import Consumed, consumed
from lamina.values.coverage import Coverage, Debt
from lamina.values.names import Position, TableName

STATS = model(inputs=(use(by="day"), use("raw.names")), strategy=DAILY)
CURRENT = {TableName("raw.orders"): Position("5"), TableName("raw.names"): Position("3")}


def debt(name: str, since: str | None, *, is_foreign: bool = False) -> Debt:
    before = None if since is None else Position(since)
    return Debt(input=TableName(name), since=before, position=Position("9"), is_foreign=is_foreign)


def owing(*debts: Debt) -> Coverage:
    """Return two days, of which the second owes something."""
    coverage = built(STATS, days(1), days(2), positions={"raw.orders": "5", "raw.names": "3"})
    clean, stale = (coverage.segments[0].replace(interval=days(number)) for number in (1, 2))
    return coverage.replace(segments=(clean, stale.replace(debts=debts)))


def test_a_clean_range_is_as_of_the_cursors() -> None:
    assert consumed(STATS, owing()) == (Consumed(intervals=(days(1, 2),), pins=CURRENT, is_stale=False),)


def test_a_range_that_owes_is_as_of_just_before_that() -> None:
    found = consumed(STATS, owing(debt("raw.orders", "4")))
    assert found == (
        Consumed(intervals=(days(1),), pins=CURRENT, is_stale=False),
        Consumed(intervals=(days(2),), pins={**CURRENT, TableName("raw.orders"): Position("4")}, is_stale=True),
    )


def test_a_foreign_write_is_compared_like_any_other_range() -> None:
    found = consumed(STATS, owing(debt("sales.stats", "1", is_foreign=True)))
    assert [(item.intervals, item.is_stale) for item in found] == [((days(1, 2),), False)]


def test_a_range_that_owes_a_parameter_is_left_out() -> None:
    found = consumed(STATS, owing(debt("@as_of", None)))
    assert [item.intervals for item in found] == [(days(1),)]


def test_ranges_of_other_code_are_left_out() -> None:
    other = STATS.replace(fingerprint="other")
    assert consumed(other, owing()) == ()
