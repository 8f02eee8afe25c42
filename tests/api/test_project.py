"""One opened project: its folder is read once, its verbs share that, and state is opened only where it is needed."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import lamina
from lamina.errors import ProjectInvalid, UsageError
from lamina.state.sqlite import Database
from lamina.state.store import SqlStore

MODELS = {
    "models/sales/orders.sql": "SELECT CAST(1 AS BIGINT) AS id, 'EUR' AS currency",
    "models/sales/orders.toml": 'tags = ["daily"]\n[contract]\nprotected = ["id"]\n',
    "models/sales/totals.sql": "SELECT currency, count(*) AS orders FROM orders GROUP BY currency",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """Write a project whose contract must be compared with the version that was last run."""
    for path, text in {"lamina.toml": '[project]\nname = "shop"\n', **MODELS}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the folders of models that are listed."""
    found: list[str] = []
    scandir = os.scandir

    def noting(path: Any = ".") -> Any:
        if str(path).endswith("/models"):
            found.append(str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", noting)
    return found


@pytest.fixture
def stores(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Collect the databases that are opened as a store."""
    found: list[Path] = []
    begin: Callable[..., None] = SqlStore.__init__

    def noting(self: SqlStore, database: Database, *rest: Any, **options: Any) -> None:
        found.append(database.path)
        begin(self, database, *rest, **options)

    monkeypatch.setattr(SqlStore, "__init__", noting)
    return found


def test_the_folder_is_read_once_for_all_verbs(shop: Path, scanned: list[str]) -> None:
    project = lamina.open(shop, variables={})
    assert scanned == []
    project.plan()
    assert len(scanned) == 1
    project.status()
    project.compile()
    project.explain("orders")
    assert len(scanned) == 1


def test_a_verb_opens_one_store_and_closes_it(shop: Path, stores: list[Path]) -> None:
    project = lamina.open(shop, variables={})
    for verb in (project.plan, project.plan, project.status, project.history):
        stores.clear()
        verb()
        assert len(stores) == 1


def test_a_project_stays_as_it_was_when_it_was_opened(shop: Path) -> None:
    project = lamina.open(shop, variables={})
    before = project.graph
    (shop / "models/sales/totals.sql").write_text("SELECT 1 AS one")
    (shop / "lamina.toml").write_text('[project]\nname = "other"\n')
    assert project.graph is before
    assert [item.model for item in project.list()] == ["sales.orders", "sales.totals"]
    again = lamina.open(shop, variables={})
    assert again.graph != before
    assert (again.config.project, again.list("totals")[0].layer) == ("other", 0)


def test_settings_given_when_it_is_opened_come_first(shop: Path) -> None:
    project = lamina.open(shop, variables={"LAMINA_RUN_RETRIES": "7"}, settings={"run.retries": "9"})
    assert project.config.run.retries == 9
    assert lamina.open(shop, variables={"LAMINA_RUN_RETRIES": "7"}).config.run.retries == 7
    assert lamina.open(shop, variables={}).config.run.retries == 2, "an override is remembered by nothing"


def test_a_setting_that_does_not_exist_is_refused_at_once(shop: Path) -> None:
    with pytest.raises(UsageError, match=r"no setting `run.retry`") as caught:
        lamina.open(shop, settings={"run.retry": "1"})
    assert caught.value.hint == "did you mean `run.retries`?"


def test_a_wrong_setting_says_where_it_came_from(shop: Path) -> None:
    with pytest.raises(ProjectInvalid) as caught:
        assert lamina.open(shop, variables={}, settings={"run.retries": "many"}).config
    assert caught.value.diagnostics[0].hint == "it was given when the project was opened"


def test_the_environment_counts_as_it_was_when_the_project_was_opened(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAMINA_RUN_RETRIES", "5")
    project = lamina.open(shop)
    monkeypatch.delenv("LAMINA_RUN_RETRIES")
    assert project.config.run.retries == 5


def test_the_nearest_project_is_opened_where_none_is_named(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(shop / "models" / "sales")
    assert repr(lamina.open()) == f"Project('{shop}')"
    assert lamina.open("../..").root == str(shop)


def test_a_project_with_errors_gets_no_state_by_being_asked(shop: Path) -> None:
    (shop / "models/sales/orders.sql").write_text("SELECT id FROM nowhere.orders")
    project = lamina.open(shop, variables={})
    for verb in (project.plan, project.run):
        with pytest.raises(ProjectInvalid):
            verb()
    assert project.compile().diagnostics
    assert not (shop / ".lamina" / "lamina.db").exists()


def test_selectors_are_one_text_or_several(shop: Path) -> None:
    project = lamina.open(shop, variables={})
    names = [item.model for item in project.list("tag:daily")]
    assert names == [item.model for item in project.list(["tag:daily", "orders"])] == ["sales.orders"]
    assert [action.model for action in project.plan(select="orders").plan.actions] == ["sales.orders"]


def test_what_cannot_be_asked_is_refused(shop: Path) -> None:
    project = lamina.open(shop, variables={})
    with pytest.raises(UsageError, match="`selct`") as caught:
        project.run(selct="orders")  # type: ignore[call-arg]
    assert caught.value.hint == "did you mean `select`?"
    with pytest.raises(UsageError, match="`parallel`"):
        project.plan(parallel=2)  # type: ignore[call-arg]
    with pytest.raises(UsageError, match="`--partition` and `--latest` cannot be used together"):
        project.plan(partition="2026-04-07", latest=True)


def test_a_plan_can_be_applied_by_its_id_only(shop: Path) -> None:
    project = lamina.open(shop, variables={})
    with pytest.raises(lamina.LaminaError, match="there is no plan `unknown`"):
        project.apply("unknown")


def test_a_plan_names_the_codes_that_its_models_allow(shop: Path) -> None:
    (shop / "models/sales/totals.toml").write_text('allow = ["L431"]\n')
    project = lamina.open(shop, variables={})
    assert project.plan().allowed == {"sales.totals": ("L431",)}
    assert project.plan(select="orders").allowed == {}
