"""A slice inside a coarser layout is replaced exactly, and only the files it lies in are written again."""

import pytest
from tests.spark.lake import Lake, day

from lamina.compiler.graph import CompiledModel
from lamina.project.strategy import TimeInterval
from lamina.values.batch import Staged
from lamina.values.interval import Interval
from lamina.values.names import ColumnName
from lamina.warehouse.failure import WarehouseFailure

pytestmark = pytest.mark.spark

EVENTS = "id bigint, day date, tags map<string,int>"


QUERY = """
SELECT id, day, map('a', CAST(id AS INT)) AS tags FROM raw.events WHERE day >= @start_date AND day < @end_date
"""


def events(lake: Lake, *layout: str, query: str = QUERY) -> CompiledModel:
    """Return a daily model over a list of events, in a layout whose files hold many days."""
    if not lake.graph.sources:
        lake.add_source("raw.events", columns="id bigint, day date", format="csv")
    return lake.add_model(
        "sales.events",
        query,
        inputs=("raw.events",),
        columns=EVENTS,
        strategy=TimeInterval(time_column=ColumnName("day")),
        partitioned_by=layout,
    )


def write(lake: Lake, rows: dict[str, list[int]]) -> None:
    """Put events in the place of all others: numbers by day."""
    lines = [f"{number},{day}" for day, numbers in rows.items() for number in numbers]
    lake.write_csv("raw/events/a.csv", "\n".join(["id,day", *lines]) + "\n")


def files(lake: Lake) -> set[str]:
    return {row[0] for row in lake.sql("SELECT file_path FROM lake.sales.events.files")}


def rows(lake: Lake) -> list[tuple[int, str]]:
    return [(row[0], str(row[1])) for row in lake.sql("SELECT id, day FROM lake.sales.events ORDER BY id, day")]


def rebuild(lake: Lake, model: CompiledModel, *slices: Interval) -> Staged:
    return lake.build(model, "replace_slices", slices=slices)


def test_a_new_day_inside_a_month_rewrites_nothing(lake: Lake) -> None:
    model = events(lake, "months(day)")
    write(lake, {"2026-01-05": [1], "2026-02-05": [2], "2026-02-06": [3]})
    rebuild(lake, model, day(5), day(5, month=2))
    before = files(lake)

    staged = rebuild(lake, model, day(6, month=2))

    assert before < files(lake)
    assert rows(lake) == [(1, "2026-01-05"), (2, "2026-02-05"), (3, "2026-02-06")]
    assert (staged.counts.inserted, staged.counts.deleted) == (1, 0)


def test_a_late_day_rewrites_the_files_of_its_month_only(lake: Lake) -> None:
    model = events(lake, "months(day)")
    write(lake, {"2026-01-05": [1], "2026-02-05": [2, 3], "2026-02-06": [4]})
    rebuild(lake, model, day(5), Interval(day(5, month=2).start, day(6, month=2).end))
    january = {path for path in files(lake) if "2026-01" in path}
    write(lake, {"2026-02-05": [20, 21, 22]})

    staged = rebuild(lake, model, day(5, month=2))

    assert {path for path in files(lake) if "2026-01" in path} == january
    assert [number for number, _ in rows(lake)] == [1, 4, 20, 21, 22]
    counts = staged.counts
    assert (counts.written, counts.inserted, counts.replaced, counts.deleted) == (3, 3, 0, 2)


def test_several_days_of_a_batch_are_replaced_also_by_nothing(lake: Lake) -> None:
    model = events(lake, "months(day)")
    write(lake, {f"2026-01-0{number}": [number] for number in range(1, 7)})
    rebuild(lake, model, Interval(day(1).start, day(6).end))
    write(lake, {"2026-01-05": [50]})

    staged = rebuild(lake, model, day(2), day(5))

    assert [number for number, _ in rows(lake)] == [1, 3, 4, 6, 50]
    assert (staged.counts.inserted, staged.counts.deleted) == (1, 2)


@pytest.mark.parametrize("layout", [(), ("years(day)",), ("bucket(2, id)",), ("truncate(10, id)", "months(day)")])
def test_every_layout_keeps_the_rows_around_the_slice(lake: Lake, layout: tuple[str, ...]) -> None:
    model = events(lake, *layout)
    write(lake, {f"2026-01-0{number}": [number, 10 * number] for number in range(1, 5)})
    rebuild(lake, model, Interval(day(1).start, day(4).end))
    write(lake, {"2026-01-02": [7, 8], "2026-01-03": [9]})

    rebuild(lake, model, Interval(day(2).start, day(3).end))

    assert [number for number, _ in rows(lake)] == [1, 4, 7, 8, 9, 10, 40]


def test_files_of_an_older_layout_and_rows_without_a_time_are_kept(lake: Lake) -> None:
    model = events(lake)
    write(lake, {"2026-01-31": [1], "2026-02-01": [2], "2026-02-02": [3]})
    rebuild(lake, model, Interval(day(30).start, day(2, month=2).end))
    lake.sql("INSERT INTO lake.sales.events VALUES (9, NULL, NULL)")
    lake.sql("ALTER TABLE lake.sales.events ADD PARTITION FIELD months(day)")
    write(lake, {"2026-02-01": [20]})

    staged = rebuild(lake, model, day(1, month=2))

    assert rows(lake) == [(1, "2026-01-31"), (3, "2026-02-02"), (9, "None"), (20, "2026-02-01")]
    assert (staged.counts.inserted, staged.counts.deleted) == (1, 1)


def test_a_row_outside_the_batch_is_refused_inside_a_month_too(lake: Lake) -> None:
    model = events(lake, "months(day)")
    write(lake, {"2026-01-05": [1]})
    rebuild(lake, model, day(5))
    stray = events(
        lake, "months(day)", query="SELECT id, DATE '2026-01-20' AS day, map('a', 1) AS tags FROM raw.events"
    )

    with pytest.raises(WarehouseFailure, match="outside the batch"):
        lake.stage(stray, "replace_slices", slices=(day(6),))

    assert [number for number, _ in rows(lake)] == [1]


def test_the_mark_is_in_the_snapshot_of_a_replaced_range(lake: Lake) -> None:
    model = events(lake, "months(day)")
    write(lake, {"2026-01-05": [1], "2026-01-06": [2]})
    rebuild(lake, model, day(5))

    staged = rebuild(lake, model, day(6))

    (summary,) = lake.sql(
        f"SELECT summary['lamina.mark'] FROM lake.sales.events.snapshots WHERE snapshot_id = {staged.position}"
    )
    assert staged.batch.commit in summary[0]
    key = "spark.sql.optimizer.runtime.rowLevelOperationGroupFilter.enabled"
    assert lake.spark.conf.get(key) == "true", "the session is left as it was"
