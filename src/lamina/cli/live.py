"""Running something with a display on stderr, and ending it in good order when the user interrupts."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from lamina.cli.answer import Answer, Options
from lamina.cli.progress import PlainDisplay, TerminalDisplay
from lamina.values.event import Event
from lamina.values.result import RunResult

if TYPE_CHECKING:
    from lamina.engine import Engine


@contextmanager
def shown(options: Options) -> Iterator[Callable[[Event], None]]:
    """Show events for the block as fits stderr: live on a terminal, lines elsewhere, nothing if asked to be quiet."""
    from rich.console import Console

    console = Console(stderr=True, highlight=False, emoji=False)
    if options.is_quiet:
        yield lambda _: None
        return
    with TerminalDisplay(console) if console.is_terminal else PlainDisplay(console) as display:
        yield display


def run_shown(options: Options, verb: Callable[..., RunResult]) -> Answer:
    """Call a verb that builds, show what happens, let the user interrupt it, and return what it answers."""
    from lamina.cli.run_answer import run_answer

    with ExitStack() as stack:
        emit = stack.enter_context(shown(options))
        result = verb(emit=emit, ready=lambda engine: stack.enter_context(interruptible(engine)))
    return run_answer(result)


@contextmanager
def interruptible(engine: "Engine") -> Iterator[None]:
    """Let the first signal end the run after the current commit, the second at once."""

    def handle(*_: object) -> None:
        if engine.stop.is_set():
            sys.stderr.write("\ninterrupted again: ending at once\n")
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.raise_signal(signal.SIGTERM)
        sys.stderr.write("\ninterrupted: no new work is started; once more ends at once\n")
        engine.stop.set()
        engine.warehouse.cancel()

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
