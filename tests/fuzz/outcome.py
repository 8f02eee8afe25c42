"""What became of a project given to the worker process."""

import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

WORKER = Path(__file__).with_name("worker.py")


@dataclass(frozen=True)
class Outcome:
    """A compiled project with its findings, or how the process ended."""

    found: tuple[str, ...] = ()
    models: int = 0
    seconds: float = 0.0
    crash: str | None = None

    @property
    def errors(self) -> list[str]:
        """The findings that are errors."""
        return [item for item in self.found if item.startswith("error ")]


def compile_all(folders: Sequence[Path], *, seconds: float) -> dict[Path, Outcome]:
    """Compile every folder, on two cores; each process may take so many seconds."""
    with ThreadPoolExecutor(2) as pool:
        halves = pool.map(lambda part: _compile(part, seconds), (folders[::2], folders[1::2]))
        return {folder: outcome for half in halves for folder, outcome in half.items()}


def _compile(folders: Sequence[Path], seconds: float) -> dict[Path, Outcome]:
    """Compile one after another, in a new process after each crash."""
    outcomes: dict[Path, Outcome] = {}
    left = list(folders)
    while left:
        lines, ending = _run(left, seconds)
        for line in lines:
            facts = json.loads(line)
            folder = Path(facts.pop("folder"))
            if "traceback" in facts:
                outcomes[folder] = Outcome(seconds=facts["seconds"], crash=facts["traceback"])
            elif facts:
                outcomes[folder] = Outcome(tuple(facts["found"]), models=facts["models"], seconds=facts["seconds"])
            else:
                outcomes[folder] = Outcome(crash=ending)  # unless a later line says how it went
        started = [folder for folder in left if folder in outcomes]
        if not started:
            raise AssertionError(f"the worker did not start: {ending}")
        left = [folder for folder in left if folder not in outcomes]
    return outcomes


def _run(folders: Sequence[Path], seconds: float) -> tuple[list[str], str]:
    command = [sys.executable, str(WORKER), *map(str, folders)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        output = error.stdout or b""
        text = output.decode() if isinstance(output, bytes) else output
        return text.splitlines(), f"no answer within {seconds} seconds"
    return done.stdout.splitlines(), f"the process ended with {done.returncode}: {done.stderr[-2000:]}"
