"""The rules as a whole: codes are unique, documented, have fixtures and are all run."""

from importlib import import_module
from inspect import signature
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from scripts.generate_rules import PAGE, page_text

from lamina.api.rulebook import find_rule, rule_pages
from lamina.compiler import rules
from lamina.compiler.known_rules import (
    rules_by_code,
    rules_of_change,
    rules_of_model,
    rules_of_project,
    rules_of_promotion,
)
from lamina.project import rules as project_rules
from lamina.values.diagnostic import Diagnostic

FIXTURES = Path(__file__).parents[1] / "fixtures" / "rules"
SOURCE = Path(__file__).parents[2] / "src" / "lamina"
MODULES: list[Any] = [import_module(f"lamina.compiler.rules.{module.name}") for module in iter_modules(rules.__path__)]
ALL_MODULES = MODULES + [
    import_module(f"lamina.project.rules.{module.name}") for module in iter_modules(project_rules.__path__)
]
CODES = [module.RULE.code for module in MODULES]


def test_codes_and_names_are_unique() -> None:
    assert len(set(CODES)) == len(CODES)
    names = [page.name for page in rule_pages()]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.RULE.code)
def test_every_rule_documents_itself(module: Any) -> None:
    title, *rest = (module.__doc__ or "").strip().splitlines()
    assert title.startswith(f"{module.RULE.code}: ")
    assert title.endswith(".")
    assert any(line.startswith("Why: ") for line in rest)
    assert any(line.startswith("Fix: ") for line in rest)
    page = find_rule(module.RULE.code)
    assert page is not None
    assert page.name == module.RULE.name


@pytest.mark.parametrize("code", CODES)
def test_every_rule_has_a_bad_and_a_good_fixture(code: str) -> None:
    assert (FIXTURES / code / "bad" / "expected.json").is_file()
    assert (FIXTURES / code / "good" / "lamina.toml").is_file()


def test_every_rule_is_found_by_its_file() -> None:
    assert set(rules_by_code()) == set(CODES)
    found = {*rules_of_model(), *rules_of_promotion(), *rules_of_change(), *rules_of_project()}
    assert found == {module.violations for module in MODULES if hasattr(module, "violations")}


@pytest.mark.parametrize("module", ALL_MODULES, ids=lambda module: module.RULE.code)
def test_every_rule_has_one_shape(module: Any) -> None:
    functions = {
        name: item for name, item in vars(module).items() if getattr(item, "__module__", "") == module.__name__
    }
    public = {name for name in functions if not name.startswith("_")}
    assert public & {"violations", "finding"}
    for name in public - {"violations"}:
        assert name == "finding" or name.startswith("finding_"), name
        assert signature(functions[name]).return_annotation in (Diagnostic, Diagnostic | None)
    if "violations" in public:
        assert module in MODULES
        assert list(signature(module.violations).parameters) == ["subject"]


def test_a_rule_is_one_file() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    naming = {
        module.RULE.code: [path for path, text in texts.items() if f'"{module.RULE.code}"' in text]
        for module in ALL_MODULES
    }
    assert naming == {module.RULE.code: [Path(module.__file__)] for module in ALL_MODULES}


def test_reference_page_is_what_the_rules_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page_text(), "run scripts/generate_rules.py"
