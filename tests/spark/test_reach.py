"""A slice opens only the files of its inputs that hold rows in its reach, also where the window is in a join."""

import re
from datetime import date

import pytest
from tests.spark.lake import Lake, day

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.project.strategy import TimeInterval
from lamina.values.batch import Batch
from lamina.values.names import ColumnName, CommitId, TableName
from lamina.values.plan import Mode
from lamina.warehouse.iceberg.tables import Tables
from lamina.warehouse.sources import port
from lamina.warehouse.spark.frame import Frames

pytestmark = pytest.mark.spark

DAYS = "SELECT day, 1 AS n FROM VALUES (DATE '2026-01-01'), (DATE '2026-01-02'), (DATE '2026-01-04') AS v(day)"
WEEKLY = """SELECT d.day, sum(w.n) AS n FROM i.daily AS d JOIN i.daily AS w
ON w.day >= d.day - INTERVAL 1 DAY AND w.day <= d.day WHERE d.day >= @start_date AND d.day < @end_date GROUP BY d.day"""


def weekly(lake: Lake) -> CompiledModel:
    """Return a model that reads a day and the one before it, over a table of three days."""
    lake.build(lake.add_model("i.daily", DAYS, columns="day date, n int", partitioned_by=("day",)))
    use = InputUse(
        name=TableName("i.daily"),
        is_model=True,
        read_set=None,
        filter_column=ColumnName("day"),
        filters_dates=True,
        reach_seconds=86_400,
    )
    return lake.add_model(
        "i.weekly",
        WEEKLY,
        inputs=("i.daily",),
        columns="day date, n bigint",
        strategy=TimeInterval(time_column=ColumnName("day")),
        uses=(use,),
    )


def read(lake: Lake, model: CompiledModel, mode: Mode) -> tuple[list[tuple[object, ...]], list[str]]:
    """Return the rows of the batch of the fourth, and the filters of each scan of its input."""
    frames = Frames(lake.spark, lake=port.Lake(lake.settings, Tables(lake.settings)), graph=lake.graph)
    pins = lake.pins(model)
    batch = Batch(
        commit=CommitId("c"), model=model.name, mode=mode, slices=(day(4),), pins=pins, base=None, parameters={}
    )
    frame = frames.result(model, batch)
    rows = [tuple(row) for row in frame.collect()]
    plan = frame._jdf.queryExecution().executedPlan().toString()  # PySpark itself only prints a plan
    frames.close()
    return rows, re.findall(r"filters=([^\]]*?), runtimeFilters", plan)


def test_each_scan_of_a_slice_is_bounded_by_its_reach(lake: Lake) -> None:
    rows, scans = read(lake, weekly(lake), "replace_slices")

    first, end = ((date(2026, 1, number) - date(1970, 1, 1)).days for number in (3, 5))
    assert rows == [(date(2026, 1, 4), 1)]
    assert len(scans) >= 2
    assert all(f"day >= {first}" in scan and f"day < {end}" in scan for scan in scans), scans


def test_recompute_reads_rows_outside_of_the_reach_too(lake: Lake) -> None:
    rows, scans = read(lake, weekly(lake), "replace_all")

    assert rows == [(date(2026, 1, 4), 1)]
    assert not all("day <" in scan for scan in scans), scans
