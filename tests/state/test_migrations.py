"""A state that an earlier version wrote is brought up to date, and nothing of it is lost."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.behaviour.examples import CATALOG, NOW, ORDERS, PROD, days, lease_of, plan_of

from lamina.state.sqlite import Database
from lamina.state.store import SqlStore
from lamina.values.names import ModelName, PlanId, RunId, TableName

KEPT = sorted((Path(__file__).parents[1] / "fixtures" / "state").glob("version_*.sql"))


def _kept_state(file: Path, path: Path) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(file.read_text())
    return path


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_i3_a_state_of_an_earlier_version_is_kept_whole(file: Path, tmp_path: Path) -> None:
    path = _kept_state(file, tmp_path / "lamina.db")
    with closing(SqlStore(Database(path), CATALOG, project="shop")) as store:
        view = store.view(PROD)
        assert sorted(view.models) == ["m.t0", "m.t1"]
        assert view.models[ModelName("m.t1")].coverage.cursor(TableName("m.t0")) is not None
        assert sorted(view.touches) == ["m.t0", "m.t1"]
        assert [failure.model for failure in view.failures] == [ORDERS]
        assert view.requests == {"m.t0": (days(1, 2),)}
        assert [(run.run_id, run.status) for run in store.runs(PROD, limit=5)] == [("run-1", "success")]
        assert store.load_plan(PROD, PlanId("abc")) == plan_of("abc")
        batches = store.batches(PROD, ModelName("m.t0"), limit=9)
        assert [(batch.run_id, batch.size) for batch in batches] == [("run-1", None), ("run-1", None)]
        assert lease_of(store).token > 2


def test_promoted_models_of_an_earlier_version_are_known(tmp_path: Path) -> None:
    path = _kept_state(KEPT[-1], tmp_path / "lamina.db")
    with closing(SqlStore(Database(path), CATALOG, project="shop")) as store:
        graph = store.load_graph(PROD)
        assert graph is not None
        assert [model.name for model in graph.models] == ["m.t0", "m.t1"]
        assert graph.layers == (("m.t0",), ("m.t1",))
        assert {item.compiler for item in store.view(PROD).promoted.values()} == {""}


def test_rows_without_a_project_are_those_of_the_first_that_opens_the_state(tmp_path: Path) -> None:
    path = _kept_state(KEPT[-1], tmp_path / "lamina.db")
    SqlStore(Database(path), CATALOG, project="shop").close()
    with closing(SqlStore(Database(path), CATALOG, project="bakery")) as store:
        assert store.view(PROD).models == {}
        assert store.run(PROD, RunId("run-1")) is None


@pytest.mark.parametrize(("is_private", "models"), [(True, ["m.t0", "m.t1"]), (False, [])])
def test_a_renamed_project_keeps_a_state_that_is_its_own(is_private: bool, models: list[str], tmp_path: Path) -> None:
    path = _kept_state(KEPT[-1], tmp_path / "lamina.db")
    SqlStore(Database(path), CATALOG, project="shop", is_private=is_private).close()
    with closing(SqlStore(Database(path), CATALOG, project="bakery", is_private=is_private)) as store:
        assert sorted(store.view(PROD).models) == models
        assert store.former_projects == (("shop",) if is_private else ())


def test_a_project_is_not_renamed_while_a_run_works_under_its_other_name(tmp_path: Path) -> None:
    path = _kept_state(KEPT[-1], tmp_path / "lamina.db")
    with closing(SqlStore(Database(path), CATALOG, project="shop", is_private=True)) as store:
        lease = lease_of(store, now=NOW)
        with closing(SqlStore(Database(path), CATALOG, project="bakery", is_private=True, opened_at=NOW)) as other:
            assert other.view(PROD).models == {}
        store.release_lease(lease)
    with closing(SqlStore(Database(path), CATALOG, project="bakery", is_private=True, opened_at=NOW)) as other:
        assert sorted(other.view(PROD).models) == ["m.t0", "m.t1"]


@pytest.mark.parametrize("graph", ["{", "{}", '{"models": [1]}'])
def test_a_promoted_project_that_cannot_be_read_is_left_behind(graph: str, tmp_path: Path) -> None:
    path = _kept_state(KEPT[-1], tmp_path / "lamina.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE lamina_graph SET graph = ?", (graph,))
    with closing(SqlStore(Database(path), CATALOG, project="shop")) as store:
        assert sorted(store.view(PROD).models) == ["m.t0", "m.t1"]
        assert store.view(PROD).promoted == {}


def test_a_state_is_brought_up_to_date_once(tmp_path: Path) -> None:
    path = _kept_state(KEPT[0], tmp_path / "lamina.db")
    with closing(SqlStore(Database(path), CATALOG, project="shop")) as store:
        lease = lease_of(store, now=NOW)
        before = store.view(PROD)
        store.release_lease(lease)
    with closing(SqlStore(Database(path), CATALOG, project="shop")) as store:
        assert store.view(PROD) == before
