"""The log file of a run: every event as a line of JSON with its time; a run without work leaves none."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import TextIO

from lamina.values.codec import to_json
from lamina.values.event import Event, RunStarted


class RunLog:
    """Owns the file, which is opened when the first step of a run is announced."""

    def __init__(self, folder: Path, *, clock: Callable[[], datetime], pass_on: Callable[[Event], None]) -> None:
        self._folder = folder
        self._clock = clock
        self._pass_on = pass_on
        self._lock = Lock()
        self._file: TextIO | None = None

    def __call__(self, event: Event) -> None:
        """Write an event down and pass it on."""
        with self._lock:
            if isinstance(event, RunStarted) and event.steps and self._file is None:
                self._file = self._open(event)
            if self._file is not None:
                self._file.write(f'{{"time":"{self._clock():%Y-%m-%dT%H:%M:%S.%fZ}",{to_json(event).decode()[1:]}\n')
        self._pass_on(event)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if self._file is not None:
                self._file.close()
                self._file = None

    def _open(self, event: RunStarted) -> TextIO | None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            return (self._folder / f"{event.run_id}.jsonl").open("a", encoding="utf-8", buffering=1)
        except OSError:
            # A log that cannot be written must not stop the work that it is about.
            return None
