"""The public names: each is found when it is used, and whatever a command does a project can do."""

import ast
import inspect
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import lamina
from lamina.cli.commands import module_of, names

# Commands that are about no project, with what does the same; a completion script is for a shell only.
WITHOUT_PROJECT = {"init": "start_project", "rule": "find_rule", "completions": None}
VERBS = {
    name: member
    for name, member in inspect.getmembers(lamina.Project)
    if inspect.isfunction(member) and not name.startswith("_") and name != "compile_again"
}


@pytest.mark.parametrize("name", lamina.__all__)
def test_every_public_name_is_found(name: str) -> None:
    assert getattr(lamina, name) is not None


def test_an_unknown_name_is_no_attribute() -> None:
    assert not hasattr(lamina, "nothing_of_the_kind")


@pytest.mark.parametrize("command", sorted(set(names()) - WITHOUT_PROJECT.keys()))
def test_every_command_opens_a_project_and_calls_the_method_of_its_name(command: str) -> None:
    method = command.replace(" ", "_").replace("-", "_")
    assert hasattr(lamina.Project, method)
    file = import_module(module_of(command)).__file__
    assert file is not None
    called = {
        node.attr
        for node in ast.walk(ast.parse(Path(file).read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and _is_project(node.value)
    }
    assert called == {method}


def _is_project(node: ast.expr) -> bool:
    """Return whether an expression is the opened project: `options.open(...)`, or the argument that it is passed as."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="options"), attr="open")):
            return True
        case ast.Name(id="project"):
            return True
        case _:
            return False


@pytest.mark.parametrize("name", [name for name in WITHOUT_PROJECT.values() if name])
def test_what_needs_no_project_is_public(name: str) -> None:
    assert name in lamina.__all__


@pytest.mark.parametrize("name", VERBS)
def test_what_a_verb_returns_and_takes_is_public(name: str) -> None:
    signature = inspect.signature(VERBS[name])
    annotations = [signature.return_annotation, *(item.annotation for item in signature.parameters.values())]
    words = {word for text in map(str, annotations) for word in re.findall(r"\b[A-Z]\w+", text)}
    assert words - {"None", "Sequence", "Callable", "Mapping", "Unpack", "PlanFlags", "RunFlags"} <= set(lamina.__all__)


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys, lamina; print(sorted(name for name in sys.modules if name.startswith('lamina')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert ast.literal_eval(done.stdout) == ["lamina", "lamina.version"]
