"""The rules as a whole: codes are unique, documented, have fixtures and are all run."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import pytest
from scripts.generate_rules import PAGE, page_text

from lamina.compiler import check, contracts, rules
from lamina.rulebook import find_rule, rule_pages

FIXTURES = Path(__file__).parents[1] / "fixtures" / "rules"
MODULES: list[Any] = [import_module(f"lamina.compiler.rules.{module.name}") for module in iter_modules(rules.__path__)]
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


def test_every_rule_is_run() -> None:
    run = {rule.code for rule in check.MODEL_RULES} | set(check.REFUSALS)
    run |= {rule.code for rule in check.PROJECT_RULES} | {rule.RULE.code for rule in contracts.RULES}
    run.add("L256")
    assert run == {code for code in CODES if code >= "L230"}


def test_reference_page_is_what_the_rules_say() -> None:
    assert PAGE.read_text(encoding="utf-8") == page_text(), "run scripts/generate_rules.py"
