"""Another version of lamina, which gives the same text other fingerprints, on tables that this one built."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.scenarios.play import Player

import lamina
from lamina.warehouse.spark.session import Application

pytestmark = pytest.mark.spark

SOURCE = Path(lamina.__file__).parent
FILES = {
    "lamina.toml": '[project]\nname = "shop"\n',
    "sources/raw.toml": """
        [source.raw]
        type = "files"
        format = "csv"
        path = "data"
        options = { header = "true" }
        [source.raw.tables.orders]
        columns = [{ name = "id", type = "int" }, { name = "amount", type = "int" }]
    """,
    "models/mart/orders.sql": "SELECT id, amount FROM raw.orders",
    "models/mart/total.py": "def model(ctx):\n    return ctx.table('mart.orders').selectExpr('sum(amount) AS total')\n",
    "models/mart/total.toml": 'depends_on = ["mart.orders"]\ncolumns = [{ name = "total", type = "bigint" }]\n',
    "data/orders/1.csv": "id,amount\n1,10\n2,20\n",
}


def next_version(folder: Path) -> Path:
    """Copy the package with another way to make fingerprints."""
    shutil.copytree(SOURCE, folder / "lamina", ignore=shutil.ignore_patterns("__pycache__"))
    file = folder / "lamina" / "compiler" / "identity" / "fingerprint.py"
    text = file.read_text()
    assert "Fingerprint(content_hash(content))" in text
    file.write_text(text.replace("content_hash(content)", 'content_hash(("next", content))'))
    return folder


def ask(version: Path, root: Path, *words: str) -> dict[str, Any]:
    """Run a command of a version, and return what it prints."""
    command = [sys.executable, "-m", "lamina", *words, "--project-dir", str(root), "--output", "json"]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": str(version)}, capture_output=True, check=False)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_i9_a_new_version_changes_and_rebuilds_nothing(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, version = tmp_path / "shop", next_version(tmp_path / "next")
    root.mkdir()
    Player(root, application, monkeypatch).write(FILES)
    assert lamina.open(root).run().status == "success"

    plan = ask(version, root, "plan")
    assert plan["changes"] == []
    assert {action["action"] for action in plan["actions"]} == {"skip"}
    assert ask(version, root, "run")["status"] == "nothing_to_do"

    # Two at once: the edit is seen, and nothing else.
    (root / "models/mart/orders.sql").write_text("SELECT id, amount + 1 AS amount FROM raw.orders")
    changes = lamina.open(root).plan().changes
    assert [change.model for change in changes] == ["mart.orders"]
    assert {action.model: type(action).__name__ for action in lamina.open(root).plan().plan.actions} == {
        "mart.orders": "Rebuild",
        "mart.total": "Build",
    }
