"""Times of ORC files: what files are said to hold is what Spark reads of them; a late row touches its own day."""

from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import orc
from tests.spark.lake import Lake, day

from lamina.values.interval import intersect
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.touch import Ranges

pytestmark = pytest.mark.spark

AT, DAY = ColumnName("at"), ColumnName("day")


def write(folder: Path, name: str, *moments: datetime) -> None:
    """Write a file with times without a zone: Spark cannot read others."""
    path = folder / "raw" / "events" / f"{name}.orc"
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = [moment.replace(tzinfo=None) for moment in moments]
    days = pa.array([date(item.year, item.month, item.day) for item in moments])
    table = pa.table({"at": pa.array(plain, pa.timestamp("us")), "day": days})
    orc.write_table(table, path)


@pytest.mark.parametrize("writer", ["pyarrow", "spark"])
def test_a_new_changed_and_removed_file_touches_the_days_that_spark_reads_in_it(lake: Lake, writer: str) -> None:
    first, late = (datetime(2026, 1, number, hour, 30, tzinfo=UTC) for number, hour in ((1, 0), (3, 23)))
    write(lake.folder, "a", first)
    source = lake.add_source("raw.events", columns="at timestamp, day date", format="orc", time_column=AT)
    lake.add_model("s.e", "SELECT at FROM raw.events", inputs=("raw.events",), columns="at timestamp")
    since = _position(lake)
    if writer == "pyarrow":
        write(lake.folder, "b", late)
    else:
        rows = lake.spark.sql("SELECT TIMESTAMP'2026-01-03 23:30:00' AS at, DATE'2026-01-03' AS day")
        rows.coalesce(1).write.mode("overwrite").orc(str(lake.folder / "raw" / "events" / "part"))
    assert _read(lake) == [first.replace(tzinfo=None), late.replace(tzinfo=None)]
    now = _position(lake)
    (added,) = lake.warehouse.changes(source, since, columns=(AT, DAY), until=now)
    assert isinstance(added.extent, Ranges)
    for known in added.extent.columns:
        assert [number for number in range(1, 5) if intersect(known.ranges, (day(number),))] == [3], known
    assert {known.column for known in added.extent.columns} == {AT, DAY}
    assert added.is_append
    (lake.folder / "raw" / "events" / "a.orc").unlink()
    (removed,) = lake.warehouse.changes(source, now, columns=(AT, DAY), until=_position(lake))
    assert isinstance(removed.extent, Ranges)
    for known in removed.extent.columns:
        assert [number for number in range(1, 5) if intersect(known.ranges, (day(number),))] == [1], known


def _position(lake: Lake) -> Position:
    return lake.warehouse.source_heads(lake.graph.sources)[TableName("raw.events")].position or Position("")


def _read(lake: Lake) -> list[datetime]:
    model = lake.graph.models[0]
    lake.build(model)
    return sorted(row[0] for row in lake.sql("SELECT CAST(at AS TIMESTAMP_NTZ) FROM lake.s.e"))
