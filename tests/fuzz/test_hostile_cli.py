"""The command line itself, on hostile projects: an answer for machines and one for people, never a traceback."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.fuzz.hostile import cases

NAMES = (
    "100000_brackets", "invalid_utf8_models_one.sql", "nul_lamina.toml", "name_not_utf8", "name_with_newline",
    "link_to_itself", "right_to_left", "huge_number", "no_project_file", "no_folder",
)  # fmt: skip
CASES = cases()
COMMAND = (sys.executable, "-m", "lamina", "compile")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("output", ["json", "text"])
def test_a_hostile_project_gets_an_answer(name: str, output: str, tmp_path: Path) -> None:
    root = tmp_path / "project"
    CASES[name](root)
    command = [*COMMAND, "--project-dir", str(root), "--output", output]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode in (0, 1), done.stderr.decode(errors="replace")
    assert b"Traceback" not in done.stdout + done.stderr
    assert b"L699" not in done.stdout + done.stderr
    if output == "json":
        assert json.loads(done.stdout)["exit_code"] == done.returncode
