"""Interrupting a run: the first signal lets the current commit end, the second ends everything at once."""

import signal
from pathlib import Path
from threading import Event, current_thread
from types import SimpleNamespace
from typing import Any, cast

import pytest

from lamina.api.engine import Engine
from lamina.cli.answer import Options
from lamina.cli.live import interruptible, run_shown
from lamina.values.result import RunResult


class Cancelled:
    """In place of an engine: its signals, a count of how often its work was cancelled, and by which thread."""

    def __init__(self) -> None:
        self.stop, self.cancelled, self.count, self.thread = Event(), Event(), 0, ""
        self.warehouse = SimpleNamespace(cancel=self.cancel)

    def cancel(self) -> None:
        """Count."""
        self.count, self.thread = self.count + 1, current_thread().name
        self.cancelled.set()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_second_signal_interrupts_what_the_first_let_end(
    number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    engine, before = Cancelled(), signal.getsignal(number)
    with interruptible(cast(Engine, engine)):
        signal.raise_signal(number)
        assert engine.cancelled.wait(10)
        assert (engine.stop.is_set(), engine.count) == (True, 1)
        assert engine.thread != current_thread().name, "the interrupted thread may be talking to Spark"
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(number)
    assert engine.count == 1
    assert signal.getsignal(number) is before
    assert "interrupted again: ending at once" in capsys.readouterr().err


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

    def verb(**_: Any) -> RunResult:
        return result

    options = Options(root=str(tmp_path), output="json", is_quiet=True, variables={})
    answer = run_shown(options, verb)
    assert (answer.status, answer.exit_code, answer.body["run_id"]) == ("interrupted", 130, "run-1")
