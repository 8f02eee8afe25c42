"""Running something with a display on stderr, and ending it in good order when the user interrupts."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from lamina.cli.answer import Answer, Options
from lamina.values.event import Event
from lamina.values.result import RunResult

if TYPE_CHECKING:
    from lamina.api.project import Project
    from lamina.api.stopping import Stop
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
    """Show events for the block on stderr: live on a terminal, lines elsewhere, nothing if asked to be quiet."""
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


def run_shown(options: Options, verb: "Callable[[Project, Stop], RunResult]") -> Answer:
    """Call a verb that builds, show what happens, let the user interrupt it, and return what it answers."""
    from lamina.api.stopping import Stop
    from lamina.cli.run_answer import run_answer

    stop = Stop()
    with shown(options) as display, interruptible(stop):
        result = verb(options.open(display), stop)
    return run_answer(result, display.shown)


@contextmanager
def interruptible(stop: "Stop") -> Iterator[None]:
    """Let the first signal end the run after the current commit, the second at once; without a run, end the command."""
    import logging

    def handle(number: int, _: object) -> None:
        if not stop.is_heard:
            signal.signal(number, before[signal.Signals(number)])
            signal.raise_signal(number)
            signal.signal(number, handle)  # it was ignored, as in the background of a shell: the run to come listens
        elif stop.is_requested:
            sys.stderr.write("\ninterrupted again: ending at once\n")
            logging.disable(logging.CRITICAL)  # libraries log a call that is cut off with its traceback
            raise KeyboardInterrupt
        else:
            sys.stderr.write("\ninterrupted: no new work is started; interrupt again to end at once\n")
            stop.request()

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    logged = logging.root.manager.disable
    for number in before:
        signal.signal(number, handle)
    try:
        yield
    finally:
        logging.disable(logged)
        for number, handler in before.items():
            signal.signal(number, handler)
