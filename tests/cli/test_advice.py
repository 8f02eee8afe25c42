"""What messages, hints and pages tell people to type exists: every command, every flag."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from lamina.cli.commands import module_of, names

ROOT = Path(__file__).parents[2]
FILES = [
    *sorted((ROOT / "src/lamina").rglob("*.py")),
    *(
        ROOT / name
        for name in ("README.md", "CONTRIBUTING.md", "docs/rules.md", "docs/incrementality.md", "docs/operations.md")
    ),
    *sorted((ROOT / "src/lamina/templates").rglob("*.md")),
]
COMMAND = re.compile(r"(?:`|\$ )lamina ((?:state )?[a-z][a-z-]*)")
FLAG = re.compile(r"`(?:lamina [^`]*? )?(--[a-z][a-z-]*)")
EVERYWHERE = {"--help", "--version"}


def reported(pattern: re.Pattern[str]) -> dict[str, str]:
    """Return what the files name, each with one file that does."""
    return {
        found: str(path.relative_to(ROOT))
        for path in FILES
        for found in pattern.findall(path.read_text(encoding="utf-8"))
    }


@pytest.fixture(scope="module")
def flags() -> set[str]:
    commands = [import_module(module_of(name)).command for name in names()]
    return {flag for command in commands for option in command.params for flag in option.opts}


def test_every_command_that_is_named_exists() -> None:
    named = reported(COMMAND)
    assert len(named) > 10
    assert {name: path for name, path in named.items() if name not in names()} == {}


def test_every_flag_that_is_named_exists(flags: set[str]) -> None:
    named = reported(FLAG)
    assert len(named) > 10
    assert {flag: path for flag, path in named.items() if flag not in flags | EVERYWHERE} == {}
