"""A command is named in few files: those that CONTRIBUTING.md lists for adding one."""

import ast
from pathlib import Path

import pytest

from lamina.cli.commands import JOBS, commands, module_of, names

SOURCE = Path(__file__).parents[2] / "src" / "lamina"
PAGE = SOURCE.parents[1] / "CONTRIBUTING.md"
BESIDE: dict[str, set[str]] = {  # where the word means something else
    "config": {"__init__.py"},  # a module
    "check": {"cli/history.py"},  # the head of a column
    "pending": {"cli/at_time.py", "cli/intervals.py"},  # a heading, a kind of range
    "run": {"cli/commands.py", "cli/history.py"},  # a job, the head of a column
    "status": {
        *("cli/answer.py", "cli/documents.py", "cli/history.py", "cli/run_answer.py", "cli/pending.py"),
        "cli/freshness.py",
    },  # a field, a column
}


def words_of(path: Path) -> set[str]:
    """Return the whole strings of a file, and the modules that it imports."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Constant(value=str(text)):
                found.add(text)
            case ast.ImportFrom(module=str(module)):
                found.add(module)
    return found


@pytest.fixture(scope="module")
def words() -> dict[str, set[str]]:
    """Return the words of every file of the command line."""
    files = [*(SOURCE / "cli").glob("*.py"), *SOURCE.glob("*.py")]
    return {str(path.relative_to(SOURCE)): words_of(path) for path in files}


@pytest.mark.parametrize("name", names())
def test_a_command_is_named_in_its_own_file_only(name: str, words: dict[str, set[str]]) -> None:
    own = module_of(name).removeprefix("lamina.").replace(".", "/") + ".py"
    naming = {file for file, found in words.items() if not found.isdisjoint({name, module_of(name)})}
    assert naming == {own} | BESIDE.get(name, set())


def test_every_file_that_makes_a_command_is_found() -> None:
    making = {
        path for path in (SOURCE / "cli").glob("*.py") if "\n@answer_command(" in path.read_text(encoding="utf-8")
    }
    assert {path.stem for path in making} == {item.module.rpartition(".")[2] for item in commands().values()}


@pytest.mark.parametrize("job", JOBS)
def test_the_commands_of_a_job_are_numbered(job: str) -> None:
    numbers = [item.number for item in commands().values() if item.job == job]
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_guide_lists_the_files_to_touch() -> None:
    (line,) = (line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| a command |"))
    assert [part for part in line.split("`") if "/" in part] == ["cli/", "api/project.py"]
