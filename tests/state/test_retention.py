"""What is removed from the state, and what is never removed."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from tests.behaviour.examples import (
    CATALOG,
    NOW,
    ORDERS,
    PROD,
    RAW,
    check_of,
    coverage_of,
    days,
    intent_of,
    lease_of,
    plan_of,
    published_of,
    run_of,
    touch_of,
)

from lamina.compiler.graph import Graph
from lamina.state import retention
from lamina.state.port import CheckRecord, ModelRecord
from lamina.state.store import SqlStore
from lamina.values.coverage import Cursor
from lamina.values.names import CommitId, ModelName, PlanId, Position, RunId, TableName, beside_of
from lamina.warehouse.catalog.sqlite import CatalogFile

LATER = NOW + retention.KEPT_FOR + timedelta(days=1)
NOBODY: frozenset[ModelName] = frozenset()


def reader(name: str, sequence: int) -> ModelRecord:
    cursor = Cursor(RAW, Position(str(sequence)), sequence)
    return ModelRecord(ModelName(name), pointer=None, position=None, coverage=coverage_of(days(1, 2), cursor=cursor))


def test_runs_are_kept_by_age(store: SqlStore) -> None:
    lease = lease_of(store)
    store.finish(run_of("run-1", status="success"))
    store.finish(run_of("run-2", status="success").replace(started_at=LATER))
    store.expire(NOBODY, lease, now=NOW + retention.KEPT_FOR)
    assert store.run(PROD, RunId("run-1")) is not None
    store.expire(NOBODY, lease, now=LATER)
    assert [run.run_id for run in store.runs(PROD, limit=9)] == ["run-2"]


def test_what_checks_said_is_kept_with_its_run(store: SqlStore) -> None:
    lease = lease_of(store)
    store.finish(run_of("run-1", status="success"))
    store.finish(run_of("run-2", status="success").replace(started_at=LATER))
    records = tuple(CheckRecord(run_id=RunId(f"run-{number}"), at=NOW, result=check_of("sound")) for number in (1, 2))
    store.fail((), lease, records)
    store.expire(NOBODY, lease, now=NOW + retention.KEPT_FOR)
    assert len(store.checks(PROD, ORDERS, limit=9)) == 2
    store.expire(NOBODY, lease, now=LATER)
    assert [item.run_id for item in store.checks(PROD, ORDERS, limit=9)] == ["run-2"]


def test_runs_and_plans_are_kept_by_number(store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "KEPT_RUNS", 2)
    monkeypatch.setattr(retention, "KEPT_PLANS", 1)
    for number in range(4):
        store.finish(run_of(f"run-{number}", status="success"))
        store.save_plan(plan_of(f"plan-{number}"))
    store.expire(NOBODY, lease_of(store), now=NOW)
    assert [run.run_id for run in store.runs(PROD, limit=9)] == ["run-3", "run-2"]
    assert [store.load_plan(PROD, PlanId(f"plan-{number}")) is not None for number in range(4)] == [
        False,
        False,
        False,
        True,
    ]


def test_plans_of_runs_leave_room_for_those_that_wait_for_apply(
    store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention, "KEPT_PLANS", 1)
    lease = lease_of(store)
    store.save_plan(plan_of("waits"))
    for number in range(3):
        store.begin_plan(
            plan_of(f"ran-{number}"),
            Graph(project="shop", models=(), sources=(), layers=(), diagnostics=()),
            lease,
            asked={},
        )
    store.expire(NOBODY, lease, now=NOW)
    kept = [name for name in ("waits", "ran-0", "ran-1", "ran-2") if store.load_plan(PROD, PlanId(name)) is not None]
    assert kept == ["waits", "ran-2"]


def test_the_last_batch_of_a_model_stays_however_old(store: SqlStore, stages: Callable[[str, str], None]) -> None:
    lease = lease_of(store)
    for number in (1, 2):
        stages(f"c{number}", f"mem:{number}")
        base = None if number == 1 else "mem:1"
        store.record(published_of(f"c{number}", base=base, pointer=f"mem:{number}"), lease, at=NOW, execution_time=NOW)
    store.expire(frozenset({ORDERS}), lease, now=LATER)
    assert [batch.commit for batch in store.batches(PROD, ORDERS, limit=9)] == ["c2"]


def test_only_stages_without_an_intent_are_dropped(
    store: SqlStore, file: CatalogFile, stages: Callable[[str, str], None]
) -> None:
    lease = lease_of(store)
    stages("lost", "mem:1")
    stages("live", "mem:2")
    for number, commit in enumerate(("lost", "live")):
        stages(beside_of(CommitId(commit)), f"mem:{3 + number}")
    store.intend(intent_of("live"), lease)
    store.expire(NOBODY, lease, now=NOW)
    with file.reading() as transaction:
        assert CATALOG.stages(transaction) == ("live", "live__quarantine")


def test_a_model_that_is_gone_no_longer_holds_a_log_back(store: SqlStore) -> None:
    lease = lease_of(store)
    touches = tuple(touch_of(RAW, str(number), parent=str(number - 1)) for number in (1, 2, 3))
    store.fold(PROD, lease, touches=touches, models=(reader("sales.gone", 1), reader("sales.here", 3)))
    assert [touch.position for touch in store.view(PROD).touches[RAW]] == ["2", "3"]
    store.expire(frozenset({ModelName("sales.gone"), ModelName("sales.here")}), lease, now=NOW)
    assert [touch.position for touch in store.view(PROD).touches[RAW]] == ["2", "3"]
    store.expire(frozenset({ModelName("sales.here")}), lease, now=NOW)
    view = store.view(PROD)
    assert [touch.position for touch in view.touches[TableName(RAW)]] == ["3"]
    assert view.models[ModelName("sales.gone")] == reader("sales.gone", 1)
