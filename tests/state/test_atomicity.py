"""A write of the state that fails at any statement changes nothing; one whose answer is lost changed everything."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.behaviour.examples import (
    CATALOG,
    NOW,
    ORDERS,
    PROD,
    PROJECT,
    RAW,
    coverage_of,
    days,
    failure_of,
    intent_of,
    lease_of,
    published_of,
    run_of,
    touch_of,
)
from tests.simulation.memory_catalog import JoinedDatabase, MemoryCatalog

from lamina.state.errors import StateUnavailable
from lamina.state.port import Lease, ModelRecord
from lamina.state.sqlite import Database
from lamina.state.store import SqlStore
from lamina.values.batch import Move
from lamina.values.coverage import Cursor
from lamina.values.names import CommitId, Position, TableName
from lamina.warehouse.catalog.port import stage_of
from lamina.warehouse.catalog.sqlite import CatalogFile


class FaultyConnection(sqlite3.Connection):
    """Counts statements, and fails at one of them: before it does anything, or after it did."""

    statements = 0
    fails_at: int | None = None
    fails_after = False

    def _counted(self, call: Callable[..., Any], *arguments: Any) -> Any:
        self.statements += 1
        is_failing = self.statements == self.fails_at
        if is_failing and not self.fails_after:
            raise sqlite3.OperationalError("disk I/O error")
        result = call(*arguments)
        if is_failing:
            raise sqlite3.OperationalError("disk I/O error")
        return result

    def execute(self, *arguments: Any) -> Any:
        return self._counted(super().execute, *arguments)

    def executemany(self, *arguments: Any) -> Any:
        return self._counted(super().executemany, *arguments)

    def arm(self, fails_at: int | None, *, fails_after: bool = False) -> None:
        self.statements, self.fails_at, self.fails_after = 0, fails_at, fails_after


class Bench:
    """A store whose driver can be made to fail, with the catalog in the same file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection: FaultyConnection
        self.store = self.open(Database(path, connect=self._connect))

    def open(self, database: Database) -> SqlStore:
        return SqlStore(database, CATALOG, project=PROJECT)

    def stage(self, commit: str, pointer: str) -> None:
        with closing(CatalogFile(self.path)) as file, file.writing() as transaction:
            CATALOG.register(transaction, stage_of(CommitId(commit)), pointer=pointer)

    def dump(self) -> list[str]:
        with closing(sqlite3.connect(self.path)) as connection:
            return [line for line in connection.iterdump() if "sqlite_sequence" not in line]

    def _connect(self, path: Path) -> sqlite3.Connection:
        self.connection = sqlite3.connect(path, isolation_level=None, factory=FaultyConnection)
        return self.connection


class JoinedBench(Bench):
    """The same with a catalog in memory, which the transactions of the state take along."""

    def open(self, database: Database) -> SqlStore:
        self.catalog = MemoryCatalog()
        return SqlStore(JoinedDatabase(database, self.catalog), self.catalog, project=PROJECT)

    def stage(self, commit: str, pointer: str) -> None:
        with self.catalog.writing() as transaction:
            self.catalog.register(transaction, stage_of(CommitId(commit)), pointer=pointer)

    def dump(self) -> list[str]:
        with self.catalog.reading() as transaction:
            return [*super().dump(), *(f"{table} {at}" for table, at in sorted(transaction.draft.items()))]


@pytest.fixture(params=[Bench, JoinedBench])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bench]:
    """A store on a fresh file."""
    opened: Bench = request.param(tmp_path / "lamina.db")
    yield opened
    opened.store.close()


Write = Callable[[SqlStore, Lease], object]


def _record(store: SqlStore, lease: Lease) -> object:
    cursor = Cursor(RAW, Position("2"), 2)
    published = published_of(
        "c2", base="mem:1", pointer="mem:2", coverage=coverage_of(days(1, 2), cursor=cursor), span=days(1, 2)
    )
    return store.record(published, lease, at=NOW, execution_time=NOW)


def _fold(store: SqlStore, lease: Lease) -> None:
    record = ModelRecord(ORDERS, None, None, coverage_of(days(1, 2), cursor=Cursor(RAW, Position("3"), 3)))
    store.fold(PROD, lease, touches=(touch_of("raw.orders", "3"),), models=(record,))


def _first_build(store: SqlStore, lease: Lease) -> object:
    published = published_of("c3", base=None, pointer="mem:3")
    move = published.move.replace(target="sales.customers")
    return store.record(published.replace(move=move), lease, at=NOW, execution_time=NOW)


def _two_tables(store: SqlStore, lease: Lease) -> object:
    published = published_of("c3", base=None, pointer="mem:3")
    own = published.move.replace(target="sales.customers")
    beside = Move(TableName(ORDERS), base="mem:1", pointer="mem:4", stage=stage_of(CommitId("c4")))
    return store.record(published.replace(move=own, beside=(beside,)), lease, at=NOW, execution_time=NOW)


def _ask_again(store: SqlStore, lease: Lease) -> None:
    store.ask_again({ORDERS: (days(1, 3),)}, lease)


WRITES = {
    "record": _record,
    "first_build": _first_build,
    "two_tables": _two_tables,
    "fold": _fold,
    "ask_again": _ask_again,
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_i1_write_that_fails_at_any_statement_changes_nothing(bench: Bench, write: Write) -> None:
    store = bench.store
    lease = lease_of(store)
    bench.stage("c1", "mem:1")
    store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
    store.fold(PROD, lease, touches=(touch_of("raw.orders", "1"), touch_of("raw.orders", "2")), models=())
    store.intend(intent_of("c2"), lease)
    store.ask_again({ORDERS: (days(1, 2),)}, lease)
    store.fail((failure_of(days(1, 3)),), lease)
    bench.stage("c2", "mem:2")
    bench.stage("c3", "mem:3")
    bench.stage("c4", "mem:4")
    before = bench.dump()
    statements = 0
    while _is_failing(bench, lease, write, fails_at=statements + 1):
        statements += 1
        assert bench.dump() == before, f"statement {statements} failed and something changed"
    assert statements > 3
    assert bench.dump() != before


def test_i1_lost_answer_of_a_commit_leaves_all_recorded(bench: Bench) -> None:
    bench.connection.arm(None)
    bench.store.finish(run_of("run-1"))
    # The last statement of a write is its commit.
    bench.connection.arm(bench.connection.statements, fails_after=True)
    with pytest.raises(StateUnavailable):
        bench.store.finish(run_of("run-2"))
    bench.connection.arm(None)
    assert [run.run_id for run in bench.store.runs(PROD, limit=9)] == ["run-2", "run-1"]


def _is_failing(bench: Bench, lease: Lease, write: Write, *, fails_at: int) -> bool:
    bench.connection.arm(fails_at)
    try:
        write(bench.store, lease)
    except StateUnavailable:
        return True
    finally:
        bench.connection.arm(None)
    return False
