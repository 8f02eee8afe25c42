"""The lease while a run works."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest
from tests.behaviour.examples import CATALOG, NO_COMPILING, PROJECT

from lamina.executor import lease as leases
from lamina.executor.runtime import Runtime
from lamina.state.errors import StateUnavailable
from lamina.state.port import Lease
from lamina.state.sqlite import Database
from lamina.state.store import SqlStore
from lamina.values.names import EnvironmentName, RunId

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class BusyOnce(SqlStore):
    """A store whose file is busy at the first renewal."""

    def __init__(self, path: Path, renewed: Callable[[], None]) -> None:
        super().__init__(Database(path), CATALOG, project=PROJECT)
        self._renewed = renewed
        self._tries = 0

    def renew_lease(self, lease: Lease, *, now: datetime, ttl: timedelta) -> Lease:
        """Fail once, then renew."""
        self._tries += 1
        if self._tries == 1:
            raise StateUnavailable("lamina.db", "database is locked")
        renewed = super().renew_lease(lease, now=now, ttl=ttl)
        self._renewed()
        return renewed


def test_i5_a_busy_file_does_not_end_the_renewals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "LEASE_TIME", timedelta(seconds=0.04))
    renewed = Event()
    store = BusyOnce(tmp_path / "lamina.db", renewed.set)
    runtime = Runtime(
        store=store,
        warehouse=None,  # type: ignore[arg-type] # a lease needs no tables
        clock=lambda: NOW,
        new_id=str,
        emit=lambda _: None,
        environment=EnvironmentName("prod"),
        project=PROJECT,
        compiling=NO_COMPILING,
    )
    with leases.held_lease(runtime, RunId("run-1"), above=0):
        assert renewed.wait(5)
    store.close()
