"""Compile projects in a process of its own and report how each ended; a crash or a hang ends that process only."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
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


class Compiler:
    """A process that compiles one project after another; after a crash or a hang, a new one."""

    def __init__(self, *, seconds: float) -> None:
        self._seconds = seconds  # each project may take so many
        self._process: subprocess.Popen[str] | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - open to the end

    def __enter__(self) -> "Compiler":
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._errors.close()

    def outcome(self, folder: Path) -> Outcome:
        """Compile a folder."""
        started = time.monotonic()
        line = self._answer(folder)
        if not line:
            code = self._end()
            is_late = time.monotonic() - started >= self._seconds
            ending = f"no answer within {self._seconds} seconds" if is_late else f"the process ended with {code}"
            return Outcome(crash=f"{ending}: {self._last_words()}")
        facts = json.loads(line)
        if "traceback" in facts:
            return Outcome(seconds=facts["seconds"], crash=facts["traceback"])
        return Outcome(tuple(facts["found"]), models=facts["models"], seconds=facts["seconds"])

    def _answer(self, folder: Path) -> str:
        """Return the line about a folder, or nothing when the process ended over it."""
        process = self._process = self._process or self._start()
        assert process.stdin
        assert process.stdout
        timer = threading.Timer(self._seconds, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        try:
            with suppress(BrokenPipeError):  # it has ended, which the empty answer tells
                process.stdin.write(f"{folder}\n")
                process.stdin.flush()
            return process.stdout.readline()
        finally:
            timer.cancel()

    def _start(self) -> subprocess.Popen[str]:
        self._errors.seek(0)
        self._errors.truncate()
        # A group of its own: a compilation may have children, which have to end with it.
        return subprocess.Popen(
            [sys.executable, str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            start_new_session=True,
        )

    def _end(self) -> int | None:
        """End the process and return its exit code."""
        process, self._process = self._process, None
        if process is None:
            return None
        process.communicate()
        return process.returncode

    def _last_words(self) -> str:
        self._errors.seek(0)
        return self._errors.read()[-2000:].decode(errors="replace")
