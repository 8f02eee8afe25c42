"""The times one file holds: whatever is in a file, the answer is ranges or "may hold anything", never a crash."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Literal

import pyarrow
import pyarrow.orc
import pyarrow.parquet
import pytest

from lamina.project.source import SourceTable
from lamina.values.interval import MAX
from lamina.values.names import ColumnName, SourceName
from lamina.values.schema import Column, DataType
from lamina.values.touch import ColumnRanges
from lamina.warehouse.files.file_ranges import held_by
from lamina.warehouse.files.manifest import FileEntry

TS = ColumnName("ts")
NEVER = (date(9999, 12, 31), datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC))


def held(folder: Path, name: str, format: Literal["parquet", "csv", "json", "orc", "avro"]) -> tuple[ColumnRanges, ...]:
    source = SourceTable(name=SourceName("raw.x"), type="files", location=str(folder), format=format)
    return held_by(source, folder, FileEntry(path=name, size=1, modified_ns=1), columns=(TS,))


@pytest.mark.parametrize("never", NEVER, ids=["date", "timestamp"])
def test_i11_a_time_that_means_never_is_the_end_of_time(tmp_path: Path, never: date) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"ts": [never]}), tmp_path / "a.parquet")
    (found,) = held(tmp_path, "a.parquet", "parquet")
    assert [span.end for span in found.ranges] == [MAX]


@pytest.mark.parametrize("microseconds", [4 * 10**17, -(10**17)], ids=["after", "before"])
def test_i11_a_time_outside_the_calendar_may_be_anything(tmp_path: Path, microseconds: int) -> None:
    values = pyarrow.array([microseconds], pyarrow.timestamp("us", tz="UTC"))
    pyarrow.parquet.write_table(pyarrow.table({"ts": values}), tmp_path / "a.parquet")
    assert held(tmp_path, "a.parquet", "parquet") == ()


def test_i11_a_folder_that_means_never_is_the_end_of_time(tmp_path: Path) -> None:
    (found,) = held(tmp_path, "ts=9999-12-31/a.csv", "csv")
    assert [span.end for span in found.ranges] == [MAX]


def test_i11_a_file_without_the_column_may_hold_anything(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"id": 1}\n')
    (tmp_path / "a.csv").write_text("id\n1\n")
    pyarrow.orc.write_table(pyarrow.table({"id": [1]}), tmp_path / "a.orc")
    pyarrow.parquet.write_table(pyarrow.table({"id": [1]}), tmp_path / "a.parquet")
    for format in ("json", "csv", "orc", "parquet"):
        assert held(tmp_path, f"a.{format}", format) == ()


def json_days(folder: Path, *values: str) -> list[tuple[str, str]] | None:
    """Return the days that a JSON file holds in a column that is declared as a date; None: it may hold anything."""
    (folder / "a.json").write_text("".join(f'{{"ts": {value}}}\n' for value in values))
    columns = (Column(name=TS, type=DataType("date")),)
    source = SourceTable(name=SourceName("raw.x"), type="files", location=str(folder), format="json", columns=columns)
    found = held_by(source, folder, FileEntry(path="a.json", size=1, modified_ns=1), columns=(TS,))
    return [(f"{span.start:%m-%dT%H}", f"{span.end:%m-%dT%H}") for span in found[0].ranges] if found else None


@pytest.mark.parametrize(
    "value",
    [
        "2026-01-01",
        "2026-01-01T23:30:00-05:00",
        "2026-01-01T00:30:00+02:00",
        "2026-01-01 10:00:00",
        "2026-01-01T10:00Z",
    ],
)
def test_a_date_in_json_is_the_one_that_is_written_whatever_its_offset(tmp_path: Path, value: str) -> None:
    assert json_days(tmp_path, f'"{value}"') == [("01-01T00", "01-02T00")]
    assert json_days(tmp_path, f'"{value}"', "null", '"2026-01-03"') == [
        ("01-01T00", "01-02T00"),
        ("01-03T00", "01-04T00"),
    ]


@pytest.mark.parametrize("value", ['"2026-1-1"', '" 2026-01-01"', '"2026-01-01x"', '"junk"', "20454"])
def test_a_date_in_json_that_is_written_in_another_way_may_be_any(tmp_path: Path, value: str) -> None:
    assert json_days(tmp_path, value) is None
