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
