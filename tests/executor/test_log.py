"""The log of a run: a line of JSON for each event, no file without work."""

import json
from datetime import UTC, datetime
from pathlib import Path

from lamina.executor.log import RunLog
from lamina.values.event import Event, RunStarted, StepFinished
from lamina.values.names import ModelName, RunId

NOW = datetime(2026, 4, 1, 12, tzinfo=UTC)
DONE = StepFinished(model=ModelName("a.b"), status="completed", reason="first build", rows_written=3)


def _tell(folder: Path, steps: int) -> list[Event]:
    heard: list[Event] = []
    log = RunLog(folder, clock=lambda: NOW, pass_on=heard.append)
    log(RunStarted(run_id=RunId("run-1"), steps=steps))
    log(DONE)
    log.close()
    return heard


def test_every_event_is_written_and_passed_on(tmp_path: Path) -> None:
    heard = _tell(tmp_path / "logs", 1)
    lines = [json.loads(line) for line in (tmp_path / "logs" / "run-1.jsonl").read_text().splitlines()]
    assert [line["event"] for line in lines] == ["run_started", "step_finished"]
    assert lines[1] | {"time": "2026-04-01T12:00:00.000000Z", "rows_written": 3} == lines[1]
    assert heard[1] == DONE


def test_a_run_without_work_leaves_no_file(tmp_path: Path) -> None:
    assert len(_tell(tmp_path / "logs", 0)) == 2
    assert not (tmp_path / "logs").exists()


def test_a_log_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file stands in the way")
    assert len(_tell(tmp_path / "logs", 1)) == 2
