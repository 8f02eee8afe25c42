"""`docs/failures.md`: what a user reads when something goes wrong, as the commands really print it.

`LAMINA_WRITE_PAGES=1 pytest tests/spark/test_failure_page.py` writes the page again.
"""

import os
import re
import shutil
import tomllib
from pathlib import Path

import pytest
from tests.scenarios.play import Player, Step

from lamina.warehouse.spark.session import Application

FAILURES = Path(__file__).with_name("failures.toml")
PAGE = Path(__file__).parents[2] / "docs" / "failures.md"
OPENING = """# Eleven failures and what lamina says

What `lamina` prints when something goes wrong, in a project of one source (`raw.orders`, CSV files) and two models:
`staging.orders` merges the files by `id`, `sales.daily` sums them up by day. A test runs each of these and compares.
Nothing is ever half written: after each of them the tables are as they were, and the next run goes on from there.

`lamina rule L610` explains a code; [rules](rules.md) lists them all.
"""
# What differs from run to run, and what a reader of the page sees instead.
PASSING = (
    (re.compile(r"\b\d+(\.\d+)? m?s\b"), "1.2 s"),
    (re.compile(r"run-\d{8}-\d{6}-\d{3}-[0-9a-f]{4}"), "run-20260403-060000-000-0000"),
    (re.compile(r"\d{5}-\d+-[0-9a-f-]{36}"), "00000-1-f00d"),
    (
        re.compile(r"`/[^`\n]*…$", re.MULTILINE),
        "`…",
    ),  # lines of a run are short: where they are cut depends on the folder
    (re.compile(r"^\d\d:\d\d:\d\d ", re.MULTILINE), ""),
    (re.compile(r"next try at \d{4}-\d\d-\d\dT\d\d:\d\dZ"), "next try at 2026-04-03T07:00Z"),
    (re.compile(r"since \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ"), "since 2026-04-03 06:00:00Z"),
)

pytestmark = pytest.mark.spark


def test_page_of_failures_shows_what_commands_print(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tomllib.loads(FAILURES.read_text())
    monkeypatch.setenv("COLUMNS", "120")
    player = Player(tmp_path / "shop", application, monkeypatch)
    player.write(data["files"])
    code, document = player.command("run", data["at"])
    assert code == 0, document
    built = shutil.copytree(player.folder, tmp_path / "built")
    parts = [OPENING]
    for step in data["step"]:
        shutil.rmtree(player.folder)
        shutil.copytree(built, player.folder)
        parts.append(_section(player, Step(**step), at=data["at"]))
    text = "\n".join(parts)
    if os.environ.get("LAMINA_WRITE_PAGES"):
        PAGE.write_text(text)
    assert PAGE.read_text() == text, "`LAMINA_WRITE_PAGES=1 pytest tests/spark/test_failure_page.py` writes it again"


def _section(player: Player, step: Step, *, at: str) -> str:
    code, printed = player.printed(step, at)
    assert code not in (0, 64), f"{step.name}: {printed}"
    printed = printed.replace(str(player.folder), "shop")
    for pattern, stand_in in PASSING:
        printed = pattern.sub(stand_in, printed)
    return f"## {step.name}\n\n```\n$ lamina {step.command}\n{printed.strip()}\n```\n\nExit code {code}.\n"
