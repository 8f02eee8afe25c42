"""Which project a command is about."""

from pathlib import Path

import pytest

from lamina.api.project_root import project_root
from lamina.api.starter import start_project
from lamina.cli.app import run_command


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    start_project(str(folder), "quickstart")
    return folder


def test_the_nearest_project_at_or_above_is_found(shop: Path) -> None:
    assert project_root(None, str(shop)) == str(shop)
    assert project_root(None, str(shop / "models" / "sales")) == str(shop)
    start_project(str(shop / "inner"), "quickstart")
    assert project_root(None, str(shop / "inner" / "models")) == str(shop / "inner")


def test_a_named_folder_wins_even_if_it_is_no_project(shop: Path) -> None:
    assert project_root("models", str(shop)) == str(shop / "models")
    assert project_root("..", str(shop / "models")) == str(shop)


def test_without_any_project_the_folder_itself_is_named(tmp_path: Path) -> None:
    assert project_root(None, str(tmp_path)) == str(tmp_path)


def test_a_folder_of_that_name_is_no_project(shop: Path) -> None:
    (shop / "models" / "lamina.toml").mkdir()
    assert project_root(None, str(shop / "models")) == str(shop)


def test_a_command_in_a_subfolder_shows_paths_that_open_from_there(
    shop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (shop / "models" / "staging" / "orders.sql").write_text("SELECT id FROM raw.ordrs")
    monkeypatch.chdir(shop / "models" / "sales")
    assert run_command("compile", ["--output", "text"]) == 1
    assert " --> ../staging/orders.sql:1:16" in capsys.readouterr().err


def test_a_command_outside_of_any_project_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_command("compile", ["--output", "text"]) == 1
    reported = capsys.readouterr().err
    assert f"error[L102]: no `lamina.toml` in `{tmp_path}`" in reported
    assert "`--project-dir`" in reported
