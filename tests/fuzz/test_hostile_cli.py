"""The command line itself, on hostile projects: an answer for machines and one for people, never a traceback."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.fuzz.hostile import cases

NAMES = (
    "100000_brackets", "invalid_utf8_models_one.sql", "nul_lamina.toml", "name_not_utf8", "name_with_newline",
    "link_to_itself", "right_to_left", "huge_number", "no_project_file", "no_folder",
)  # fmt: skip
OUTPUTS = ("json", "text")

# Each command is a process of its own, forked when that is imported which is slow and not ours.
PROGRAM = """
import json, os, sys
import click, msgspec, sqlglot
for arguments, *streams in json.load(sys.stdin):
    child = os.fork()
    if child == 0:
        for number, path in enumerate(streams, start=1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
        sys.argv = ["lamina", *arguments]
        from lamina.__main__ import start
        start()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@dataclass(frozen=True)
class Answer:
    """How a command ended and what it wrote."""

    exit_code: int
    stdout: bytes
    stderr: bytes


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Answer]:
    """Compile each project twice, for machines and for people."""
    base, hostile = tmp_path_factory.mktemp("hostile_cli"), cases()
    folders = {(output, name): base / output / name for name in NAMES for output in OUTPUTS}
    commands = []
    for (output, name), folder in folders.items():
        folder.mkdir(parents=True)
        hostile[name](folder / "project")
        arguments = ["compile", "--project-dir", str(folder / "project"), "--output", output]
        commands.append([arguments, str(folder / "stdout"), str(folder / "stderr")])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps(commands),
        stdout=subprocess.PIPE,
        text=True,
        timeout=600,
        check=True,
    )
    codes = map(int, done.stdout.split())
    return {key: _answer(folder, code) for (key, folder), code in zip(folders.items(), codes, strict=True)}


def _answer(folder: Path, code: int) -> Answer:
    return Answer(code, (folder / "stdout").read_bytes(), (folder / "stderr").read_bytes())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("output", OUTPUTS)
def test_a_hostile_project_gets_an_answer(name: str, output: str, answers: dict[tuple[str, str], Answer]) -> None:
    answer = answers[output, name]
    assert answer.exit_code in (0, 1), answer.stderr.decode(errors="replace")
    assert b"Traceback" not in answer.stdout + answer.stderr
    assert b"L699" not in answer.stdout + answer.stderr
    if output == "json":
        assert json.loads(answer.stdout)["exit_code"] == answer.exit_code
