"""Findings as people read them: causes first, repeats folded, many notes counted."""

import os
from pathlib import Path

import pytest

from lamina.cli.answer import Options, Screen
from lamina.cli.render import counts, folded, in_reading_order, show_diagnostics
from lamina.values.diagnostic import Diagnostic, Severity


def finding(code: str, message: str, *, file: str = "m.sql", line: int = 1, severity: Severity = "error") -> Diagnostic:
    return Diagnostic(code=code, name="N", severity=severity, message=message, file=file, line=line, column=1)


def reported(
    capsys: pytest.CaptureFixture[str], *found: Diagnostic, root: str = "nowhere", is_quiet: bool = False
) -> str:
    show_diagnostics(Screen(Options(root=root, output="text", is_quiet=is_quiet, variables={})), found)
    return capsys.readouterr().err


def test_a_cause_comes_before_what_follows_from_it() -> None:
    followers = [finding("L211", f"no column `{number}`", file=f"a{number}.sql") for number in range(30)]
    warning = finding("L303", "can be null", file="a.sql", severity="warning")
    unknown, unread = (
        finding("L201", "`raw.ordrs` is unknown", file="z.sql"),
        finding("L107", "cannot be read", file="zz"),
    )
    order = in_reading_order((warning, *followers, unknown, unread))
    assert order[:3] == (unread, unknown, followers[0])
    assert order[-1] == warning


def test_what_is_said_of_many_places_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    same = [finding("L211", "no column `amount`", file=f"m{number}.sql", line=number) for number in range(1, 15)]
    text = reported(capsys, *same)
    assert text.count("error[L211]") == 1
    assert "and in 13 more places:\n --> m2.sql:2:1\n" in text
    assert " --> m11.sql:11:1\n ... and 3 more\n" in text
    assert counts(tuple(same)) == "14 errors"


def test_findings_with_other_words_are_not_folded() -> None:
    found = (finding("L211", "a"), finding("L211", "b"), finding("L212", "a"))
    assert folded(found) == [(item,) for item in found]


def test_the_line_itself_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.sql").write_text("SELECT a\nFROM b\n")
    assert " 2 | FROM b\n   | ^\n" in reported(capsys, finding("L201", "no `b`", line=2), root=str(tmp_path))


def test_no_line_is_shown_of_what_is_no_file_of_the_project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "secret").write_text("root:x:0\n")
    root = tmp_path / "project"
    root.mkdir()
    (root / "m.sql").symlink_to(tmp_path / "secret")
    assert "root:x" not in reported(capsys, finding("L103", "leaves the project"), root=str(root))
    os.mkfifo(root / "pipe.sql")
    assert " | " not in reported(capsys, finding("L107", "is no file", file="pipe.sql"), root=str(root))


def test_a_letter_that_cannot_be_printed_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.sql").write_text("SELECT 1 AS \u202ea\x1b[31m")
    assert "SELECT 1 AS \ufffda\ufffd[31m" in reported(capsys, finding("L209", "no alias"), root=str(tmp_path))


def test_a_message_gives_a_terminal_no_orders(capsys: pytest.CaptureFixture[str]) -> None:
    item = finding("L209", "`\u202ea\x1b[31m` is odd\nand more").replace(hint="not \x07")
    assert "`\ufffda\ufffd[31m` is odd\nand more\n" in (text := reported(capsys, item))
    assert "hint: not \ufffd\n" in text


def test_a_finding_without_a_line_names_its_file_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.sql").write_text("SELECT a")
    found = finding("L610", "a check failed").replace(line=None, column=None)
    assert reported(capsys, found, root=str(tmp_path)) == "error[L610]: a check failed\n --> m.sql\n\n"


def test_many_notes_are_counted_and_a_quiet_screen_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    notes = [finding("L232", str(number), severity="info") for number in range(11)]
    assert reported(capsys, *notes) == "11 notes; `--output json` lists them\n\n"
    assert "info[L232]" in reported(capsys, *notes[:3])
    assert reported(capsys, *notes[:3], is_quiet=True) == ""


def test_after_a_hundred_the_rest_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    text = reported(capsys, *(finding("L211", str(number)) for number in range(120)))
    assert text.endswith("... and 20 more; `--output json` lists all\n\n")
