"""A slice reads the files that hold its times, and gives the rows it would give from all of them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pyarrow
import pyarrow.parquet
import pytest
from tests.spark.lake import Lake, day

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.project.strategy import TimeInterval
from lamina.values.names import ColumnName, TableName
from lamina.warehouse.files.file_ranges import held_by
from lamina.warehouse.files.manifest import FileEntry, list_files, load_manifest
from lamina.warehouse.sources import file_frames, files

pytestmark = pytest.mark.spark

EVENTS = "id bigint, at timestamp, region string"
QUERY = "SELECT id, at, region FROM raw.events WHERE at >= @start_date AND at < @end_date"

Format = Literal["parquet", "csv", "json"]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Return the files of each read of a source."""
    found: list[list[str]] = []

    def read_files(*given: Any, entries: tuple[FileEntry, ...]) -> Any:
        found.append([entry.path for entry in entries])
        return file_frames.read_files(*given, entries=entries)

    monkeypatch.setattr(files, "read_files", read_files)
    return found


def write(folder: Path, format: Format, number: int, *times: datetime) -> None:
    """Write one file under a folder that is a column."""
    path = folder / "raw" / "events" / f"region=r{number % 2}" / f"{number}.{format}"
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [(10 * number + place, at) for place, at in enumerate(times)]
    match format:
        case "parquet":
            ids, column = [row[0] for row in rows], pyarrow.array(times, pyarrow.timestamp("us", tz="UTC"))
            pyarrow.parquet.write_table(pyarrow.table({"id": ids, "at": column}), path)
        case "csv":
            path.write_text("id,at\n" + "".join(f"{row[0]},{row[1]:%Y-%m-%dT%H:%M:%SZ}\n" for row in rows))
        case "json":
            path.write_text("".join(f'{{"id":{row[0]},"at":"{row[1]:%Y-%m-%dT%H:%M:%SZ}"}}\n' for row in rows))


def events(lake: Lake, format: Format, **use: Any) -> CompiledModel:
    """Return a daily model over files of four days; the last one also has rows of the second."""
    noon = [datetime(2026, 1, number, 12, tzinfo=UTC) for number in range(1, 5)]
    for number, at in enumerate(noon, 1):
        write(lake.folder, format, number, at, at + timedelta(hours=1))
    write(lake.folder, format, 5, noon[1], noon[3])
    lake.add_source("raw.events", columns=EVENTS, format=format)
    reader = InputUse(name=TableName("raw.events"), is_model=False, read_set=None, filter_column=ColumnName("at"))
    return lake.add_model(
        "sales.events",
        QUERY,
        inputs=("raw.events",),
        columns=EVENTS,
        strategy=TimeInterval(time_column=ColumnName("at")),
        uses=(reader.replace(**use),),
    )


def digested(lake: Lake, model: CompiledModel) -> list[str]:
    """Return the files of the one input whose bytes are remembered: no more than were read anyway."""
    (pin,), (source,) = lake.pins(model), lake.graph.sources
    found = load_manifest(lake.settings, source, pin.position)
    return [item.file.path for item in found.files if item.digest]


@pytest.mark.parametrize("format", ["parquet", "csv", "json"])
def test_a_slice_reads_its_own_files_and_gives_the_same_rows(
    lake: Lake, format: Format, opened: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    model = events(lake, format)

    lake.build(model, "replace_slices", slices=(day(2),))

    names = [f"region=r0/2.{format}", f"region=r1/5.{format}"]
    assert opened == [names]
    assert digested(lake, model) == names
    found = lake.sql("SELECT * FROM lake.sales.events ORDER BY id")
    assert [row[0] for row in found] == [20, 21, 50]
    monkeypatch.setattr(files, "needed_files", lambda _model, _source, held, **_: held.entries)
    lake.build(model, "replace_slices", slices=(day(2),))
    assert len(opened[-1]) == 5
    assert lake.sql("SELECT * FROM lake.sales.events ORDER BY id") == found


def test_a_window_is_read_too_and_a_slice_without_files_is_empty(lake: Lake, opened: list[list[str]]) -> None:
    model = events(lake, "parquet", reach_seconds=86400)

    lake.build(model, "replace_slices", slices=(day(3),))
    lake.build(model, "replace_slices", slices=(day(20),))

    paths = [sorted(path.rpartition("/")[2] for path in paths) for paths in opened]
    assert paths == [["2.parquet", "3.parquet", "5.parquet"], ["2.parquet"]]
    assert [row[0] for row in lake.sql("SELECT id FROM lake.sales.events ORDER BY id")] == [30, 31]


def test_verifying_reads_every_file(lake: Lake, opened: list[list[str]]) -> None:
    model = events(lake, "parquet")
    staged = lake.build(model, "replace_slices", slices=(day(2),))
    opened.clear()

    pins = {pin.input: pin.position for pin in staged.batch.pins}
    found = lake.warehouse.compare(model, (day(2),), pins)

    assert (found.rows_expected, found.rows_actual, found.missing, found.extra) == (3, 3, 0, 0)
    assert [len(paths) for paths in opened] == [5]


def test_dates_in_json_are_in_the_slices_of_the_day_that_is_written(lake: Lake) -> None:
    values = ("2026-01-01T23:30:00-05:00", "2026-01-03T00:30:00+02:00", "2026-01-05")
    source = lake.add_source("raw.days", columns="id bigint, day date", format="json")
    folder = lake.folder / "raw" / "days"
    folder.mkdir(parents=True)
    for number, value in enumerate(values):
        (folder / f"{number}.json").write_text(f'{{"id": {number}, "day": "{value}"}}\n')

    entries = list_files(source, folder)
    rows = file_frames.read_files(lake.spark, lake.settings, source, entries=entries).orderBy("id").collect()
    held = [held_by(source, folder, entry, columns=(ColumnName("day"),))[0].ranges for entry in entries]

    assert [row["day"].isoformat() for row in rows] == [value[:10] for value in values]
    assert [span.start.date() for (span,) in held] == [row["day"] for row in rows]
