"""I12: a secret setting is in no document, no cache, no state and on no command line."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lamina.api.compiling import compile_text, text_of
from lamina.api.engine import spark_settings
from lamina.api.project import open_project
from lamina.api.starter import start_project
from lamina.project.keys import keys_of
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.sources.jdbc_frames import options_of
from lamina.warehouse.spark.profile import launch_conf

SECRET = "hunter2-is-no-password"
KEY = "spark.hadoop.fs.s3a.secret.key"


def _project(folder: Path) -> Path:
    start_project(str(folder), "quickstart")
    settings = folder / "lamina.toml"
    settings.write_text(f'{settings.read_text()}\n[spark]\nconf = {{ "{KEY}" = "${{SHOP_SECRET}}" }}\n')
    return folder


def test_i12_no_document_and_no_file_holds_a_secret(tmp_path: Path) -> None:
    folder = _project(tmp_path / "shop")
    for command in (["config"], ["compile"], ["plan"], ["status"]):
        done = subprocess.run(
            [sys.executable, "-m", "lamina", *command, "--project-dir", str(folder), "--output", "json"],
            env={"SHOP_SECRET": SECRET, "PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert json.loads(done.stdout)["exit_code"] == 0
        assert SECRET not in done.stdout + done.stderr
    written = [path for path in folder.rglob("*") if path.is_file()]
    assert any(path.name == "lamina.db" for path in written)
    assert not [path for path in written if SECRET.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    "written", ['"{}"', "'{}'", '"{}\\\\is\\"more"', '"cash$ {}"'], ids=["plain", "single", "escaped", "dollar"]
)
def test_i12_a_secret_that_is_written_out_is_not_kept_with_the_text_of_a_project(written: str, tmp_path: Path) -> None:
    folder = _project(tmp_path / "shop")
    settings = folder / "lamina.toml"
    settings.write_text(settings.read_text().replace('"${SHOP_SECRET}"', written.format(SECRET)))
    project = open_project(str(folder), variables={})
    text = text_of(project.scan, project.variables)
    assert any(KEY in file.content for file in text.files)
    assert not [file.path for file in text.files if SECRET in file.content]
    assert compile_text(text, str(folder), {}, source_schema=lambda _: None) is not None


def test_i12_a_secret_reaches_spark_but_not_its_command_line(tmp_path: Path) -> None:
    folder = _project(tmp_path / "shop")
    config = open_project(str(folder), variables={"SHOP_SECRET": SECRET}).config
    assert config.spark.secret_conf[KEY].reveal() == SECRET
    assert SECRET not in repr(config)
    settings = WarehouseSettings(root="/r", database="/d", warehouse="/w", logs="/l", conf={KEY: SECRET})
    assert SECRET not in str(launch_conf(settings, jars=(), java_options=""))


def test_i12_the_password_of_a_database_is_known_by_its_name_until_spark_needs_it(tmp_path: Path) -> None:
    folder = tmp_path / "shop"
    shutil.copytree(Path(__file__).parents[1] / "examples" / "database", folder)
    variables = {"SHOP_URL": "jdbc:postgresql://db/shop", "SHOP_USER": "reader", "SHOP_PASSWORD": SECRET}
    project = open_project(str(folder), variables=variables)
    assert not project.graph.diagnostics
    assert not [path for path in folder.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    # A new password is no other project, also for a later version of the compiler.
    renewed = {**variables, "SHOP_PASSWORD": "another"}
    assert text_of(project.scan, variables) == text_of(project.scan, renewed)
    assert keys_of(project.scan, variables) == keys_of(project.scan, renewed)
    assert keys_of(project.scan, variables) != keys_of(project.scan, {**variables, "SHOP_USER": "another"})
    settings = spark_settings(project.config, project.graph, variables)
    assert SECRET not in repr(settings)
    assert SECRET not in str(launch_conf(settings, jars=(), java_options=""))
    orders = next(source for source in project.graph.sources if source.name == "shop.orders")
    assert options_of(settings, orders)["password"] == SECRET
