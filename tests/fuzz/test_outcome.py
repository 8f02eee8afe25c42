"""The process that compiles hostile projects: its crash or hang is reported, and the next project gets a new one."""

from pathlib import Path

import pytest
from tests.fuzz.outcome import Compiler

WORKER = """
import os, sys, time
for line in sys.stdin:
    name = os.path.basename(line.strip())
    if name == "crashes":
        print("alas", file=sys.stderr, flush=True)
        os.abort()
    if name == "hangs":
        time.sleep(60)
    print('{"seconds": 0.5, "models": 1, "found": ["error L207 x", "warning L401 y"]}', flush=True)
"""


@pytest.fixture
def worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "worker.py"
    path.write_text(WORKER)
    monkeypatch.setattr("tests.fuzz.outcome.WORKER", path)
    return path


@pytest.mark.usefixtures("worker")
def test_a_crash_is_reported_and_the_next_project_is_compiled() -> None:
    with Compiler(seconds=60) as compiler:
        crashed, fine = (compiler.outcome(Path(name)) for name in ("crashes", "fine"))
    assert crashed.crash == "the process ended with -6: alas\n"
    assert (fine.crash, fine.models, fine.errors) == (None, 1, ["error L207 x"])


@pytest.mark.usefixtures("worker")
def test_a_hang_is_reported() -> None:
    with Compiler(seconds=0.2) as compiler:
        crash = compiler.outcome(Path("hangs")).crash
    assert crash is not None
    assert crash.startswith("no answer within 0.2 seconds")


def test_a_process_that_does_not_start_is_reported(worker: Path) -> None:
    worker.write_text("raise SystemExit('no way')")
    with Compiler(seconds=60) as compiler:
        for _ in range(2):
            assert compiler.outcome(Path("fine")).crash == "the process ended with 1: no way\n"
