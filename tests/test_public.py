"""The public names: each is found when it is used, and whatever a command calls is one of them."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import lamina
from lamina.cli.commands import module_of, names

VERBS = tuple(f"lamina.api.{name}" for name in ("compiling", "inspect", "run", "report", "starter", "rulebook"))


@pytest.mark.parametrize("name", lamina.__all__)
def test_every_public_name_is_found(name: str) -> None:
    assert getattr(lamina, name) is not None


def test_an_unknown_name_is_no_attribute() -> None:
    assert not hasattr(lamina, "nothing_of_the_kind")


@pytest.mark.parametrize("command", names())
def test_whatever_a_command_calls_can_be_imported_from_the_top(command: str) -> None:
    file = import_module(module_of(command)).__file__
    assert file is not None
    called = {
        alias.name
        for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module in VERBS
        for alias in node.names
        if alias.name[0].islower()
    }
    assert called <= set(lamina.__all__)


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys, lamina; print(sorted(name for name in sys.modules if name.startswith('lamina')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ast.literal_eval(done.stdout) == ["lamina", "lamina.version"]
