"""Running something with a display on stderr, and ending it in good order when the user interrupts."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock, Thread
from typing import TYPE_CHECKING

from lamina.cli.answer import Answer, Options
from lamina.values.event import Event
from lamina.values.result import RunResult

if TYPE_CHECKING:
    from lamina.api.engine import Engine
    from lamina.cli.progress import NoDisplay, PlainDisplay, TerminalDisplay


@contextmanager
def shown_if_needed(options: Options) -> Iterator[Callable[[Event], None]]:
    """Show events as `shown` does, from the first one on: what answers without any needs no display."""
    lock = Lock()
    displays: list[Callable[[Event], None]] = []
    with ExitStack() as stack:

        def emit(event: Event) -> None:
            with lock:
                if not displays:
                    displays.append(stack.enter_context(shown(options)))
            displays[0](event)

        yield emit


@contextmanager
def shown(options: Options) -> "Iterator[TerminalDisplay | PlainDisplay | NoDisplay]":
    """Show events for the block as fits stderr: live on a terminal, lines elsewhere, nothing if asked to be quiet."""
    # Imported here: most questions are answered before there is something to show.
    from rich.console import Console

    from lamina.cli.progress import NoDisplay, PlainDisplay, TerminalDisplay

    if options.is_quiet:
        yield NoDisplay()
        return
    is_text = options.output == "text"
    console = Console(stderr=True, highlight=False, emoji=False)
    answer = Console(highlight=False, emoji=False) if is_text else None
    is_answer = answer is not None and answer.is_terminal
    with (
        TerminalDisplay(console, is_answer=is_answer)
        if console.is_terminal
        else PlainDisplay(console, answer) as display
    ):
        yield display


def run_shown(options: Options, verb: Callable[..., RunResult]) -> Answer:
    """Call a verb that builds, show what happens, let the user interrupt it, and return what it answers."""
    from lamina.cli.run_answer import run_answer

    with ExitStack() as stack:
        display = stack.enter_context(shown(options))
        result = verb(emit=display, ready=lambda engine: stack.enter_context(interruptible(engine)))
    return run_answer(result, display.told)


@contextmanager
def interruptible(engine: "Engine") -> Iterator[None]:
    """Let the first signal end the run after the current commit, the second at once."""

    def handle(*_: object) -> None:
        if engine.stop.is_set():
            sys.stderr.write("\ninterrupted again: ending at once\n")
            raise KeyboardInterrupt
        sys.stderr.write("\ninterrupted: no new work is started; once more ends at once\n")
        engine.stop.set()
        # A signal comes in the middle of whatever this thread is doing, perhaps a talk with Spark: another one cancels.
        Thread(target=engine.warehouse.cancel, daemon=True, name="lamina-cancel").start()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
