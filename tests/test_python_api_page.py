"""The page about the Python API is true: its examples are run, those with Spark in a process of their own."""

import doctest
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lamina
from lamina.api.asking import RunFlags

PAGE = Path(__file__).parents[1] / "docs" / "python-api.md"
BLOCK = re.compile(r"(<!-- needs Spark -->\n)?```python\n(.*?)```", re.DOTALL)


def failures(*, with_spark: bool) -> int:
    """Run the examples of the page, one after another in the current folder; return how many failed."""
    runner = doctest.DocTestRunner()
    known: dict[str, object] = {}
    for needs_spark, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if with_spark or not needs_spark:
            test = doctest.DocTestParser().get_doctest(text, known, PAGE.name, str(PAGE), 0)
            runner.run(test, clear_globs=False)
            known = test.globs
    return runner.failures


def test_the_examples_of_the_page_are_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert failures(with_spark=False) == 0


@pytest.mark.spark
def test_all_examples_of_the_page_are_true(tmp_path: Path) -> None:
    path = os.pathsep.join(str(PAGE.parents[1] / name) for name in ("src", "."))
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, __file__], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_method_and_flag_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    methods = [name for name, item in inspect.getmembers(lamina.Project, inspect.isfunction) if name[0] != "_"]
    rows = re.findall(r"^\| `(\w+)", text, re.MULTILINE)
    assert sorted({*methods, "config"} - {"compile_again"}) == sorted(rows)
    assert [name for name in RunFlags.__annotations__ if f"`{name}`" not in text and f"{name}=" not in text] == []


if __name__ == "__main__":
    sys.exit(min(failures(with_spark=True), 1))
