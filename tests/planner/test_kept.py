"""Rows that only the table holds, and changes of layout: what a plan says of them, and what is recorded."""

from tests.planner.making import DAILY, ORDERS, built, day, days, model, touch, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.decide import decide, foretell
from lamina.planner.fold import fold
from lamina.planner.now import Now
from lamina.planner.record import record_batch
from lamina.project.strategy import Incremental, Merge
from lamina.values.batch import Batch, Pin
from lamina.values.coverage import Coverage, Cursor, Debt
from lamina.values.facts import ModelFacts, TargetFacts
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName, CommitId, Fingerprint, Position, TableName
from lamina.values.plan import Action, Block, Build, Mode, Rebuild, Selection, Skip
from lamina.values.touch import Touch

MERGE = Merge(unique_key=(ColumnName("id"),))


def decided(subject: CompiledModel, coverage: Coverage, selection: Selection | None = None) -> tuple[Action, ...]:
    facts = ModelFacts(coverage=coverage, target=TargetFacts(status="ours"))
    return foretell(subject, facts, Now(day(8, hour=6), selection or Selection(), {}, {}))


def laid_out(subject: CompiledModel, partitioned_by: str) -> CompiledModel:
    fingerprint = Fingerprint(f"rows {partitioned_by}")
    layout = {"partitioned_by": partitioned_by, "sorted_by": ""}
    return subject.replace(fingerprint=fingerprint, rows_fingerprint=Fingerprint("rows"), layout=layout)


def batch(subject: CompiledModel, mode: Mode, *slices: Interval, carried: tuple[Interval, ...] = ()) -> Batch:
    return Batch(CommitId("c"), subject.name, mode, slices, pins=(), base="b", parameters={}, carried=carried)


def recorded(subject: CompiledModel, coverage: Coverage, made: Batch) -> Coverage:
    return record_batch(coverage, subject, made, start=None, watermark=None, logs={})


def test_a_rebuild_says_how_many_rows_only_the_table_holds() -> None:
    old = model(strategy=MERGE)
    (action,) = decided(model(strategy=MERGE, fingerprint="v2"), built(old, WHOLE).replace(retained=3))

    assert isinstance(action, Rebuild)
    assert action.rows_carried == 3
    assert action.reason.endswith("rows that only the table holds are carried over (3 when it was last read in full)")


def test_a_rebuild_says_what_becomes_of_columns_that_left_the_query() -> None:
    new = model(strategy=MERGE, fingerprint="v2")
    facts = ModelFacts(
        coverage=built(model(strategy=MERGE), WHOLE).replace(retained=3),
        target=TargetFacts(status="ours"),
        columns=(ColumnName("DAY"), ColumnName("amount")),
    )

    def said(selection: Selection, facts: ModelFacts = facts) -> str:
        (action,) = foretell(new, facts, Now(day(8, hour=6), selection, {}, {}))
        return action.reason.partition("read in full)")[2]

    assert said(Selection()) == "; `amount` left the query: kept for values of these rows, null in all others"
    assert said(Selection(is_full_refresh=True)) == "; `amount` left the query: dropped"
    assert said(Selection(is_full_refresh=True, is_loss_accepted=True)) == ""
    assert said(Selection(), facts.replace(coverage=facts.coverage.replace(retained=0))) == ""
    assert said(Selection(), facts.replace(columns=(ColumnName("day"),))) == ""


def test_columns_that_left_the_query_are_recorded_until_a_batch_knows_better() -> None:
    subject = model(strategy=MERGE)
    kept = built(subject, WHOLE).replace(former=(ColumnName("amount"),))
    made = batch(subject, "merge", WHOLE)
    assert recorded(subject, kept, made).former == ("amount",)
    assert record_batch(kept, subject, made, start=None, watermark=None, logs={}, former=()).former == ()


def test_a_run_leaves_it_to_its_result_to_count_them() -> None:
    facts = ModelFacts(
        coverage=built(model(strategy=MERGE), WHOLE).replace(retained=3), target=TargetFacts(status="ours")
    )
    (action,) = decide(model(strategy=MERGE, fingerprint="v2"), facts, Now(day(8, hour=6), Selection(), {}, {}))
    assert action.reason == "the query changed"


def test_only_an_accepted_loss_says_that_they_are_dropped() -> None:
    subject = model(strategy=MERGE)
    asked = Selection(is_full_refresh=True, is_loss_accepted=True)
    (action,) = decided(subject, built(subject, WHOLE).replace(retained=3), asked)

    assert isinstance(action, Rebuild)
    assert "are dropped (3 when" in action.reason


def test_a_strategy_that_has_no_place_for_kept_rows_is_refused() -> None:
    coverage = built(model(strategy=MERGE), WHOLE).replace(retained=2)
    plain = model(fingerprint="v2")

    (refused,) = decided(plain, coverage)
    (accepted,) = decided(plain, coverage, Selection(is_full_refresh=True, is_loss_accepted=True))

    assert isinstance(refused, Block)
    assert "2 rows that its query no longer gives" in refused.reason
    assert isinstance(accepted, Rebuild)
    assert decided(plain, coverage.replace(retained=0))[0] != refused


def test_built_slices_that_are_not_due_are_carried_and_stay_recorded() -> None:
    old, new = (model(strategy=DAILY, start="2026-04-03", fingerprint=code) for code in ("v1", "v2"))
    coverage = built(old, days(1, 7))
    (action,) = decided(new, coverage)
    assert isinstance(action, Rebuild)
    assert action.reason == "the query changed; 2026-04-01 to 2026-04-02: not due, carried over"

    after = recorded(new, coverage, batch(new, "replace_all", days(3, 7), carried=(days(1, 2),)))

    assert [(item.interval, item.logic) for item in after.segments] == [(days(1, 2), "v1"), (days(3, 7), "v2")]
    assert [type(item).__name__ for item in decided(new, after)] == ["Skip"]
    # Once they are due again they are built by current code, and nothing else is.
    (again,) = decided(new.replace(settings=new.settings.replace(start="2026-04-02")), after)
    assert isinstance(again, Build)
    assert again.intervals == (days(2),)


def test_another_layout_rewrites_what_is_there_and_pays_no_debt() -> None:
    before, now = (laid_out(model(strategy=DAILY, start="2026-04-01", inputs=(use(),)), text) for text in ("a", "b"))
    coverage = recorded(before, Coverage(), batch(before, "replace_slices", days(1, 7)))
    owed = Debt(input=TableName("raw.orders"), since=Position("1"), position=Position("2"))
    coverage = coverage.replace(segments=tuple(item.replace(debts=(owed,)) for item in coverage.segments))

    rewrite, build = decided(now, coverage)

    assert isinstance(rewrite, Rebuild)
    assert (rewrite.mode, rewrite.reason) == ("rewrite", "the layout changed: partitioned_by")
    assert isinstance(build, Build)
    after = recorded(now, coverage, batch(now, "rewrite", days(1, 7)))
    assert after.layout == now.layout
    assert [(item.logic, item.debts) for item in after.segments] == [(now.fingerprint, (owed,))]
    assert [getattr(item, "mode", "") for item in decided(now, after)] == ["replace_slices"]


def test_what_writes_all_rows_takes_the_new_layout_with_it() -> None:
    before, now = (laid_out(model(), text) for text in ("a", "b"))
    coverage = recorded(before, Coverage(), batch(before, "replace_all", WHOLE))

    (action,) = decided(now, coverage, Selection(is_full_refresh=True))

    assert isinstance(action, Rebuild)
    assert action.mode == "replace_all"
    assert "the layout changed: partitioned_by" in action.reason


LOAD = model(strategy=Incremental(), inputs=(use(on_touch="keep", is_driver=True),))
LOSS = Selection(is_full_refresh=True, is_loss_accepted=True)


def after(coverage: Coverage, subject: CompiledModel, *log: Touch) -> Coverage:
    return fold(coverage, subject, touches={ORDERS: log}, heads={})[0]


def test_rows_that_a_kept_driver_lost_are_dropped_by_nothing_but_an_accepted_loss() -> None:
    held = after(built(LOAD, WHOLE, positions={"raw.orders": "1"}), LOAD, touch("2", "1"))
    edited = LOAD.replace(fingerprint=Fingerprint("v2"))

    assert decided(LOAD, held) == (Skip(model=LOAD.name, reason="unchanged"),)
    for subject, selection in (
        (edited, Selection()),
        (LOAD, Selection(is_full_refresh=True)),
        (LOAD, Selection(is_forced=True)),
        (model(fingerprint="v2"), Selection()),
    ):
        (refused,) = decided(subject, held, selection)
        assert isinstance(refused, Block)
        assert "a rebuild would drop rows that only the table holds" in refused.reason
        assert "--full-refresh --accept-loss -s sales.stats" in refused.reason
    (accepted,) = decided(edited, held, LOSS)
    assert isinstance(accepted, Rebuild)
    assert accepted.reason.endswith("rows that only the table holds are dropped")
    assert recorded(edited, held, batch(edited, "replace_all", WHOLE)).held == ()


def test_rows_of_a_merge_whose_driver_lost_them_are_of_unknown_number() -> None:
    keyed = model(strategy=MERGE.replace(driver=ORDERS), inputs=(use(on_touch="keep", is_driver=True),))
    held = after(built(keyed, WHOLE, positions={"raw.orders": "1"}).replace(retained=0), keyed, touch("2", "1"))

    (carried,) = decided(keyed.replace(fingerprint=Fingerprint("v2")), held)
    (refused,) = decided(model(fingerprint="v2"), held)

    assert isinstance(carried, Rebuild)
    assert (carried.rows_carried, carried.reason.endswith("are carried over")) == (None, True)
    assert isinstance(refused, Block)
    assert recorded(keyed, held, batch(keyed, "merge", WHOLE)).held == ()


def test_slices_that_saved_rows_are_not_built_again_and_the_others_are() -> None:
    saving = model(inputs=(use(by="day", on_touch="keep"),), strategy=DAILY, start="2026-04-01")
    coverage = built(saving, days(1, 7), positions={"raw.orders": "1"})
    held = after(coverage, saving, touch("2", "1", days(3)), touch("3", "2", days(5), is_append=True))

    build, refused = decided(saving, held, Selection(is_forced=True))

    assert held.held == (days(3),)
    assert isinstance(build, Build)
    assert build.intervals == (days(1, 2), days(4, 7))
    assert isinstance(refused, Block)
    assert refused.intervals == (days(3),)
    (whole,) = decided(saving.replace(fingerprint=Fingerprint("v2")), held)
    assert isinstance(whole, Block)


def test_what_is_looked_up_saves_no_rows() -> None:
    placed = model(inputs=(use("raw.shops", on_touch="keep"), use(by="day")), strategy=DAILY, start="2026-04-01")
    coverage = built(placed, days(1, 8), positions={"raw.orders": "1", "raw.shops": "1"})
    log = {TableName("raw.shops"): (touch("2", "1", table="raw.shops"),)}
    found, _ = fold(coverage, placed, touches=log, heads={})

    assert (found.held, found.not_followed) == ((), ("raw.shops",))
    assert isinstance(decided(placed.replace(fingerprint=Fingerprint("v2")), found)[0], Rebuild)


def test_only_what_was_loaded_is_known_when_it_comes_back() -> None:
    coverage = built(LOAD, WHOLE, positions={"raw.orders": "1"})
    owing = after(coverage, LOAD, touch("2", "1", is_append=True))
    assert owing.loaded == ()

    # What came with version 2 left before it was loaded.
    left = after(owing, LOAD, touch("2", "1", is_append=True), touch("3", "2"))
    assert left.loaded == (Cursor(ORDERS, Position("1")),)

    read = batch(LOAD, "append", WHOLE).replace(pins=(Pin(ORDERS, Position("3"), since=Position("1")),))
    paid = recorded(LOAD, left, read)
    assert paid.held == (WHOLE,)
    again = after(paid, LOAD, touch("3", "2"), touch("4", "3"))
    assert again.loaded == (Cursor(ORDERS, Position("1")), Cursor(ORDERS, Position("3")))


def test_rows_that_a_rebuild_carried_over_go_on_outdoing_those_of_a_kept_driver() -> None:
    keyed = model(strategy=MERGE.replace(driver=ORDERS), inputs=(use(on_touch="keep", is_driver=True),))
    rebuilt = batch(keyed, "replace_all", WHOLE, carried=(WHOLE,))
    coverage = built(keyed, WHOLE)

    assert record_batch(coverage, keyed, rebuilt, start=None, watermark=None, logs={}, retained=1).not_followed == (
        ORDERS,
    )
    assert record_batch(coverage, keyed, rebuilt, start=None, watermark=None, logs={}, retained=0).not_followed == ()
