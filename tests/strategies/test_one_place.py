"""A strategy is named in few files: those that CONTRIBUTING.md lists for adding one."""

import ast
from pathlib import Path

import pytest

from lamina.project.strategy_keys import NOUNS

SOURCE = Path(__file__).parents[2] / "src" / "lamina"
PAGE = SOURCE.parents[1] / "CONTRIBUTING.md"
WRITTEN = {"values/plan.py", "warehouse/spark/stage.py", "warehouse/spark/checked_rows.py"}
"""Files that know the modes of writing, three of which are called as the strategies that brought them."""

BESIDE: dict[str, set[str]] = {
    "full_refresh": {
        "project/model.py",  # the default
        "project/read.py",  # the only one of a seed
        "api/asking.py",  # a flag of that name
    },
    "ephemeral": {"project/read.py"},  # none of a Python model
    "view": {"project/read.py"},  # likewise
    "merge": WRITTEN,
    "delete_insert": WRITTEN,
    "snapshot": WRITTEN,
}


def words_of(path: Path) -> set[str]:
    """Return the names and whole strings of a file."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.ClassDef(name=name) | ast.alias(name=name):
                found.add(name)
            case ast.Constant(value=str(text)):
                found.add(f"'{text}'")
    return found


@pytest.fixture(scope="module")
def words() -> dict[str, set[str]]:
    """Return the words of every file of the package."""
    files = (path for path in SOURCE.rglob("*.py") if "templates" not in path.parts)
    return {str(path.relative_to(SOURCE)): words_of(path) for path in files}


@pytest.mark.parametrize("word", NOUNS)
def test_a_strategy_is_named_where_it_is_declared_and_where_all_is_known_of_it(
    word: str, words: dict[str, set[str]]
) -> None:
    naming = {name for name, found in words.items() if not found.isdisjoint({NOUNS[word].__name__, f"'{word}'"})}
    declared = {"project/strategy.py", "project/strategy_keys.py"}
    known = {"strategies/table.py", f"strategies/{word}.py"}
    assert naming == declared | known | BESIDE.get(word, set())


def test_the_guide_lists_the_files_to_touch() -> None:
    (line,) = (line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| a strategy |"))
    for name in ("project/strategy.py", "project/strategy_keys.py", "strategies/", "strategies/table.py"):
        assert f"`{name}`" in line
