"""Settings: override before variable before file before default, each with its origin, secrets hidden."""

from pathlib import Path

import pytest

from lamina.api.project import open_project
from lamina.config import Config, build_config
from lamina.errors import ProjectInvalid
from lamina.project.project_file import read_project_file
from lamina.values.diagnostic import Diagnostic

FILE = """\
[project]
name = "shop"
[run]
retries = 5
max_concurrency = 3
[spark.conf]
"spark.sql.shuffle.partitions" = 4
"spark.hadoop.fs.s3a.secret.key" = "${KEY:-hunter2}"
[catalog]
warehouse = "tables"
"""


def build(
    *, variables: dict[str, str] | None = None, overrides: dict[str, str] | None = None, text: str = FILE
) -> tuple[Config, tuple[Diagnostic, ...]]:
    file = read_project_file(text, variables=variables or {})
    assert file.diagnostics == ()
    return build_config("/shop", file, variables=variables or {}, overrides=overrides or {})


def origins(config: Config) -> dict[str, str]:
    return {setting.key: setting.origin for setting in config.settings}


def test_an_override_wins_over_variable_over_file_over_default() -> None:
    config, problems = build(
        variables={"LAMINA_RUN_RETRIES": "7", "LAMINA_RUN_FAIL_FAST": "true"}, overrides={"run.retries": "9"}
    )
    assert problems == ()
    assert (config.run.retries, config.run.fail_fast, config.run.max_concurrency, config.run.rebuild_limit) == (
        9,
        True,
        3,
        400,
    )
    assert origins(config)["run.retries"] == "override"
    assert origins(config)["run.fail_fast"] == "LAMINA_RUN_FAIL_FAST"
    assert origins(config)["run.max_concurrency"] == "lamina.toml:5"
    assert origins(config)["run.rebuild_limit"] == "default"


def test_paths_are_resolved_against_the_project() -> None:
    config, _ = build(variables={"LAMINA_SPARK_JARS": "a.jar,/b.jar"})
    assert config.catalog.database == "/shop/.lamina/lamina.db"
    assert config.catalog.warehouse == "/shop/tables"
    assert config.spark.jars == ("/shop/a.jar", "/b.jar")


def test_state_is_in_the_file_of_the_catalog() -> None:
    config, problems = build(variables={"LAMINA_CATALOG_URI": "sqlite:////var/lake.db"})
    assert problems == ()
    assert config.catalog.database == "/var/lake.db"
    shown = {setting.key: setting.value for setting in config.settings}
    assert shown["state.uri"] == shown["catalog.uri"] == "sqlite:////var/lake.db"


def test_state_in_a_file_of_its_own_is_refused() -> None:
    _, (problem,) = build(variables={"LAMINA_STATE_URI": "sqlite:////var/state.db"})
    assert (problem.code, problem.message) == ("L116", "a `state.uri` other than `catalog.uri` is not in this version")


def test_secrets_are_never_shown() -> None:
    config, _ = build()
    assert config.spark.secret_conf["spark.hadoop.fs.s3a.secret.key"].reveal() == "hunter2"
    assert "spark.hadoop.fs.s3a.secret.key" not in config.spark.conf
    assert "hunter2" not in repr(config)


def test_a_wrong_variable_is_a_problem_that_names_it() -> None:
    config, (problem,) = build(variables={"LAMINA_RUN_RETRIES": "many"})
    assert (problem.code, problem.hint) == ("L114", "it is set by `LAMINA_RUN_RETRIES`")
    assert config.run.retries == 2


def test_a_database_of_another_kind_is_refused() -> None:
    _, (problem,) = build(text='[project]\nname = "shop"\n[state]\nuri = "postgresql://u:secret@host/db"\n')
    assert problem.code == "L116"
    assert "secret" not in problem.message
    assert str(problem.place) == "lamina.toml:4:1"


def test_settings_that_cannot_be_read_are_known_as_they_last_were(tmp_path: Path) -> None:
    file = tmp_path / "lamina.toml"
    file.write_text(FILE)
    before = open_project(str(tmp_path), variables={}).config
    file.write_text("[project")

    known, found = open_project(tmp_path, variables={}).known_settings
    assert known == before.without_secrets()
    assert (known.project, known.catalog.warehouse) == ("shop", str(tmp_path / "tables"))
    assert [item.code for item in found] == ["L111"]
    assert all(b"hunter2" not in kept.read_bytes() for kept in (tmp_path / ".lamina").rglob("*.msgpack"))
    with pytest.raises(ProjectInvalid):
        assert open_project(str(tmp_path), variables={}).config


def test_a_copy_of_a_project_does_not_take_the_settings_of_its_original(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    (here / "lamina.toml").write_text(FILE)
    assert open_project(str(here), variables={}).config
    here.rename(there)
    (there / "lamina.toml").write_text("[project")
    with pytest.raises(ProjectInvalid):
        assert open_project(there, variables={}).known_settings
