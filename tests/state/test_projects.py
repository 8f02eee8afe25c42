"""Several projects and environments share one database, and never see each other's rows."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.behaviour.examples import (
    CATALOG,
    NOW,
    ORDERS,
    PROD,
    TTL,
    coverage_of,
    days,
    failure_of,
    intent_of,
    lease_of,
    plan_of,
    published_of,
    run_of,
    touch_of,
)
from tests.behaviour.state_behaviour import Stager

from lamina.state.port import ModelRecord
from lamina.state.sqlite import Database
from lamina.state.store import SqlStore
from lamina.values.names import CommitId, EnvironmentName, ModelName, PlanId, RunId, TableName

DEV = EnvironmentName("dev")


@pytest.fixture
def bakery(path: Path) -> Iterator[SqlStore]:
    """The store of another project on the same file."""
    with closing(SqlStore(Database(path), CATALOG, project="bakery")) as store:
        yield store


def test_a_project_sees_its_own_rows_only(store: SqlStore, bakery: SqlStore, stages: Stager) -> None:
    lease = lease_of(store)
    store.begin(run_of("run-1"), lease, now=NOW)
    stages("c1", "mem:1")
    store.intend(intent_of("c1"), lease)
    store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
    store.intend(intent_of("c2"), lease)
    store.fail((failure_of(days(3, 4)),), lease)
    store.ask_again({ModelName("sales.other"): (days(1, 2),)}, lease)
    store.save_plan(plan_of("abc"))
    seen = bakery.view(PROD)
    assert (seen.models, seen.touches, seen.failures, seen.requests) == ({}, {}, (), {})
    assert bakery.intents(PROD) == ()
    assert bakery.runs(PROD, limit=5) == ()
    assert bakery.run(PROD, RunId("run-1")) is None
    assert bakery.load_plan(PROD, PlanId("abc")) is None
    assert bakery.batches(PROD, ORDERS, limit=5) == ()
    assert store.view(DEV).models == {}


def test_i5_projects_and_environments_have_leases_of_their_own(store: SqlStore, bakery: SqlStore) -> None:
    ours = lease_of(store)
    theirs = lease_of(bakery, "run-2")
    dev = store.take_lease(DEV, RunId("run-3"), process="", now=NOW, ttl=TTL, above=0)
    for name, opened, lease in (("a", store, ours), ("b", bakery, theirs), ("c", store, dev)):
        record = ModelRecord(ModelName(name), pointer=None, position=None, coverage=coverage_of(days(1, 2)))
        opened.fold(lease.environment, lease, touches=(touch_of("raw.orders", "1"),), models=(record,))
    assert (list(store.view(PROD).models), list(bakery.view(PROD).models)) == (["a"], ["b"])
    assert [touch.sequence for touch in bakery.view(PROD).touches[TableName("raw.orders")]] == [1]


def test_a_project_forgets_nothing_of_another_one(store: SqlStore, bakery: SqlStore, stages: Stager) -> None:
    lease = lease_of(store)
    stages("c1", "mem:1")
    store.intend(intent_of("c1"), lease)
    record = ModelRecord(ORDERS, pointer=None, position=None, coverage=coverage_of(days(1, 2)))
    store.fold(PROD, lease, touches=(touch_of("raw.orders", "1"),), models=(record,))
    bakery.expire(frozenset(), lease_of(bakery), now=NOW)
    assert [intent.commit for intent in store.intents(PROD)] == ["c1"]
    store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
    assert list(store.view(PROD).models) == [ORDERS]


def test_what_is_done_under_a_lease_of_another_name_is_under_way(store: SqlStore) -> None:
    aside = store.take_lease(PROD, RunId("run-1"), process="", now=NOW, ttl=TTL, above=0, name="aside")
    store.begin(run_of("run-1").replace(token=aside.token), aside, now=NOW)
    store.intend(intent_of("c1").replace(token=aside.token), aside)
    lease = lease_of(store, "run-2")
    assert lease.token > aside.token
    store.begin(run_of("run-2").replace(token=lease.token), lease, now=NOW)
    assert store.held_tokens(PROD, now=NOW) == {aside.token, lease.token}
    assert {run.run_id: run.status for run in store.runs(PROD, limit=5)} == {"run-1": "running", "run-2": "running"}
    assert store.held_tokens(PROD, now=NOW + TTL) == frozenset()
    store.release_lease(aside)
    assert store.held_tokens(PROD, now=NOW) == {lease.token}
    store.begin(run_of("run-3").replace(token=lease.token), lease, now=NOW)
    assert store.run(PROD, RunId("run-1")) == run_of("run-1", status="interrupted").replace(token=aside.token)
    assert [intent.commit for intent in store.intents(PROD)] == [CommitId("c1")]


def test_every_row_says_which_run_wrote_it(store: SqlStore, path: Path, stages: Stager) -> None:
    lease = lease_of(store)
    stages("c1", "mem:1")
    store.intend(intent_of("c1"), lease)
    store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
    store.fail((failure_of(days(3, 4)),), lease)
    store.ask_again({ModelName("sales.other"): (days(1, 2),)}, lease)
    store.intend(intent_of("c2"), lease)
    tables = ("batch", "model", "touch", "failure", "request", "intent")
    with closing(sqlite3.connect(path)) as connection:
        found = {name: connection.execute(f"SELECT run_id FROM lamina_{name}").fetchall() for name in tables}
    assert found == {name: [("run-1",)] for name in tables}
