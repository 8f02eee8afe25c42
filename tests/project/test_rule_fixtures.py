"""Every rule of a project's files: its bad fixture triggers exactly it, its good fixture nothing."""

import json
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType

import pytest

from lamina.project import rules
from lamina.project.read import read_project
from lamina.project.scan import scan_project
from lamina.project.unit_test_file import read_unit_tests
from lamina.values.diagnostic import Diagnostic

FIXTURES = Path(__file__).parents[1] / "fixtures" / "rules"
CODES = sorted(path.name for path in FIXTURES.glob("L1*"))
MODULES = [import_module(f"lamina.project.rules.{module.name}") for module in iter_modules(rules.__path__)]


def findings(folder: Path) -> tuple[Diagnostic, ...]:
    """Return what is wrong with the files of a fixture, its unit tests included."""
    scan = scan_project(str(folder))
    return (*read_project(scan, {}).diagnostics, *read_unit_tests(scan.files).diagnostics)


@pytest.mark.parametrize("code", CODES)
def test_bad_fixture_is_found_at_its_place(code: str) -> None:
    folder = FIXTURES / code / "bad"
    found = [
        {"code": item.code, "file": item.place.file, "line": item.place.line, "column": item.place.column}
        for item in findings(folder)
        if item.place is not None
    ]
    assert found == json.loads((folder / "expected.json").read_text())


@pytest.mark.parametrize("code", CODES)
def test_good_fixture_is_clean(code: str) -> None:
    assert findings(FIXTURES / code / "good") == ()


def test_every_rule_has_a_code_of_its_own_and_fixtures() -> None:
    codes = sorted(module.RULE.code for module in MODULES)
    assert codes == CODES


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.RULE.code)
def test_every_rule_documents_itself(module: ModuleType) -> None:
    title, *rest = (module.__doc__ or "").strip().splitlines()
    assert title.startswith(f"{module.RULE.code}: ")
    assert any(line.startswith("Why: ") for line in rest)
    assert any(line.startswith("Fix: ") for line in rest)
