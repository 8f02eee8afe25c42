"""A folder of raw files, and what is detected in it."""

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal

import pyarrow
import pyarrow.parquet

from lamina.project.source import SourceTable
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Position, SourceName
from lamina.values.touch import ColumnRanges, Ranges, Touch
from lamina.warehouse.files.detect_files import file_changes, file_head
from lamina.warehouse.settings import WarehouseSettings

TS = ColumnName("ts")


def source(format: Literal["parquet", "csv", "json"] = "parquet", **fields: Any) -> SourceTable:
    return SourceTable(name=SourceName("raw.orders"), type="files", location="raw", format=format, **fields)


def instant(day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(2026, 1, day, hour, minute, tzinfo=UTC)


def after(last: datetime) -> datetime:
    return last.replace(microsecond=1)


def write(settings: WarehouseSettings, name: str, *times: datetime | date) -> None:
    path = Path(settings.root, "raw", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pyarrow.table({"ts": list(times), "n": list(range(len(times)))})
    pyarrow.parquet.write_table(table, path)


def text(settings: WarehouseSettings, name: str, content: str) -> None:
    path = Path(settings.root, "raw", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def head(settings: WarehouseSettings, table: SourceTable) -> Position:
    position = file_head(settings, table, columns=(TS,)).position
    assert position is not None
    return position


def changes(settings: WarehouseSettings, table: SourceTable, since: Position) -> Touch:
    (touch,) = file_changes(settings, table, since, until=head(settings, table), columns=(TS,))
    return touch


def ranges(*spans: tuple[datetime, datetime]) -> Ranges:
    return Ranges(columns=(ColumnRanges(column=TS, ranges=tuple(Interval(*span) for span in spans)),))
