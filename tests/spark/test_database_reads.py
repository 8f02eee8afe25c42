"""Rows of a real PostgreSQL as frames: what the database filters, types, parallel reads, and what a pin holds."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
from tests.database import PASSWORD, USER, Database
from tests.spark.lake import Lake

from lamina.project.source import Connection, SourceTable
from lamina.values.batch import Pin
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.secret import Secret
from lamina.values.touch import Ranges, Touch
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.iceberg.tables import Tables
from lamina.warehouse.sources import jdbc, port

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

pytestmark = pytest.mark.spark


class Table:
    """One table of the server as a source."""

    def __init__(self, lake: Lake, database: Database, columns: str, **settings: Any) -> None:
        database.sql("DROP TABLE IF EXISTS t", f"CREATE TABLE t ({columns})")
        self.database = database
        self.session = lake.spark
        settings_of = lake.settings.replace(passwords={"PW": Secret(PASSWORD)})
        self.lake = port.Lake(settings_of, Tables(settings_of), lambda: lake.spark)
        connection = Connection(url=database.url, user=USER, password="PW")
        given: dict[str, Any] = {"load_time": "at", "is_inferred": True, "connection": connection, **settings}
        self.source: SourceTable = lake.add_source("shop.t", type="jdbc", location="public.t", **given)

    def insert(self, *rows: str) -> None:
        """Add rows."""
        self.database.sql(*(f"INSERT INTO t VALUES ({row})" for row in rows))

    def head(self, pin: Position | None = None) -> Position:
        """Return where the table is."""
        found = jdbc.head(self.source, self.lake, pin, ()).position
        assert found is not None
        return found

    def rows(self, position: Position, since: Position | None = None, where: str = "true") -> list[tuple[object, ...]]:
        """Return the rows at a pin."""
        return sorted(tuple(row) for row in self.frame(position, since).where(where).collect())

    def frame(self, position: Position, since: Position | None = None) -> "DataFrame":
        """Return a lazy frame of the rows at a pin."""
        pin = Pin(TableName("shop.t"), position, since)
        return jdbc.read(self.source, self.lake, self.session, pin, None).frame

    def change(self, since: Position, until: Position, *columns: str) -> Touch:
        """Return the one touch between two positions."""
        named = tuple(ColumnName(name) for name in columns)
        (touch,) = jdbc.changes(self.source, self.lake, since, columns=named, until=until)
        return touch

    def failure(self, position: Position) -> WarehouseFailure:
        """Return why a position is not as it was."""
        with pytest.raises(WarehouseFailure) as caught:
            jdbc.recheck(self.source, self.lake, position)
        return caught.value


def test_a_pin_holds_only_the_rows_up_to_its_load_time(lake: Lake, database: Database) -> None:
    table = Table(lake, database, "id int, at timestamptz")
    table.insert("1, '2026-04-07 10:00:00.000001Z'", "2, NULL")
    first = table.head()
    table.insert("3, '2026-04-07 10:00:00.000002Z'")
    second = table.head()

    assert [row[0] for row in table.rows(first)] == [1, 2]
    assert [row[0] for row in table.rows(second)] == [1, 2, 3]
    assert [row[0] for row in table.rows(second, since=first)] == [3]
    jdbc.recheck(table.source, table.lake, first)
    assert table.head(pin=first) == first

    table.insert("4, '2026-04-07 10:00:00.000002Z'")
    jdbc.recheck(table.source, table.lake, first)
    assert (table.failure(second).code, table.failure(second).kind) == ("L656", "conflict")
    assert table.head(pin=second) not in (first, second)


@pytest.mark.parametrize("kind", ["timestamptz", "timestamp"])
def test_rows_younger_than_the_safety_lag_are_left_for_later(lake: Lake, database: Database, kind: str) -> None:
    table = Table(lake, database, f"id int, at {kind}", safety_lag="1h")
    table.insert("1, now() AT TIME ZONE 'UTC' - interval '61 minutes'", "2, now() AT TIME ZONE 'UTC'")
    first = table.head()
    assert [row[0] for row in table.rows(first)] == [1]
    table.insert("3, now() AT TIME ZONE 'UTC' - interval '30 minutes'")
    jdbc.recheck(table.source, table.lake, first)
    assert table.head() == first


def test_a_row_that_comes_while_a_batch_reads_is_left_for_the_next_one(lake: Lake, database: Database) -> None:
    table = Table(lake, database, "id int, at int")
    lake.settings = table.lake.settings
    table.insert("1, 1")
    model = lake.add_model("mart.m", "SELECT id FROM shop.t", inputs=("shop.t",))
    pins = lake.pins(model)
    table.insert("2, 2")
    lake.build(model, pins=pins)
    assert lake.sql("SELECT id FROM lake.mart.m") == [(1,)]

    pins = lake.pins(model)
    staged = lake.stage(model, pins=pins)
    table.insert("3, 2")
    with pytest.raises(WarehouseFailure, match="not as many"):
        lake.publish(staged)
    assert lake.sql("SELECT id FROM lake.mart.m") == [(1,)]


def test_touched_times_are_those_of_the_new_rows(lake: Lake, database: Database) -> None:
    table = Table(lake, database, "id int, ts timestamptz, wall timestamp, day date, at bigint")
    table.insert("1, '2026-04-01Z', '2026-04-01', '2026-04-01', 1")
    first = table.head()
    table.insert("2, '2026-04-07 12:30:30+02', '2026-04-07 12:30:30', '2026-04-07', 2", "3, NULL, NULL, NULL, 3")
    touch = table.change(first, table.head(), "ts", "wall", "DAY", "id")

    assert (touch.is_append, touch.rows_added) == (True, 2)
    assert isinstance(touch.extent, Ranges)
    minute = [datetime(2026, 4, 7, hour, 30, tzinfo=UTC) for hour in (10, 12)]
    assert {item.column: item.ranges for item in touch.extent.columns} == {
        "ts": (Interval(minute[0], minute[0].replace(minute=31)),),
        "wall": (Interval(minute[1], minute[1].replace(minute=31)),),
        "DAY": (Interval(datetime(2026, 4, 7, tzinfo=UTC), datetime(2026, 4, 8, tzinfo=UTC)),),
    }
    table.database.sql(
        "INSERT INTO t SELECT g, timestamptz '2026-04-09Z' + g * interval '1 minute' FROM generate_series(1, 150) g"
    )
    table.database.sql("UPDATE t SET at = 4 WHERE at IS NULL AND ts IS NOT NULL")
    wider = table.change(first, table.head(), "ts").extent
    assert isinstance(wider, Ranges)
    (hours,) = [item.ranges for item in wider.columns]
    assert hours[-1] == Interval(datetime(2026, 4, 9, tzinfo=UTC), datetime(2026, 4, 9, 3, tzinfo=UTC))


def test_the_database_does_the_filtering(lake: Lake, database: Database) -> None:
    table = Table(
        lake, database, "id int, ts timestamptz, wall timestamp, at int", partition_column="ID", num_partitions=4
    )
    table.database.sql(
        "INSERT INTO t SELECT g, timestamptz '2026-04-07Z' + g * interval '1 hour', "
        "timestamp '2026-04-07' + g * interval '1 hour', g FROM generate_series(0, 99) g"
    )
    position = table.head()
    ranged = "ts >= TIMESTAMP '2026-04-08 00:00:00' AND ts < TIMESTAMP '2026-04-08 02:00:00'"
    frame = table.frame(position).where(ranged).select("id")

    plan = frame._jdf.queryExecution().executedPlan().toString()
    assert "PushedFilters: [*IsNotNull(ts), *GreaterThanOrEqual(ts," in plan
    assert "ReadSchema: struct<id:int>" in plan
    assert PASSWORD not in frame._jdf.queryExecution().toString()
    assert frame.rdd.getNumPartitions() == 4
    assert sorted(row[0] for row in frame.collect()) == [24, 25]
    walls = table.frame(position).where("wall = TIMESTAMP_NTZ '2026-04-08 01:00:00'")
    assert "*EqualTo(wall," in walls._jdf.queryExecution().executedPlan().toString()
    assert [row["id"] for row in walls.collect()] == [25]
    assert len(table.rows(position)) == 100


def test_types_are_those_of_the_database_and_must_be_as_declared(lake: Lake, database: Database) -> None:
    columns = "a smallint, b bigint, c numeric(8,2), d text, e date, f timestamptz, at timestamp, g boolean, h float8"
    table = Table(lake, database, columns)
    found = {item.name: item.type for item in jdbc.head(table.source, table.lake, None, ()).columns}
    assert " ".join(found.values()) == "smallint bigint decimal(8,2) string date timestamp timestamp_ntz boolean double"

    for declared, words in (("a int, at timestamp_ntz", "declared as int and is smallint"), ("z int", "no column `z`")):
        other = Table(lake, database, columns).source
        source = lake.add_source(
            "shop.u", columns=declared, type="jdbc", location="public.t", connection=other.connection
        )
        with pytest.raises(WarehouseFailure, match=words) as caught:
            jdbc.head(source, table.lake, None, ())
        assert (caught.value.code, caught.value.kind) == ("L655", "data_rejected")
    with pytest.raises(WarehouseFailure, match="whose type is string"):
        jdbc.head(table.source.replace(load_time="d"), table.lake, None, ())


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"location": "public.gone"}, "not_found", "no table `public.gone`"),
        ({"url": "jdbc:postgresql://127.0.0.1:1/postgres"}, "connection_failed", "cannot be reached"),
        ({"url": "/gone"}, "not_found", "no such database"),
        ({"user": "nobody"}, "auth_failed", "refused user `nobody`"),
        ({"password": "UNSET"}, "auth_failed", "refused user"),
    ],
)
def test_a_database_that_refuses_says_why(
    lake: Lake, database: Database, change: dict[str, str], kind: str, words: str
) -> None:
    table = Table(lake, database, "id int, at int")
    location, connection = change.pop("location", "public.t"), table.source.connection
    assert connection is not None
    if change.get("url", "").startswith("/"):
        change = {"url": database.url.replace("/postgres", change["url"])}
    source = table.source.replace(location=location, connection=connection.replace(**change))
    with pytest.raises(WarehouseFailure, match=words) as caught:
        jdbc.head(source, table.lake, None, ())
    assert (caught.value.kind, caught.value.code) == (kind, "L654")
    assert PASSWORD not in f"{caught.value.message} {caught.value.hint}"
