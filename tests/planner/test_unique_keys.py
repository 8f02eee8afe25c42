"""Which rows a `unique` check counts, and what is known of a table before and after a batch."""

import pytest
from tests.planner.making import DAILY, built, days, model, use

from lamina.planner.segments import owe
from lamina.planner.unique_keys import proven_keys, replaced_later, unproven_keys
from lamina.project.model import CheckSettings
from lamina.values.batch import Batch, CheckResult
from lamina.values.codec import from_json
from lamina.values.coverage import Coverage, Debt, ProvenKey
from lamina.values.interval import MAX, WHOLE, Interval
from lamina.values.names import ColumnName, CommitId, ModelName, Position, TableName
from lamina.values.plan import Mode

ID = CheckSettings(type="unique", column=ColumnName("ID"), scope="table")
PAIR = CheckSettings(type="unique", columns=(ColumnName("shop"), ColumnName("Id")), scope="table", where="id > 0")
OWN = CheckSettings(type="unique", column=ColumnName("id"), scope="batch")
STATS = model(inputs=(use(),), strategy=DAILY, checks=(OWN, ID, PAIR))
LATER = Interval(days(3).start, MAX)


def batch(mode: Mode, *slices: Interval) -> Batch:
    return Batch(CommitId("c"), STATS.name, mode, slices or (WHOLE,), pins=(), base="b", parameters={})


def owing(coverage: Coverage, span: Interval) -> Coverage:
    debt = Debt(input=TableName("raw.orders"), since=None, position=Position("2"))
    return coverage.replace(
        segments=tuple(owe(item, debt) if item.interval == span else item for item in coverage.segments)
    )


def results(*observed: int | str) -> tuple[CheckResult, ...]:
    return tuple(
        CheckResult(
            model=ModelName("m"),
            name="u",
            type="unique",
            column=None,
            severity="warn",
            passed=True,
            observed=item,
            expected=0,
            rows_failed=None,
            scope="table",
        )
        for item in observed
    )


def test_slices_that_will_be_replaced_do_not_count_unless_they_are_no_longer_due_or_saved() -> None:
    coverage = owing(owing(built(STATS, days(1), days(2), days(3), days(5)), days(2)), days(5))
    made = batch("replace_slices", days(6))
    assert replaced_later(STATS, coverage, made, lifetime=WHOLE) == (days(2), days(5))
    assert replaced_later(STATS, coverage, made, lifetime=LATER) == (days(5),), "the second is before its start"
    assert replaced_later(STATS, coverage, batch("replace_slices", days(5)), lifetime=LATER) == ()
    saved = coverage.replace(held=(days(5),))
    assert replaced_later(STATS, saved, made, lifetime=LATER) == (), "`keep` saved it, so it is not built again"
    assert replaced_later(STATS, coverage, batch("replace_all", days(1, 7)), lifetime=WHOLE) == ()


def test_key_is_known_only_where_every_row_that_counts_was_compared() -> None:
    made = batch("replace_slices", days(6))
    key, pair = ProvenKey(columns=("id",)), ProvenKey(columns=("id", "shop"), where="id > 0")
    assert unproven_keys(STATS, Coverage(), made, besides=()) == (ID, PAIR)
    assert unproven_keys(STATS, Coverage(proven=(key, pair)), made, besides=()) == ()
    assert unproven_keys(STATS, Coverage(proven=(key, pair.replace(where=None))), made, besides=()) == (PAIR,)
    apart = Coverage(proven=(key.replace(besides=(days(2), days(6))), pair))
    assert unproven_keys(STATS, apart, made, besides=(days(2),)) == (), "what was left out is left out or written again"
    assert unproven_keys(STATS, apart, made, besides=()) == (ID,), "what was left out counts now"


@pytest.mark.parametrize(("observed", "proven"), [((0, 0, 0), 2), ((3, 0, 0), 2), ((0, 1, 0), 1), ((0, "no", 2), 0)])
def test_only_a_key_without_any_double_is_proven(observed: tuple[int | str, ...], proven: int) -> None:
    found = proven_keys(STATS, results(*observed), besides=(days(2),))
    assert len(found) == proven
    assert all(key.besides == (days(2),) and key.columns in (("id",), ("id", "shop")) for key in found)


def test_coverage_of_before_keys_were_proven_is_read() -> None:
    assert from_json(b'{"segments":[],"keeps":true}', Coverage) == Coverage(keeps=True)
