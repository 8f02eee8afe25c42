"""Interrupting a run: the first signal lets the current commit end, the second ends everything at once."""

import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, current_thread
from types import FrameType
from typing import Any

import pytest

from lamina.api.project import Project
from lamina.api.stopping import Stop
from lamina.cli.answer import Options
from lamina.cli.live import interruptible, run_shown
from lamina.values.result import RunResult


class Cancelled:
    """In place of a warehouse: how often its work was cancelled, and by which thread."""

    def __init__(self) -> None:
        self.cancelled, self.count, self.thread = Event(), 0, ""

    def cancel(self) -> None:
        """Count."""
        self.count, self.thread = self.count + 1, current_thread().name
        self.cancelled.set()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_second_signal_interrupts_what_the_first_let_end(
    number: signal.Signals, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    work, stop, before = Cancelled(), Stop(), signal.getsignal(number)
    with interruptible(stop):
        stop.attach(work.cancel)
        signal.raise_signal(number)
        assert work.cancelled.wait(10)
        assert (stop.is_requested, work.count) == (True, 1)
        assert work.thread != current_thread().name, "the interrupted thread may be talking to Spark"
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
        logging.getLogger("py4j").error("a call was cut off")
    assert "a call was cut off" not in caplog.text, "what is cut off at once leaves no traceback of a library"
    logging.getLogger("py4j").error("later")
    assert "later" in caplog.text
    assert work.count == 1
    assert signal.getsignal(number) is before
    assert "interrupted again: ending at once" in capsys.readouterr().err


@contextmanager
def handled_by(handler: Callable[[int, FrameType | None], Any] | signal.Handlers) -> Iterator[None]:
    """Let a handler have the signal before the command does."""
    before = signal.signal(signal.SIGINT, handler)
    try:
        yield
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_what_is_interrupted_before_it_began_ends_at_once() -> None:
    stop = Stop()
    with handled_by(signal.default_int_handler), pytest.raises(KeyboardInterrupt), interruptible(stop):
        signal.raise_signal(signal.SIGINT)
    assert not stop.is_requested


def test_a_signal_that_was_ignored_before_the_run_is_heard_by_it() -> None:
    stop = Stop()
    with handled_by(signal.SIG_IGN), interruptible(stop):
        signal.raise_signal(signal.SIGINT)
        assert not stop.is_requested
        stop.attach(lambda: None)
        signal.raise_signal(signal.SIGINT)
        assert stop.is_requested


def test_an_interrupted_run_answers_with_its_document(tmp_path: Path) -> None:
    result = RunResult(
        version="1",
        command="run",
        status="interrupted",
        exit_code=130,
        run_id="run-1",
        environment="prod",
        plan_id="p",
        execution_time="t",
        duration_ms=1,
    )

    def verb(_: Project, __: Stop) -> RunResult:
        return result

    options = Options(root=str(tmp_path), output="json", is_quiet=True, variables={})
    answer = run_shown(options, verb)
    assert (answer.status, answer.exit_code, answer.body["run_id"]) == ("interrupted", 130, "run-1")
