"""A write of the state that fails at any statement changes nothing; one whose answer is lost changed everything."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.behaviour.examples import (
    NOW,
    ORDERS,
    PROD,
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

from lamina.state.errors import StateUnavailable
from lamina.state.port import Lease, ModelRecord
from lamina.state.store import SqlStore
from lamina.values.coverage import Cursor
from lamina.values.names import Position


class FaultyConnection:
    """Passes statements on, until one of them fails."""

    def __init__(self, connection: sqlite3.Connection, *, fails_at: int, fails_after: bool) -> None:
        self.connection = connection
        self.left = fails_at
        self.fails_after = fails_after

    def _pass(self, call: Callable[..., Any], *arguments: Any) -> Any:
        self.left -= 1
        if self.left == 0 and not self.fails_after:
            raise sqlite3.OperationalError("disk I/O error")
        result = call(*arguments)
        if self.left == 0:
            raise sqlite3.OperationalError("disk I/O error")
        return result

    def execute(self, *arguments: Any) -> Any:
        return self._pass(self.connection.execute, *arguments)

    def executemany(self, *arguments: Any) -> Any:
        return self._pass(self.connection.executemany, *arguments)

    @property
    def in_transaction(self) -> bool:
        return self.connection.in_transaction


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


def _ask_again(store: SqlStore, lease: Lease) -> None:
    store.ask_again({ORDERS: (days(1, 3),)}, lease)


WRITES = {"record": _record, "first_build": _first_build, "fold": _fold, "ask_again": _ask_again}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_i1_write_that_fails_at_any_statement_changes_nothing(
    store: SqlStore, path: Path, stages: Callable[[str, str], None], write: Write
) -> None:
    lease = lease_of(store)
    stages("c1", "mem:1")
    store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
    store.fold(PROD, lease, touches=(touch_of("raw.orders", "1"), touch_of("raw.orders", "2")), models=())
    store.intend(intent_of("c2"), lease)
    store.ask_again({ORDERS: (days(1, 2),)}, lease)
    store.fail((failure_of(days(1, 3)),), lease)
    stages("c2", "mem:2")
    stages("c3", "mem:3")
    before = _dump(path)
    real = store._database._connection
    statements = 0
    while _is_failing(store, lease, write, connection=real, fails_at=statements + 1):
        statements += 1
        assert _dump(path) == before, f"statement {statements} failed and something changed"
    assert statements > 3
    assert _dump(path) != before


def test_i1_lost_answer_of_a_commit_leaves_all_recorded(
    store: SqlStore, path: Path, stages: Callable[[str, str], None]
) -> None:
    stages("c1", "mem:1")
    real = store._database._connection
    statements: list[str] = []
    real.set_trace_callback(statements.append)
    store.finish(run_of("run-1"))
    real.set_trace_callback(None)
    assert statements[-1] == "COMMIT"
    store._database._connection = FaultyConnection(real, fails_at=len(statements), fails_after=True)  # type: ignore[assignment]  # in place of the driver
    with pytest.raises(StateUnavailable):
        store.finish(run_of("run-2"))
    store._database._connection = real
    assert [run.run_id for run in store.runs(limit=9)] == ["run-2", "run-1"]


def _is_failing(store: SqlStore, lease: Lease, write: Write, *, connection: sqlite3.Connection, fails_at: int) -> bool:
    faulty = FaultyConnection(connection, fails_at=fails_at, fails_after=False)
    store._database._connection = faulty  # type: ignore[assignment]  # in place of the driver
    try:
        write(store, lease)
    except StateUnavailable:
        return True
    finally:
        store._database._connection = connection
    return False


def _dump(path: Path) -> list[str]:
    connection = sqlite3.connect(path)
    try:
        return [line for line in connection.iterdump() if "sqlite_sequence" not in line]
    finally:
        connection.close()
