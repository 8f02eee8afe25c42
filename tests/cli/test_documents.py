"""The schemas in `schemas/` are those of the code, and commands print what their schema says."""

import json
from pathlib import Path
from typing import Any

import pytest
from scripts.generate_schemas import FOLDER, schema_files

from lamina.cli.app import run_command
from lamina.cli.documents import document_of
from lamina.values.codec import from_json

QUICKSTART = Path(__file__).parents[2] / "examples" / "quickstart"


def document(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """Run a command and return what it prints, which tells its exit code."""
    name, *rest = arguments
    code = run_command(name, [*rest, "--output", "json"])
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert printed["exit_code"] == code
    return printed


def test_schemas_are_up_to_date() -> None:
    wanted = schema_files()
    assert {path.name for path in FOLDER.glob("*.json")} == {path.name for path in wanted}
    stale = [path.name for path, text in wanted.items() if path.read_text() != text]
    assert stale == [], "run `make docs`"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_every_reference_in_a_schema_is_defined(path: Path) -> None:
    text = path.read_text()
    referred = {part.split('"')[0] for part in text.split('"#/$defs/')[1:]}
    assert referred <= json.loads(text)["$defs"].keys()


@pytest.mark.parametrize(
    "arguments",
    [
        ("compile",),
        ("completions", "bash"),
        ("config",),
        ("explain", "sales.daily_revenue"),
        ("lineage", "sales.daily_revenue"),
        ("list",),
        ("render", "sales.daily_revenue"),
        ("rule", "L201"),
    ],
    ids=" ".join,
)
def test_a_command_prints_its_document(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    printed = document(capsys, *arguments, "--project-dir", str(QUICKSTART))
    fields = document_of(arguments[0])
    assert printed["exit_code"] == 0
    assert list(printed) == list(fields)
    for name, kind in fields.items():
        from_json(json.dumps(printed[name]), kind)


@pytest.mark.parametrize(
    ("folder", "template", "project"),
    [("my-shop", "quickstart", "my_shop"), ("2026", "empty", "project_2026")],
)
def test_a_new_project_is_named_after_its_folder_and_compiles(
    folder: str, template: str, project: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    started = document(capsys, "init", str(tmp_path / folder), "--template", template)
    fields = document_of("init")
    assert list(started) == list(fields)
    assert started["project"] == project
    assert {path.name for path in (tmp_path / folder).iterdir()} >= {"lamina.toml", "models", "seeds", "sources"}
    compiled = document(capsys, "compile", "--project-dir", str(tmp_path / folder))
    assert (compiled["status"], compiled["diagnostics"]) == ("ok", [])
    assert document(capsys, "config", "--project-dir", str(tmp_path / folder))["project"] == project


def test_a_project_that_is_missing_prints_diagnostics(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed = document(capsys, "compile", "--project-dir", str(tmp_path))
    assert (printed["status"], printed["exit_code"]) == ("error", 1)
    assert printed["diagnostics"]
