"""The command line as a process: start-up cost, exit codes, streams, and no traceback."""

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lamina.cli.commands import module_of, names
from lamina.version import VERSION

LAMINA = [sys.executable, "-m", "lamina"]


def lamina(*arguments: str, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run(
        [*LAMINA, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment,
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def new_shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new")
    assert lamina("init", "shop", cwd=folder).returncode == 0
    return folder / "shop"


@pytest.fixture
def shop(new_shop: Path, tmp_path: Path) -> Path:
    return shutil.copytree(new_shop, tmp_path / "shop")


def cpu_seconds(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    lamina(*arguments)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_version_and_help_import_nothing(flag: str) -> None:
    code = f"import sys; sys.argv = ['lamina', '{flag}']; from lamina.cli.app import main; main(); print(*sys.modules)"
    modules = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"click", "rich", "msgspec", "sqlglot", "pyspark", "tomllib"} & set(modules)


def test_version_and_help_answer_at_once() -> None:
    assert min(cpu_seconds("--version") for _ in range(3)) < 0.1  # 0.05 on a quiet machine
    assert min(cpu_seconds("--help") for _ in range(3)) < 0.1


def test_help_lists_every_command() -> None:
    text = lamina("--help").stdout
    assert all(f"  {name} " in text for name in names())


@pytest.mark.parametrize("name", names())
def test_every_command_has_a_module_and_help(name: str) -> None:
    result = lamina(*name.split(), "--help")
    assert (result.returncode, result.stderr) == (0, "")
    assert module_of(name) in result.stdout or f"Usage: lamina {name}" in result.stdout


def test_version_matches_the_package() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text()
    assert f'version = "{VERSION}"' in text
    assert lamina("--version").stdout == f"lamina {VERSION}\n"


@pytest.mark.parametrize(
    "arguments",
    [[], ["compil"], ["--bogus"], ["compile", "--bogus"], ["explain"], ["list", "--output", "xml"], ["rule", "L999"]],
)
def test_wrong_usage_exits_64_and_prints_no_document(arguments: list[str]) -> None:
    result = lamina(*arguments)
    assert result.returncode == 64
    assert "{" not in result.stdout
    assert "Traceback" not in result.stderr


def test_an_unknown_command_is_answered_with_the_nearest() -> None:
    assert "did you mean `compile`?" in lamina("compil").stderr


def test_no_project_is_a_diagnostic_with_a_document(tmp_path: Path) -> None:
    result = lamina("compile", cwd=tmp_path)
    document = json.loads(result.stdout)
    assert result.returncode == 1
    assert list(document)[:4] == ["version", "command", "status", "exit_code"]
    assert [item["code"] for item in document["diagnostics"]] == ["L102"]


@pytest.mark.parametrize(
    ("arguments", "start"),
    [
        (["completions", "bash"], "_lamina() {"),
        (["render", "daily_revenue"], "WITH"),
        (["lineage", "daily_revenue", "--format", "mermaid"], "flowchart LR"),
        (["lineage", "daily_revenue", "--format", "dot"], "digraph lineage {"),
    ],
)
def test_an_answer_that_is_text_goes_into_a_pipe_as_text(shop: Path, arguments: list[str], start: str) -> None:
    assert lamina(*arguments, cwd=shop).stdout.startswith(start)
    assert json.loads(lamina(*arguments, "--output", "json", cwd=shop).stdout)["status"] == "ok"


def test_what_is_wrong_with_a_text_answer_is_not_in_the_pipe(shop: Path) -> None:
    (shop / "lamina.toml").write_text("[projekt]\n")
    result = lamina("render", "daily_revenue", cwd=shop)
    assert (result.returncode, result.stdout) == (1, "")
    assert "error[" in result.stderr


def test_lineage_as_data_goes_into_a_pipe_as_json(shop: Path) -> None:
    assert json.loads(lamina("lineage", "daily_revenue", cwd=shop).stdout)["of"]


@pytest.mark.parametrize("command", ["compile", "plan", "status"])
def test_every_command_refuses_the_same_settings(shop: Path, command: str) -> None:
    with (shop / "lamina.toml").open("a") as file:
        file.write('\n[state]\nuri = "sqlite:///elsewhere.db"\n')
    result = lamina(command, cwd=shop)
    assert result.returncode == 1
    assert [item["code"] for item in json.loads(result.stdout)["diagnostics"]] == ["L116"]


def test_text_goes_to_people_and_findings_to_stderr(shop: Path) -> None:
    (shop / "models/sales/daily_revenue.toml").write_text('desciption = "x"\n')
    result = lamina("compile", "--output", "text", cwd=shop, NO_COLOR="1")
    assert result.returncode == 1
    assert "7 models" in result.stdout
    assert "error[L110]: unknown key `desciption`" in result.stderr
    assert " --> models/sales/daily_revenue.toml:1:1" in result.stderr
    assert '1 | desciption = "x"' in result.stderr
    assert "hint: did you mean `description`?" in result.stderr
    assert "\x1b[" not in result.stdout + result.stderr


def test_the_project_can_be_named_from_elsewhere(shop: Path) -> None:
    by_flag = lamina("list", "--project-dir", str(shop))
    before = lamina("--project-dir", str(shop), "list")
    by_variable = lamina("list", LAMINA_PROJECT_DIR=str(shop))
    assert by_flag.returncode == 0
    assert by_flag.stdout == by_variable.stdout == before.stdout


def test_a_fault_of_lamina_is_one_sentence_and_a_file(shop: Path) -> None:
    code = (
        "import sys, lamina.api.inspect; lamina.api.inspect.check_project = lambda *_: 1 / 0; "
        "sys.argv = ['lamina', 'compile', '--output', 'text']; from lamina.cli.app import main; sys.exit(main())"
    )
    environment = {key: value for key, value in os.environ.items() if key != "LAMINA_DEBUG"}
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=shop, env=environment, check=False
    )
    assert result.returncode == 1
    assert "error[L699]: internal error: ZeroDivisionError" in result.stderr
    assert "Traceback" not in result.stderr
    (log,) = (shop / ".lamina/logs").iterdir()
    assert "ZeroDivisionError" in log.read_text()


def test_a_closed_pipe_ends_quietly(shop: Path) -> None:
    result = in_shell(f"compile --project-dir {shop} | head -c 1")
    assert result.stderr == ""
    assert in_shell("--help | head -c 0").stderr == ""


def test_an_answer_that_cannot_be_written_is_a_failure(shop: Path) -> None:
    result = in_shell(f"compile --project-dir {shop} > /dev/full")
    assert result.returncode == 1
    assert result.stderr == "error: the answer could not be written: No space left on device\n"


def test_closed_streams_do_no_harm(shop: Path) -> None:
    assert in_shell(f"compile --project-dir {shop} >&- 2>&-").returncode == 0


def in_shell(line: str) -> subprocess.CompletedProcess[str]:
    command = f"{' '.join(LAMINA)} {line}"
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
