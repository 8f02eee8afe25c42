"""Folding touches into debts."""

import pytest
from tests.planner.making import DAILY, ORDERS, built, day, days, head, model, touch, use

from lamina.planner.fold import fold
from lamina.project.strategy import Incremental
from lamina.values.codec import from_json
from lamina.values.coverage import Coverage, Debt, InputRange, Logic, Segment
from lamina.values.grid import Grid
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName, Fingerprint, Position, TableName
from lamina.values.touch import Everything, Nothing, Refinement

STATS = model(inputs=(use(reads=("day", "amount"), by="day"),), strategy=DAILY)


def owed(coverage: Coverage) -> tuple[Interval, ...]:
    return tuple(segment.interval for segment in coverage.segments if segment.debts)


def test_touched_day_owes_and_the_rest_stays_one_clean_range() -> None:
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    after, decisions = fold(before, STATS, touches={ORDERS: (touch("2", "1", days(3)),)}, heads={})
    assert owed(after) == (days(3),)
    assert [segment.interval for segment in after.segments] == [days(1, 2), days(3), days(4, 20)]
    assert after.cursor(ORDERS) is not None
    assert after.cursors[0].position == "2"
    assert decisions[0].decision == "recompute"
    assert decisions[0].reason == "`raw.orders` changed in 2026-04-03"


def test_folding_twice_is_folding_once() -> None:
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    log = {ORDERS: (touch("2", "1", days(3)), touch("3", "2", days(5)))}
    once, _ = fold(before, STATS, touches=log, heads={ORDERS: head("3")})
    twice, decisions = fold(once, STATS, touches=log, heads={ORDERS: head("3")})
    assert twice == once
    assert decisions == ()


def test_window_reaches_later_slices() -> None:
    reader = model(inputs=(use(by="day", window_days=7),), strategy=DAILY)
    before = built(reader, days(1, 20), positions={"raw.orders": "1"})
    after, _ = fold(before, reader, touches={ORDERS: (touch("2", "1", days(3)),)}, heads={})
    assert owed(after) == (days(3, 10),)


def test_touch_is_widened_to_the_unit() -> None:
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    part = Interval(day(3, hour=5), day(4, hour=1))
    after, _ = fold(before, STATS, touches={ORDERS: (touch("2", "1", part),)}, heads={})
    assert owed(after) == (days(3, 4),)


def test_other_column_touches_everything() -> None:
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    after, _ = fold(before, STATS, touches={ORDERS: (touch("2", "1", days(3), column="loaded"),)}, heads={})
    assert owed(after) == (days(1, 20),)


def test_reader_of_equal_columns_is_spared_with_the_reason() -> None:
    equal = Refinement(columns=(ColumnName("amount"), ColumnName("day")))
    for name, columns, reason in (
        ("sales.orders", ("status",), "only `status` of `sales.orders` changed, which it does not read"),
        # Columns of a source that nobody reads were not compared.
        ("raw.orders", (), "nothing that its built slices read in `raw.orders` changed"),
    ):
        reader = model(inputs=(use(name, reads=("day", "amount"), by="day"),), strategy=DAILY)
        before = built(reader, days(1, 20), positions={name: "1"})
        log = {TableName(name): (touch("2", "1", days(3), table=name, refinements=(equal,)),)}
        heads = {TableName(name): head("2", "day", "amount", "status", table=name)}
        after, decisions = fold(before, reader, touches=log, heads=heads)
        assert owed(after) == ()
        assert decisions[0].decision == "skip"
        assert (decisions[0].columns, decisions[0].reason) == (columns, reason)


def test_unknown_read_set_is_spared_only_by_a_proof_for_every_column() -> None:
    reader = model(inputs=(use(),))
    before = built(reader, WHOLE, positions={"raw.orders": "1"})
    some = Refinement(columns=(ColumnName("amount"),))
    after, _ = fold(before, reader, touches={ORDERS: (touch("2", "1", refinements=(some,)),)}, heads={})
    assert owed(after) == (WHOLE,)
    every = Refinement(columns=None)
    after, _ = fold(before, reader, touches={ORDERS: (touch("2", "1", refinements=(every,)),)}, heads={})
    assert owed(after) == ()


def test_cutoff_never_removes_an_older_debt() -> None:
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    equal = Refinement(columns=(ColumnName("amount"), ColumnName("day")))
    log = {ORDERS: (touch("2", "1", days(3)), touch("3", "2", days(3), refinements=(equal,)))}
    after, _ = fold(before, STATS, touches=log, heads={})
    assert owed(after) == (days(3),)


def test_refinement_narrows_by_the_readers_filter_column() -> None:
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    narrow = Refinement(
        columns=(ColumnName("amount"), ColumnName("day")), filter_column=ColumnName("day"), ranges=(days(7),)
    )
    after, _ = fold(before, STATS, touches={ORDERS: (touch("2", "1", refinements=(narrow,)),)}, heads={})
    assert owed(after) == (days(7),)


def test_slice_built_by_older_code_is_judged_by_what_that_code_read() -> None:
    old = Logic(fingerprint=Fingerprint("v0"), reads={ORDERS: (ColumnName("status"),)})
    current = Logic(fingerprint=STATS.fingerprint, reads={ORDERS: (ColumnName("amount"), ColumnName("day"))})
    before = built(STATS, days(4, 9), positions={"raw.orders": "1"}).replace(
        segments=(
            Segment(interval=days(1, 3), logic=Fingerprint("v0")),
            Segment(interval=days(4, 9), logic=STATS.fingerprint),
        ),
        logics=(old, current),
    )
    equal = Refinement(columns=(ColumnName("amount"), ColumnName("day")))
    after, _ = fold(before, STATS, touches={ORDERS: (touch("2", "1", days(5), refinements=(equal,)),)}, heads={})
    assert owed(after) == (days(1, 3),)


OLD = Logic(fingerprint=Fingerprint("v0"), reads={ORDERS: None}, grid=Grid("day"))


@pytest.mark.parametrize(
    ("old", "touched", "expected"),
    [
        pytest.param(InputRange(ColumnName("day")), days(5), (days(5),), id="its slice"),
        pytest.param(InputRange(ColumnName("day"), before_seconds=2 * 86400), days(5), (days(5, 7),), id="its window"),
        pytest.param(InputRange(ColumnName("other")), days(5), (days(1, 9),), id="another column"),
        pytest.param(None, days(5), (days(1, 9),), id="not known"),
    ],
)
def test_slice_built_by_older_code_is_touched_where_that_code_read(
    old: InputRange | None, touched: Interval, expected: tuple[Interval, ...]
) -> None:
    logic = OLD.replace(ranges={} if old is None else {ORDERS: old})
    before = built(STATS, days(1, 9), positions={"raw.orders": "1"}).replace(
        segments=(Segment(interval=days(1, 9), logic=logic.fingerprint),), logics=(logic,)
    )
    after, _ = fold(before, STATS, touches={ORDERS: (touch("2", "1", touched),)}, heads={})
    assert owed(after) == expected


def test_a_record_from_before_ranges_were_kept_is_read_as_not_known() -> None:
    written = b'{"fingerprint":"v0","reads":{"raw.orders":null},"rows":null}'
    assert from_json(written, Logic) == OLD.replace(grid=None)


def test_slices_of_older_code_are_those_of_its_unit() -> None:
    logic = OLD.replace(ranges={ORDERS: InputRange(ColumnName("day"))}, grid=Grid("month"))
    before = built(STATS, days(1, 9), positions={"raw.orders": "1"}).replace(
        segments=(Segment(interval=days(1, 9), logic=logic.fingerprint),), logics=(logic,)
    )
    after, _ = fold(before, STATS, touches={ORDERS: (touch("2", "1", days(5)),)}, heads={})
    assert owed(after) == (days(1, 9),)


def test_debts_to_one_input_join_from_the_earliest_to_the_latest() -> None:
    reader = model(inputs=(use(is_driver=True),), strategy=Incremental())
    before = built(reader, WHOLE, positions={"raw.orders": "1"})
    log = {ORDERS: (touch("2", "1", is_append=True), touch("3", "2", is_append=True))}
    after, _ = fold(before, reader, touches=log, heads={})
    expected = Debt(input=ORDERS, since=Position("1"), position=Position("3"), is_append=True)
    assert after.segments[0].debts == (expected,)


def test_append_is_no_longer_one_after_a_rewrite_the_reader_was_spared_from() -> None:
    reader = model(inputs=(use(reads=("amount",), is_driver=True),), strategy=Incremental())
    before = built(reader, WHOLE, positions={"raw.orders": "1"})
    equal = Refinement(columns=(ColumnName("amount"),))
    log = {ORDERS: (touch("2", "1", is_append=True), touch("3", "2", refinements=(equal,)))}
    after, _ = fold(before, reader, touches=log, heads={})
    assert [debt.is_append for debt in after.segments[0].debts] == [False]


def test_gap_in_the_log_touches_everything() -> None:
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    after, _ = fold(before, STATS, touches={ORDERS: (touch("9", "8", days(3)),)}, heads={})
    assert owed(after) == (days(1, 20),)


def test_head_the_log_does_not_lead_to_touches_everything() -> None:
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    after, _ = fold(before, STATS, touches={}, heads={ORDERS: head("7")})
    assert owed(after) == (days(1, 20),)
    assert after.cursors[0].position == "7"


def test_head_older_than_the_log_is_ignored() -> None:
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    after, _ = fold(before, STATS, touches={ORDERS: (touch("2", "1", days(3)),)}, heads={ORDERS: head("1")})
    assert owed(after) == (days(3),)


def test_return_to_an_old_content_changes_nothing_for_who_read_it() -> None:
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    log = {ORDERS: (touch("1", None), touch("2", "1", days(3)), touch("1", "2", days(3)))}
    after, _ = fold(before, STATS, touches=log, heads={})
    assert owed(after) == ()


def test_input_first_read_when_it_had_no_version_owes_its_first_one() -> None:
    before = built(STATS, days(1, 20))
    after, _ = fold(before, STATS, touches={}, heads={ORDERS: head("1")})
    assert owed(after) == (days(1, 20),)


def test_new_input_of_new_code_moves_its_cursor_only() -> None:
    before = built(model(strategy=DAILY, fingerprint="v0"), days(1, 20))
    after, _ = fold(before, STATS, touches={}, heads={ORDERS: head("1")})
    assert owed(after) == ()
    assert after.cursors[0].position == "1"


def test_kept_input_moves_its_cursor_only() -> None:
    reader = model(inputs=(use(by="day", on_touch="keep"),), strategy=DAILY)
    before = built(reader, days(1, 20), positions={"raw.orders": "1"})
    after, decisions = fold(before, reader, touches={ORDERS: (touch("2", "1", days(3)),)}, heads={})
    assert owed(after) == ()
    assert after.cursors[0].position == "2"
    assert "keeps the rows" in decisions[0].reason


def test_compaction_is_no_touch() -> None:
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    after, decisions = fold(before, STATS, touches={ORDERS: (touch("2", "1", extent=Nothing()),)}, heads={})
    assert owed(after) == ()
    assert decisions == ()
    assert after.cursors[0].position == "2"


def test_own_past_touches_later_slices_only() -> None:
    itself = model("sales.balance", inputs=(use("sales.balance", by="day", window_days=2),), strategy=DAILY)
    before = built(itself, days(1, 20), positions={"sales.balance": "1"})
    log = {TableName("sales.balance"): (touch("2", "1", days(3), table="sales.balance"),)}
    after, _ = fold(before, itself, touches=log, heads={})
    assert owed(after) == (days(4, 5),)


NEW_YORK = "America/New_York"


def test_dates_of_a_zoned_reader_reach_its_local_day() -> None:
    log = {ORDERS: (touch("2", "1", days(3)),)}
    by_date = model(inputs=(use(by="day", of_dates=True),), strategy=DAILY, column_type="date", timezone=NEW_YORK)
    before = built(by_date, Interval(day(1, hour=4), day(10, hour=4)), positions={"raw.orders": "1"})
    after, _ = fold(before, by_date, touches=log, heads={})
    assert owed(after) == (Interval(day(3, hour=4), day(4, hour=4)),)
    # A UTC day of instants lies in two local ones.
    by_instant = by_date.replace(inputs=(use(by="day"),))
    after, _ = fold(before, by_instant, touches=log, heads={})
    assert owed(after) == (Interval(day(2, hour=4), day(4, hour=4)),)


def test_own_past_of_local_dates_does_not_touch_its_own_slice() -> None:
    own = use("sales.balance", by="day", window_days=1, of_dates=True)
    itself = model("sales.balance", inputs=(own,), strategy=DAILY, column_type="date", timezone=NEW_YORK)
    before = built(itself, Interval(day(1, hour=4), day(10, hour=4)), positions={"sales.balance": "1"})
    log = {TableName("sales.balance"): (touch("2", "1", days(3), table="sales.balance"),)}
    after, _ = fold(before, itself, touches=log, heads={})
    assert owed(after) == (Interval(day(4, hour=4), day(5, hour=4)),)


def test_rows_without_a_time_touch_no_slice_of_a_reader_by_range() -> None:
    undated = Refinement(columns=None, filter_column=ColumnName("day"))
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    log = {ORDERS: (touch("2", "1", extent=Everything()).replace(refinements=(undated,)),)}
    after, _ = fold(before, STATS, touches=log, heads={})
    assert owed(after) == ()


def test_a_change_of_unknown_days_says_that_every_slice_is_rebuilt() -> None:
    before = built(STATS, days(1, 20), positions={"raw.orders": "1"})
    log = {ORDERS: (touch("2", "1", extent=Everything()),)}
    after, decisions = fold(before, STATS, touches=log, heads={})
    assert owed(after) == (days(1, 20),)
    assert "so every slice is rebuilt" in decisions[0].reason
