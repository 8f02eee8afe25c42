"""What is read of a source that is compared: its rows once for each version, and by models only what differs."""

from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.scenarios.play import Player

from lamina.warehouse.files.manifest import FileEntry
from lamina.warehouse.sources import file_frames, files
from lamina.warehouse.spark.session import Application

pytestmark = pytest.mark.spark

PROJECT = {
    "lamina.toml": '[project]\nname = "dumps"\n',
    "sources/raw.toml": (
        '[source.raw]\ntype = "files"\npath = "data"\n'
        '[source.raw.tables.orders]\ndetect = "checksum"\ntime_column = "at"\n'
    ),
    "models/m/statuses.sql": "SELECT at, status FROM raw.orders WHERE at >= @start_ts AND at < @end_ts",
    "models/m/statuses.toml": 'start = "2026-01-01"\nstrategy.type = "time_interval"\nstrategy.time_column = "at"\n',
    "models/m/amounts.sql": "SELECT at, amount FROM raw.orders WHERE at >= @start_ts AND at < @end_ts",
    "models/m/amounts.toml": 'start = "2026-01-01"\nstrategy.type = "time_interval"\nstrategy.time_column = "at"\n',
}
NOW = "2026-01-04T06:00"
EVERY = ["1.parquet", "2.parquet", "3.parquet"]


def deliver(root: Path, *, statuses: tuple[str, str, str]) -> None:
    """Write one file for each of three days, all of them again."""
    folder = root / "data" / "orders"
    folder.mkdir(parents=True, exist_ok=True)
    for number, status in enumerate(statuses, 1):
        at = pa.array([datetime(2026, 1, number, 12)] * 2, pa.timestamp("us", "UTC"))
        pq.write_table(
            pa.table({"at": at, "amount": [1, number], "status": [status, "new"]}), folder / f"{number}.parquet"
        )


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return the files of each read of a source."""
    found: list[list[str]] = []

    def read_files(*given: Any, entries: tuple[FileEntry, ...]) -> Any:
        found.append([entry.path for entry in entries])
        return file_frames.read_files(*given, entries=entries)

    monkeypatch.setattr(files, "read_files", read_files)
    return found


def test_a_version_is_summed_once_and_only_what_differs_is_built(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[list[str]]
) -> None:
    player = Player(tmp_path, application, monkeypatch)
    player.write(PROJECT)
    deliver(tmp_path, statuses=("new", "new", "new"))
    code, done = player.command("run", NOW)
    assert code == 0, done
    assert opened == [EVERY, EVERY, EVERY]  # by both models, and once to sum them

    opened.clear()
    assert player.command("plan", NOW)[0] == 0
    assert player.command("run", NOW)[1]["status"] == "nothing_to_do"
    assert opened == []

    deliver(tmp_path, statuses=("new", "paid", "new"))
    code, planned = player.command("plan", NOW)
    assert opened == [EVERY]
    assert [item["action"] for item in planned["actions"]] == ["skip", "build"]
    code, done = player.command("run", NOW)
    assert code == 0, done
    assert opened == [EVERY, ["2.parquet"]]
    assert done["detections"][0]["changed"] == ["2026-01-02"]
    assert {item["model"]: item["rows_read"] for item in done["materializations"]} == {
        "m.amounts": None,
        "m.statuses": 2,
    }

    opened.clear()
    (tmp_path / "data" / "orders" / "1.parquet").unlink()
    code, done = player.command("run", NOW)
    assert code == 0, done
    assert opened[0] == EVERY[1:]
    assert opened[1:] == [["2.parquet"], ["2.parquet"]]  # nothing is left of that day: one file tells the columns
    assert done["detections"][0]["removed"] == ["2026-01-01"]
    verdicts = {item["model"]: item["status"] for item in player.command("verify", None)[1]["models"]}
    assert verdicts == {"m.amounts": "equal", "m.statuses": "equal"}
