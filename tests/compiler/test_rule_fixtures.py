"""Every rule of the compiler: its bad fixture triggers it at its place, its good fixture does not."""

import json
from pathlib import Path

import pytest
from tests.compiler.projects import compile_project, load_project

from lamina.compiler.contracts import check_changes, check_promoted
from lamina.compiler.unit_tests.resolve import resolve_tests
from lamina.project.scan import scan_project
from lamina.project.unit_test_file import read_unit_tests
from lamina.values.diagnostic import Diagnostic

FIXTURES = Path(__file__).parents[1] / "fixtures" / "rules"
FOLDERS = sorted(path for path in FIXTURES.glob("L[234]*"))


def findings(folder: Path) -> list[Diagnostic]:
    """Compile a fixture; one with a `before` beside it is compared with that as promoted."""
    project = load_project(str(folder), {})
    graph = compile_project(project)
    found = [*graph.diagnostics, *resolve_tests(graph, read_unit_tests(scan_project(str(folder)).files).tests).found]
    before = folder.parent / "before"
    if before.exists():
        promoted = compile_project(load_project(str(before), {}))
        found += check_promoted(project.models, graph, promoted=promoted)
        found += check_changes(project.models, graph, promoted=promoted)
    return found


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_bad_fixture_is_found_at_its_place(folder: Path) -> None:
    found = [
        {"code": item.code, "file": item.place.file, "line": item.place.line, "column": item.place.column}
        for item in findings(folder / "bad")
        if item.place is not None
    ]
    assert found == json.loads((folder / "bad" / "expected.json").read_text())
    assert folder.name in {item["code"] for item in found}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_good_fixture_is_clean(folder: Path) -> None:
    found = findings(folder / "good")
    assert [item for item in found if item.code == folder.name or item.severity != "info"] == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: path.name)
def test_every_finding_says_what_to_do(folder: Path) -> None:
    for item in findings(folder / "bad"):
        if item.code == folder.name:
            assert item.hint
            assert not item.message.endswith((".", "!"))
