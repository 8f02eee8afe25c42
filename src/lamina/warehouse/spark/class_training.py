"""What a run does to sources and tables, once each: the classes this loads are what the archive of classes holds.

The archive is named by this file's content, so that another training makes another archive.
"""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lamina.project.source import SourceTable
from lamina.strategies.traits import Upsert
from lamina.values.batch import DiffQuestion
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Position, SourceName, TableName
from lamina.values.schema import Column, DataType
from lamina.warehouse.files import manifest
from lamina.warehouse.iceberg.tables import Tables
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.sources.file_frames import read_files
from lamina.warehouse.sources.table_frames import read_snapshot
from lamina.warehouse.spark import writes
from lamina.warehouse.spark.diff import diff_sides, of_versions
from lamina.warehouse.spark.ranges import time_ranges

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_COLUMNS = tuple(
    Column(name=ColumnName(name), type=DataType(kind))
    for name, kind in {"k": "bigint", "d": "date", "v": "string"}.items()
)
_FIRST = time_ranges(
    "d", "date", (Interval(datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC)),), zone="UTC"
)

_CREATE = (
    "CREATE NAMESPACE lake.a",
    "CREATE TABLE lake.a.t (k BIGINT, d DATE, v STRING) USING iceberg PARTITIONED BY (days(d))",
    "CREATE TABLE lake.a.m (k BIGINT, d DATE, v STRING) USING iceberg PARTITIONED BY (months(d))",
)
_QUERIES = (
    "SELECT d, count(*), count(DISTINCT v), sum(k), avg(k), max(v) FROM lake.a.t GROUP BY d ORDER BY d",
    "SELECT l.k, r.v FROM lake.a.t AS l LEFT JOIN lake.a.m AS r ON l.k = r.k WHERE l.d >= DATE '2026-01-01'",
    "SELECT *, row_number() OVER (PARTITION BY d ORDER BY k) AS n FROM lake.a.t",
    "SELECT CAST(d AS TIMESTAMP), CASE WHEN k > 1 THEN upper(v) END, CAST(k AS DECIMAL(12, 2)) FROM lake.a.t",
    "SELECT v FROM lake.a.t UNION SELECT v FROM lake.a.m",
)


def train(session: "SparkSession", settings: WarehouseSettings) -> None:
    """Read, write, merge and compare a few rows in every way a run does."""
    for statement in _CREATE:
        session.sql(statement).collect()
    for rows in _sources(session, settings):
        writes.append(writes.conform(rows, _COLUMNS), "lake.a.t", {"lamina.x": "y"})
    seed = session.createDataFrame([("7", "2026-01-01", "s")], "k string, d string, v string")
    rows = writes.guard_range(writes.conform(seed, _COLUMNS), _FIRST)
    writes.overwrite_range(rows, "lake.a.t", {"lamina.x": "y"}, ranges=_FIRST)
    for _ in range(2):
        writes.replace_range(session, rows, "lake.a.m", {"lamina.x": "y"}, ranges=_FIRST)
    upsert = Upsert(key=(ColumnName("k"),), order_by=(ColumnName("v"),))
    writes.merge_all(session, rows, "lake.a.m", {"lamina.x": "y"}, upsert=upsert)
    writes.overwrite_all(rows, "lake.a.m", {"lamina.x": "y"})
    for query in _QUERIES:
        session.sql(query).collect()
    _compare(session, settings)
    session.sql("ALTER TABLE lake.a.t ADD COLUMNS (w INT)").collect()


def _sources(session: "SparkSession", settings: WarehouseSettings) -> "tuple[DataFrame, ...]":
    """Write a file of each kind and return them as a run reads them."""
    rows = session.range(5).selectExpr("id AS k", "DATE '2026-01-01' AS d", "concat('v', id) AS v")
    rows.write.parquet(f"{settings.root}/parquet")
    for name, text in {"csv": "k,d,v\n1,2026-01-01,a\n", "json": '{"k":1,"d":"2026-01-01","v":"a"}\n'}.items():
        folder = Path(settings.root, name)
        folder.mkdir()
        (folder / f"a.{name}").write_text(text)
    sources = (
        SourceTable(name=SourceName(f"raw.{name}"), type="files", location=name, format=name, columns=_COLUMNS)
        for name in ("parquet", "csv", "json")
    )
    return tuple(
        read_files(session, settings, source, entries=manifest.list_files(source, manifest.locate(settings, source)))
        for source in sources
    )


def _compare(session: "SparkSession", settings: WarehouseSettings) -> None:
    """Compare two versions of a table, and read what was added between them."""
    tables = Tables(settings)
    metadata = tables.metadata(TableName("a.t"))
    tables.close()
    last = metadata.position or Position("")
    first = next(item.position for item in metadata.snapshots.values() if item.parent is None)
    old, new = (read_snapshot(session, "lake.a.t", position) for position in (first, last))
    by_day = DiffQuestion(columns=None, filter_column=ColumnName("d"), unit="day")
    for questions in ((), (by_day,)):
        diff_sides(of_versions(old, new), questions, before=_COLUMNS, after=_COLUMNS)
