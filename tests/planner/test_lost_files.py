"""Tables whose files are lost: blocked with the way out, built again only if asked, never at the cost of kept rows."""

import pytest
from tests.planner.making import DAILY, built, day, days, facts, model, use

from lamina.compiler.graph import CompiledModel
from lamina.planner.decide import decide
from lamina.planner.now import Now
from lamina.project.strategy import DeleteInsert, FullRefresh, Incremental, Merge, Strategy
from lamina.strategies.history import keeps_history
from lamina.values.facts import TargetFacts
from lamina.values.interval import WHOLE
from lamina.values.names import ColumnName, ModelName
from lamina.values.plan import Action, Block, Rebuild, Selection

ID = (ColumnName("id"),)
LOST = TargetFacts(status="lost", detail="`x.parquet` cannot be read")
REFRESH = Selection(is_full_refresh=True)


def decided(strategy: Strategy, selection: Selection, target: TargetFacts = LOST) -> tuple[Action, ...]:
    subject = model(strategy=strategy, inputs=(use(by="day"),), start="2026-04-01")
    known = facts(built(subject, days(1, 4) if strategy == DAILY else WHOLE)).replace(target=target)
    now = Now(execution_time=day(5), selection=selection, upstream={}, touches={})
    return decide(subject, known, now)


@pytest.mark.parametrize("strategy", [FullRefresh(), DAILY, Merge(unique_key=ID)])
def test_a_plain_run_blocks_and_names_the_way_out(strategy: Strategy) -> None:
    (block,) = decided(strategy, Selection())
    assert isinstance(block, Block)
    assert block.blocked_by == (block.model,)
    assert "`x.parquet` cannot be read" in block.reason
    assert f"lamina run -s {block.model} --full-refresh" in block.reason


@pytest.mark.parametrize("strategy", [FullRefresh(), DAILY, Merge(unique_key=ID, on_delete="delete")])
def test_a_full_refresh_builds_it_again(strategy: Strategy) -> None:
    (work,) = decided(strategy, REFRESH)
    assert isinstance(work, Rebuild)


def test_a_full_refresh_of_its_readers_does_not() -> None:
    name = model().name
    (block,) = decided(DAILY, REFRESH.replace(models=(ModelName("sales.reader"),), upstreams=(name,)))
    assert isinstance(block, Block)


@pytest.mark.parametrize("strategy", [Merge(unique_key=ID), DeleteInsert(partition_by=ID)])
def test_kept_rows_are_dropped_only_if_that_is_accepted(strategy: Strategy) -> None:
    (block,) = decided(strategy, REFRESH)
    assert isinstance(block, Block)
    assert "--full-refresh --accept-loss" in block.reason
    (work,) = decided(strategy, REFRESH.replace(is_loss_accepted=True))
    assert isinstance(work, Rebuild)


@pytest.mark.parametrize("reads_itself", [False, True])
def test_a_built_range_that_is_not_due_is_dropped_only_if_that_is_accepted(reads_itself: bool) -> None:
    inputs = (use(by="day"), *((use("sales.daily", by="day"),) if reads_itself else ()))
    subject = model("sales.daily", strategy=DAILY, inputs=inputs, start="2026-04-03")
    known = facts(built(subject, days(1, 4))).replace(target=LOST)
    now = Now(execution_time=day(5), selection=REFRESH, upstream={}, touches={})
    (block,) = decide(subject, known, now)
    assert isinstance(block, Block)
    assert "--accept-loss`, which drops what is not due: 2026-04-01 to 2026-04-02" in block.reason
    (work,) = decide(subject, known, now.replace(selection=REFRESH.replace(is_loss_accepted=True)))
    assert not isinstance(work, Block)


def test_a_table_that_nothing_is_recorded_of_is_never_replaced() -> None:
    target = TargetFacts(status="unreadable", detail="`x.json` cannot be read")
    (block,) = decided(FullRefresh(), REFRESH.replace(is_loss_accepted=True), target)
    assert isinstance(block, Block)


def _keeps_history(subject: CompiledModel) -> bool:
    return keeps_history(subject.traits, subject.inputs)


def test_which_tables_keep_what_their_inputs_cannot_give() -> None:
    driven = (use("raw.a", is_driver=True), use("raw.b"))
    assert _keeps_history(model(strategy=Incremental(), inputs=driven))
    assert not _keeps_history(model(strategy=Incremental(), inputs=driven[:1]))
    assert _keeps_history(model(strategy=Merge(unique_key=ID, on_delete="delete", update_columns=ID)))
    assert _keeps_history(model(strategy=FullRefresh(), inputs=(use(on_touch="keep"),)))
    assert not _keeps_history(model(strategy=DAILY, inputs=(use(),)))
