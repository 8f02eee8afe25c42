"""Files that a batch cannot see are left out, and no others."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Literal

import pyarrow
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.planner.parameters import parameter_values
from lamina.project.model import ModelSettings
from lamina.project.source import SourceTable
from lamina.project.strategy import TimeInterval
from lamina.values.grid import Grid, Unit, floor_unit, next_unit
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Fingerprint, ModelName, SourceName, TableName
from lamina.values.schema import Column, DataType, Schema
from lamina.values.touch import ColumnRanges
from lamina.warehouse.files.manifest import FileEntry, HeldFile, Manifest
from lamina.warehouse.files.needed_files import needed_files
from lamina.warehouse.files.time_ranges import ranges_of

AT = ColumnName("at")
RAW = TableName("raw.events")
FIRST = datetime(2026, 3, 20, tzinfo=UTC)
THIRD = Interval(FIRST + timedelta(days=2), FIRST + timedelta(days=3))


def schema(**kinds: str) -> Schema:
    return tuple(Column(name=ColumnName(name), type=DataType(kind)) for name, kind in kinds.items())


def source(**fields: Any) -> SourceTable:
    given: dict[str, Any] = {"columns": schema(at="timestamp"), "format": "parquet", **fields}
    return SourceTable(name=SourceName(RAW), type="files", location="raw", **given)


def model(
    *, use: dict[str, Any] | None = None, kind: str = "timestamp", parameters: tuple[str, ...] = (), **fields: Any
) -> CompiledModel:
    reader = InputUse(name=RAW, is_model=False, read_set=None, filter_column=AT).replace(**(use or {}))
    settings = {"strategy": TimeInterval(time_column=AT), **fields}
    return CompiledModel(
        name=ModelName("mart.events"),
        kind=settings.pop("written_in", "sql"),
        path="models/mart/events.sql",
        text="",
        settings=ModelSettings(**settings),
        target=TableName("mart.events"),
        layer=0,
        depends_on=(RAW,),
        inputs=(reader,),
        columns=schema(at=kind),
        lineage=(),
        fingerprint=Fingerprint("f"),
        reads_parameters=parameters,
    )


def file(name: str, *spans: Interval | None) -> HeldFile:
    """Return a file that holds some times; None: it is not known."""
    known = [span for span in spans if span is not None]
    held = () if len(known) < len(spans) else (ColumnRanges(column=AT, ranges=tuple(known)),)
    return HeldFile(file=FileEntry(path=name, size=1, modified_ns=1), held=held)


def day(number: int) -> Interval:
    return Interval(FIRST + timedelta(days=number), FIRST + timedelta(days=number + 1))


DAYS = tuple(file(f"{number}.parquet", day(number)) for number in range(5))


def names(reader: CompiledModel, table: SourceTable, files: tuple[HeldFile, ...] = DAYS) -> list[str]:
    found = needed_files(reader, table, Manifest(source=RAW, files=files, asked=(AT,)), span=THIRD)
    return [entry.path for entry in found]


def test_only_files_with_times_of_the_slices_are_read() -> None:
    assert names(model(), source()) == ["2.parquet"]


def test_a_declared_window_reads_further_back() -> None:
    assert names(model(use={"reach_seconds": 86400}), source()) == ["1.parquet", "2.parquet"]


def test_a_declared_window_reads_further_ahead() -> None:
    assert names(model(use={"after_seconds": 86400}), source()) == ["2.parquet", "3.parquet"]


def test_a_file_whose_times_are_not_known_is_always_read() -> None:
    files = (*DAYS, file("unknown.parquet", None), file("empty.parquet"))
    assert names(model(), source(), files) == ["2.parquet", "unknown.parquet"]


def test_where_no_file_is_needed_one_is_read_for_its_columns() -> None:
    assert names(model(), source(), DAYS[:2]) == ["0.parquet"]
    assert names(model(), source(), ()) == []


@pytest.mark.parametrize(
    "reader",
    [
        model(use={"filter_column": None}),
        model(use={"on_touch": "keep"}),
        model(use={"name": TableName("raw.others")}),
        model(written_in="python"),
        model(allow=("L415",)),
        model(strategy=TimeInterval(time_column=AT, batch_size=1)),
    ],
    ids=["no filter", "kept as it is", "not an input", "Python", "allowed findings", "one slice a batch"],
)
def test_what_is_not_proven_reads_all_files(reader: CompiledModel) -> None:
    assert len(names(reader, source())) == 5


@pytest.mark.parametrize(
    "table",
    [
        source(columns=()),
        source(columns=schema(at="timestamp", other="unknown")),
        source(columns=schema(at="string")),
        source(format="csv", columns=schema(at="timestamp_ntz")),
        source(format="orc"),
        source(format="avro"),
    ],
    ids=["no columns", "unknown type", "text", "text without zone", "orc", "avro"],
)
def test_what_spark_may_read_otherwise_reads_all_files(table: SourceTable) -> None:
    assert len(names(model(), table)) == 5


def test_folders_that_are_no_declared_column_read_all_files() -> None:
    files = tuple(file(f"region={number}/a.parquet", day(number)) for number in range(5))
    assert len(names(model(), source(), files)) == 5
    assert names(model(), source(columns=schema(at="timestamp", region="int")), files) == ["region=2/a.parquet"]


Time = date | datetime
UNITS: tuple[Unit, ...] = ("15 minutes", "hour", "day", "week", "month")
ZONES = ("UTC", "Europe/Stockholm", "America/New_York", "Asia/Kolkata", "Pacific/Kiritimati")
TIMES = st.integers(0, 40 * 96).map(lambda quarters: FIRST + timedelta(minutes=15 * quarters))


@st.composite
def times(draw: st.DrawFn, kind: Literal["date", "timestamp"]) -> list[Time | None]:
    """Draw the values of one file: some neighbours, or far apart, with nulls."""
    start = draw(TIMES)
    far = draw(st.lists(TIMES | st.none(), max_size=3))
    near = [start + timedelta(minutes=draw(st.integers(0, 2000))) for _ in range(draw(st.integers(0, 3)))]
    values = [*far, *near]
    return [None if value is None else value.date() if kind == "date" else value for value in values]


def held(name: str, values: list[Time | None], kind: str) -> HeldFile:
    arrow = pyarrow.date32() if kind == "date" else pyarrow.timestamp("us", tz="UTC")
    ranges = ranges_of(pyarrow.chunked_array([pyarrow.array(values, arrow)]))
    assert ranges is not None
    return file(name, *ranges)


def instant(value: Time) -> datetime:
    """Compare as Spark does: a date is its midnight in the session's zone, which is UTC."""
    return value if isinstance(value, datetime) else datetime.combine(value, time(), tzinfo=UTC)


def bounds(reader: CompiledModel, span: Interval, *, are_instants: bool) -> tuple[datetime, datetime]:
    """Return the bounds of a batch as the query gets them."""
    values = parameter_values(reader, {}, span=span)
    found = [values[f"{side}_{'ts' if are_instants else 'date'}"].value for side in ("start", "end")]
    start, end = (datetime.fromisoformat(value).replace(tzinfo=UTC) for value in found)
    return start, end


@given(data=st.data())
def test_no_row_that_a_query_can_see_is_left_out(data: st.DataObject) -> None:
    kind: Literal["date", "timestamp"] = data.draw(st.sampled_from(["date", "timestamp"]))
    result = data.draw(st.sampled_from(["date", "timestamp"]))
    unit = data.draw(st.sampled_from([item for item in UNITS if result == "timestamp" or item in UNITS[2:]]))
    zone = data.draw(st.sampled_from(ZONES))
    window, ahead = (data.draw(st.sampled_from([0, 900, 3600, 3 * 86400])) for _ in range(2))
    are_instants = data.draw(st.booleans())
    # Days of a zone do not begin at midnight in UTC: instants that are compared with them are refused (L414).
    assume(are_instants or zone == "UTC" or (kind, result) != ("timestamp", "date"))
    assume(zone == "UTC" or kind != "date" or (result == "date" and not are_instants))
    reader = model(
        use={"reach_seconds": window, "after_seconds": ahead, "filters_dates": kind == "date"},
        kind=result,
        parameters=("start_ts", "end_ts") if are_instants else ("start_date", "end_date"),
        strategy=TimeInterval(time_column=AT, granularity=unit),
        timezone=zone,
    )
    grid = Grid(unit, zone)
    start = end = floor_unit(grid, data.draw(TIMES))
    for _ in range(data.draw(st.integers(1, 3))):
        end = next_unit(grid, end)
    files = data.draw(st.lists(times(kind), max_size=6))
    manifest = Manifest(
        source=RAW, files=tuple(held(f"{number}", values, kind) for number, values in enumerate(files)), asked=(AT,)
    )

    kept = {
        entry.path
        for entry in needed_files(reader, source(columns=schema(at=kind)), manifest, span=Interval(start, end))
    }

    first, last = bounds(reader, Interval(start, end), are_instants=are_instants)
    for number, values in enumerate(files):
        seen = [value for value in values if value is not None]
        if any(first - timedelta(seconds=window) <= instant(value) < last + timedelta(seconds=ahead) for value in seen):
            assert str(number) in kept
