"""Showing a run while it happens: a live region on a terminal, plain lines with a heartbeat elsewhere."""

from datetime import UTC, datetime
from threading import Event as Signal
from threading import RLock, Thread
from time import monotonic
from types import TracebackType
from typing import Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from lamina.cli.words import gist_words
from lamina.values.event import (
    Event,
    Recovered,
    Retrying,
    RunStarted,
    SessionReady,
    SessionStarting,
    StepFinished,
    StepProgress,
    StepStarted,
    UnitTestFinished,
)
from lamina.values.time_words import duration_words, spans_words
from lamina.values.words import counted

HEARTBEAT_SECONDS = 15.0

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"

_SYMBOLS = {
    "completed": ("✓", "green"),
    "failed": ("✗", "red"),
    "blocked": ("⊘", "yellow"),
    "waiting": ("…", "cyan"),
    "held": ("…", "yellow"),
    "not_started": ("-", "yellow"),
    "skipped": ("·", "dim"),
}


class Progress:
    """What is known of the run so far; fed by events from any thread."""

    def __init__(self) -> None:
        self.lock = RLock()
        self.started = monotonic()
        self.total = 0
        self.done = 0
        self.estimate: float | None = None
        self.session_since: float | None = None
        self.running: dict[str, tuple[float, StepProgress | None]] = {}

    def take(self, event: Event) -> None:
        """Fold one event into what is known."""
        with self.lock:
            match event:
                case RunStarted():
                    self.total, self.estimate = event.steps, event.estimated_seconds
                case SessionStarting():
                    self.session_since = monotonic()
                case SessionReady():
                    self.session_since = None
                case StepStarted():
                    self.running[event.model] = (monotonic(), None)
                case StepProgress() if event.model in self.running:
                    self.running[event.model] = (self.running[event.model][0], event)
                case StepFinished():
                    self.done += event.model in self.running
                    self.running.pop(event.model, None)
                case _:
                    pass

    def elapsed(self) -> float:
        """Return the seconds since the run began."""
        return monotonic() - self.started


class TerminalDisplay:
    """A live region with overall progress and running models; finished ones scroll away above it."""

    def __init__(self, console: Console, *, is_answer: bool = False) -> None:
        self._console = console
        self._is_answer = is_answer  # the answer is read on this terminal, too
        self.shown: set[str] = set()  # models whose result is already in the answer
        self._progress = Progress()
        self._live = Live(
            get_renderable=self._render, console=console, refresh_per_second=8, transient=True, redirect_stdout=False
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def __call__(self, event: Event) -> None:
        """Show one event."""
        self._progress.take(event)
        line = event_line(event)
        if line is None:
            return
        if self._is_answer and isinstance(event, StepFinished):
            self.shown.add(event.model)
            self._console.print(line, soft_wrap=True)  # said only here, so nothing is cut off
        else:
            self._console.print(line, soft_wrap=False, no_wrap=True, overflow="ellipsis", crop=True)

    def _render(self) -> RenderableType:
        progress = self._progress
        with progress.lock:
            rows = [self._running_row(model, *state) for model, state in sorted(progress.running.items())]
            if progress.session_since is not None:
                seconds = duration_words(monotonic() - progress.session_since)
                rows.append(Text(f"{_frame()} starting Spark  {seconds}", style="cyan"))
            if progress.total:
                rows.append(self._overall())
        return Group(*rows)

    def _running_row(self, model: str, since: float, step: StepProgress | None) -> RenderableType:
        words = f"{model}  {duration_words(monotonic() - since)}"
        if step is not None:
            tasks = f" {step.done}/{step.total} tasks" if step.total else ""
            words = f"{words}  {step.phase}{tasks}"
        return Text(f"{_frame()} {words}")

    def _overall(self) -> RenderableType:
        progress = self._progress
        elapsed = progress.elapsed()
        left = f", about {duration_words(progress.estimate)} expected" if progress.estimate else ""
        grid = Table.grid(padding=(0, 1))
        grid.add_row(
            ProgressBar(total=progress.total, completed=progress.done, width=24),
            Text(f"{progress.done}/{progress.total} models  {duration_words(elapsed)}{left}"),
        )
        return grid


class PlainDisplay:
    """Lines with times, and a heartbeat while nothing else is said; results may go to the stream of the answer."""

    def __init__(self, console: Console, results: Console | None = None) -> None:
        self._console = console
        self._results = results
        self.shown: set[str] = set()  # models whose result is already in the answer
        self._progress = Progress()
        self._stopped = Signal()
        self._said = monotonic()
        self._heart = Thread(target=self._beat, daemon=True, name="lamina-heartbeat")

    def __enter__(self) -> Self:
        self._heart.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._heart.join()

    def __call__(self, event: Event) -> None:
        """Print one event as a line."""
        self._progress.take(event)
        line = event_line(event)
        if line is None and isinstance(event, SessionStarting):
            line = Text("starting Spark")
        if line is None:
            return
        if self._results is not None and isinstance(event, StepFinished):
            self.shown.add(event.model)
            self._say(line, self._results)
        else:
            self._say(line, self._console)

    def _say(self, line: Text, console: Console) -> None:
        with self._progress.lock:
            self._said = monotonic()
            console.print(Text(f"{datetime.now(UTC):%H:%M:%S} ").append(line), soft_wrap=True)
            console.file.flush()

    def _beat(self) -> None:
        while not self._stopped.wait(1.0):
            if monotonic() - self._said < HEARTBEAT_SECONDS:
                continue
            with self._progress.lock:
                models = ", ".join(sorted(self._progress.running)) or "starting"
                counts = f"{self._progress.done}/{self._progress.total} done, " if self._progress.total else ""
                words = f"{counts}running: {models}"
                self._say(Text(f"{words} ({duration_words(self._progress.elapsed())})"), self._console)


class NoDisplay:
    """Says nothing: only the answer is wanted."""

    shown: frozenset[str] = frozenset()

    def __call__(self, event: Event) -> None:
        """Show nothing of an event."""


def _frame() -> str:
    """Return the picture of this tenth of a second, so that the eye sees that something moves."""
    return _FRAMES[int(monotonic() * 10) % len(_FRAMES)]


def event_line(event: Event) -> Text | None:
    """Write the line that stays on the screen for an event, if it deserves one."""
    match event:
        case SessionReady():
            return Text(f"  Spark is ready after {duration_words(event.seconds)}", style="dim")
        case StepFinished():
            return _finished_line(event)
        case Retrying():
            pause = duration_words(event.seconds)
            words = f"  {event.model}: attempt {event.attempt} failed, trying again in {pause}: {event.error}"
            return Text(words, style="yellow")
        case UnitTestFinished():
            return _tested_line(event)
        case Recovered():
            return Text(f"  recovered: {event.detail}", style="yellow")
        case _:
            return None


def _tested_line(event: UnitTestFinished) -> Text:
    symbol, style = ("✓", "green") if event.status == "passed" else ("✗", "red")
    line = Text(f"{symbol} {event.number}/{event.total} {event.name}", style=style)
    words = [event.model, duration_words(event.seconds), *([] if event.status == "passed" else [event.status])]
    return line.append("  ".join(["", *words]), style="default")


def _finished_line(event: StepFinished) -> Text | None:
    if event.status == "skipped":
        return None
    symbol, style = _SYMBOLS[event.status]
    parts = [f"{symbol} {event.model}"]
    if event.status == "completed":
        parts += [counted(event.rows_written, "row"), duration_words(event.seconds)]
    spans = spans_words(event.intervals, event.timezone)
    reason = gist_words(event.reason.removeprefix(f"`{event.model}`: ")) if event.status == "failed" else event.reason
    parts += [part for part in (spans, reason) if part]
    line = Text(parts[0], style=style)
    return line.append("  ".join(["", *parts[1:]]), style="default")
