"""The history of a snapshot in Spark is what the pure fold gives, for hundreds of random keys at once."""

from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.spark.lake import Lake

from lamina.project.strategy import SnapshotHistory
from lamina.strategies.traits import VALIDITY, Versions
from lamina.strategies.version_fold import Folded, Seen, Version, fold_by_check, fold_by_time
from lamina.values.interval import WHOLE
from lamina.values.names import ColumnName
from lamina.values.schema import Column, DataType
from lamina.warehouse.rejected_versions import AmbiguousVersions, UndatedVersions
from lamina.warehouse.spark.drift import KeptRowsCollide
from lamina.warehouse.spark.version_events import Fold
from lamina.warehouse.spark.version_history import VersionHistory, fold_history

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
GIVEN = (
    Column(ColumnName("id"), DataType("int")),
    Column(ColumnName("part"), DataType("string")),
    Column(ColumnName("seen"), DataType("timestamp")),
    Column(ColumnName("v"), DataType("double")),
    Column(ColumnName("tags"), DataType("map<string,int>")),
)
KEY = (ColumnName("id"), ColumnName("part"))
TIMED = Versions(key=KEY, updated_at=ColumnName("seen"))
CHECKED = Versions(key=KEY, checked=(ColumnName("v"), ColumnName("tags")))
KEYS = [(number if number % 7 else None, "x" if number % 3 else None) for number in range(200)]


def hour(number: int) -> datetime:
    return BEGIN + timedelta(hours=number)


def values(random: Random, at: datetime) -> tuple[Any, ...]:
    return at, random.choice((0.0, 1.5, None)), random.choice((None, (("a", 1),)))


def look(random: Random, versions: Versions) -> list[Seen]:
    """Return what one look at a source finds: some keys are not there, others have several versions."""
    found: list[Seen] = []
    for key in dict.fromkeys(KEYS):
        times = random.sample(range(8), random.choice((0, 1, 1, 2, 3)))
        if versions.updated_at is None:
            found += [Seen(key, values(random, hour(0))) for _ in times[:1]]
        else:
            found += [Seen(key, values(random, hour(at)), hour(at)) for at in times]
        if found and random.random() < 0.1:
            found.append(found[-1])
    return found


def folded(versions: Versions, table: tuple[Version, ...], seen: list[Seen], at: datetime) -> Folded:
    if versions.updated_at is not None:
        return fold_by_time(table, seen, at)
    return fold_by_check(table, seen, at, checked=lambda cells: cells[1:])


def frame_of(session: "SparkSession", rows: list[tuple[Any, ...]], columns: tuple[Column, ...]) -> "DataFrame":
    shown = [tuple(dict(cell) if isinstance(cell, tuple) else cell for cell in row) for row in rows]
    return session.createDataFrame(shown, ", ".join(f"{item.name} {item.type}" for item in columns))


def table_of(session: "SparkSession", rows: tuple[Version, ...]) -> "DataFrame":
    cells = [(*row.key, *row.values, row.valid_from, row.valid_to) for row in rows]
    return frame_of(session, cells, (*GIVEN, *VALIDITY))


def collected(frame: "DataFrame") -> set[tuple[Any, ...]]:
    rows = ([*row] for row in frame.collect())
    return {tuple(_plain(cell) for cell in row) for row in rows}


def _plain(cell: Any) -> Any:
    if isinstance(cell, dict):
        return tuple(sorted(cell.items()))
    return cell.astimezone(UTC) if isinstance(cell, datetime) else cell


def history(session: "SparkSession", versions: Versions, table: Any, rows: list[Any], at: datetime) -> VersionHistory:
    fold = Fold(model="m.t", versions=versions, columns=(*GIVEN, *VALIDITY), at=at)
    return fold_history(fold, table, frame_of(session, rows, GIVEN))


@pytest.mark.parametrize("versions", [TIMED, CHECKED], ids=["updated_at", "check_columns"])
def test_random_histories_are_what_the_pure_fold_gives(spark: "SparkSession", versions: Versions) -> None:
    seed = Random().randrange(10**9)
    random = Random(seed)
    rows: tuple[Version, ...] = ()
    for number in (2, 4, 4, 6, 5):
        rows = folded(versions, rows, look(random, versions), hour(number)).rows
    seen, at = look(random, versions), hour(random.choice((1, 7)))
    expected = folded(versions, rows, seen, at)

    given = [(*row.key, *row.values) for row in seen]
    found = history(spark, versions, table_of(spark, rows), given, at)

    wanted: set[tuple[Any, ...]] = {(*row.key, *row.values, row.valid_from, row.valid_to) for row in expected.rows}
    assert collected(found.rows()) == wanted, f"seed {seed}"
    for name in ("inserted", "replaced", "reopened", "unchanged", "duplicate", "closed", "deleted"):
        assert getattr(found.counts, name) == getattr(expected.counts, name), f"{name}, seed {seed}"
    assert found.retained == expected.retained, f"seed {seed}"
    before: set[tuple[Any, ...]] = {(*row.key, *row.values, row.valid_from, row.valid_to) for row in rows}
    changes = collected(found.changes())
    assert {row[:-1] for row in changes if not row[-1]} == wanted - before, f"seed {seed}"
    gone = {(*row[:2], row[-3]) for row in changes if row[-1]}
    keys = {(*row[:2], row[-2]) for row in wanted}
    assert gone == {(*row[:2], row[-2]) for row in before} - keys, f"seed {seed}"


def test_rows_without_one_place_are_refused_with_their_keys(spark: "SparkSession") -> None:
    row = (1, None, hour(1), 1.0, {"a": 1})
    with pytest.raises(AmbiguousVersions, match="id = 1, part = NULL"):
        history(spark, TIMED, None, [row, (1, None, hour(1), 1.0, {"a": 2})], hour(5))
    with pytest.raises(AmbiguousVersions, match="the same key:"):
        history(spark, CHECKED, None, [row, (1, None, hour(2), 1.0, {"a": 1})], hour(5))
    with pytest.raises(UndatedVersions, match="`seen` is null"):
        history(spark, TIMED, None, [(1, None, None, 1.0, None)], hour(5))
    assert history(spark, TIMED, None, [row, row], hour(5)).counts.duplicate == 1


def test_a_table_with_two_rows_of_one_time_is_refused(spark: "SparkSession") -> None:
    version = Version((1, None), (hour(1), 1.0, None), hour(1), hour(1))
    with pytest.raises(KeptRowsCollide):
        history(spark, TIMED, table_of(spark, (version, version)), [], hour(5))


def test_a_rebuild_carries_the_history_over_also_with_another_type_of_its_key(lake: Lake) -> None:
    strategy = SnapshotHistory((ColumnName("k"),), updated_at=ColumnName("o"))

    def values(*rows: str) -> str:
        return f"SELECT * FROM VALUES {', '.join(rows)} AS t(k, o, v)"

    first = values("(1, TIMESTAMP'2026-01-01', 'a')", "(2, TIMESTAMP'2026-01-01', 'b')")
    lake.build(lake.add_model("m.t", first, strategy=strategy), parameters={"execution_time": hour(30).isoformat()})
    model = lake.add_model("m.t", values("('1', TIMESTAMP'2026-01-02', 'A')"), strategy=strategy)

    staged = lake.build(model, carried=(WHOLE,), parameters={"execution_time": hour(48).isoformat()})

    rows = lake.sql("SELECT k, v, CAST(valid_from AS DATE), CAST(valid_to AS STRING) FROM lake.m.t ORDER BY k, o")
    day = BEGIN.date()
    assert rows == [
        ("1", "a", day, "2026-01-02 00:00:00"),
        ("1", "A", day + timedelta(days=1), None),
        ("2", "b", day, "2026-01-03 00:00:00"),
    ]
    counts = staged.counts
    assert (counts.inserted, counts.closed, counts.carried, staged.retained) == (1, 2, 2, 2)
