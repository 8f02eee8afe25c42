"""What is said of runs that have not ended: running while they hold the lease, killed else."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lamina.api.custody import open_state
from lamina.api.project import Project, open_project
from lamina.errors import LaminaError
from lamina.state.port import Lease, RunRecord
from lamina.state.store import SqlStore
from lamina.values.names import EnvironmentName, RunId

ENVIRONMENT, RUN = EnvironmentName("prod"), RunId("run-1")
MINUTE = timedelta(minutes=1)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "lamina.toml").write_text('[project]\nname = "shop"\n')
    return open_project(tmp_path, variables={})


@pytest.fixture
def store(project: Project) -> Iterator[SqlStore]:
    with closing(open_state(project.config)) as store:
        yield store


def record(run_id: RunId = RUN) -> RunRecord:
    now = datetime.now(UTC)
    return RunRecord(run_id, ENVIRONMENT, command="run", status="running", started_at=now, execution_time=now)


def begin(store: SqlStore, run_id: RunId = RUN, *, ttl: timedelta = MINUTE, process: str = "") -> Lease:
    now = datetime.now(UTC)
    lease = store.take_lease(ENVIRONMENT, run_id, process=process, now=now, ttl=ttl, above=0)
    store.begin(record(run_id), lease, now=now)
    return lease


def statuses(project: Project) -> list[str]:
    return [line.status for line in project.history()]


def test_a_run_that_holds_the_lease_is_running(project: Project, store: SqlStore) -> None:
    begin(store)
    assert statuses(project) == ["running"]
    with pytest.raises(LaminaError, match="`run-1` is still running"):
        project.run_info()


def test_a_run_whose_lease_ended_was_killed(project: Project, store: SqlStore) -> None:
    begin(store, ttl=timedelta(0))
    assert statuses(project) == ["killed"]
    with pytest.raises(LaminaError, match="`run-1` was killed before it could report"):
        project.run_info()


def test_a_run_whose_process_is_gone_was_killed(
    project: Project, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: "here")
    begin(store, process="here:1:0")
    assert statuses(project) == ["killed"]


def test_a_run_whose_lease_another_one_took_was_killed(project: Project, store: SqlStore) -> None:
    begin(store, ttl=timedelta(0))
    begin(store, RunId("run-2"))
    assert statuses(project) == ["running", "killed"]


def test_a_run_that_ended_is_what_it_says(project: Project, store: SqlStore) -> None:
    lease = begin(store)
    store.finish(record().replace(status="interrupted", finished_at=datetime.now(UTC)))
    store.release_lease(lease)
    assert statuses(project) == ["interrupted"]


def test_a_run_that_ends_while_it_is_looked_at_was_not_killed(
    project: Project, store: SqlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease, look = begin(store), SqlStore.current_lease

    def end_first(opened: SqlStore, environment: EnvironmentName) -> Lease | None:
        store.finish(record().replace(status="success", finished_at=datetime.now(UTC)))
        store.release_lease(lease)
        return look(opened, environment)

    monkeypatch.setattr(SqlStore, "current_lease", end_first)
    assert statuses(project) == ["success"]
