"""The examples in docstrings are true."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
MODULES = sorted(
    ".".join(path.relative_to(SOURCE).with_suffix("").parts)
    for path in (SOURCE / "lamina").rglob("*.py")
    if "    >>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_a_module_are_true(module: str) -> None:
    result = doctest.testmod(import_module(module))
    assert result.attempted > 0
    assert result.failed == 0
