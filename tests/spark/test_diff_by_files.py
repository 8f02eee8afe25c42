"""What file lists show of changed rows: the same as the rows themselves, without a job, or nothing at all."""

import pytest
from tests.spark.lake import Lake, day
from tests.spark.test_diff_pass import counted_jobs

from lamina.compiler.graph import CompiledModel
from lamina.project.strategy import TimeInterval
from lamina.values.batch import Diff, DiffQuestion, Staged
from lamina.values.interval import Interval
from lamina.values.names import ColumnName
from lamina.values.touch import Refinement
from lamina.warehouse.iceberg.metadata import read_metadata
from lamina.warehouse.spark.diff import diff_sides, of_versions
from lamina.warehouse.spark.diff_by_files import diff_by_files

pytestmark = pytest.mark.spark

TS, SEEN, AMOUNT, STATUS = (ColumnName(name) for name in ("ts", "seen", "amount", "status"))
DAILY = DiffQuestion(columns=(AMOUNT,), filter_column=TS, unit="day")
WEEKLY = DiffQuestion(columns=(AMOUNT, STATUS), filter_column=TS, unit="week")
HOURLY = DiffQuestion(columns=(AMOUNT,), filter_column=TS, unit="hour")
BY_SEEN = DiffQuestion(columns=(AMOUNT,), filter_column=SEEN, unit="day")
WHOLE_STATUS = DiffQuestion(columns=(STATUS,))

OLD = ("('2026-01-01 01:00', 1, 'a')", "('2026-01-01 02:00', 5, 'e')", "('2026-01-02', 2, 'b')")


def model_of(lake: Lake, *rows: str) -> CompiledModel:
    """Return a model by the day that gives some rows."""
    listed = (
        f"VALUES {', '.join(rows)} AS t(ts, amount, status)" if rows else "VALUES ('', 1, '') AS t(ts, amount, status)"
    )
    text = (
        f"SELECT CAST(ts AS TIMESTAMP) AS ts, CAST('2026-03-01' AS TIMESTAMP) AS seen, amount, status FROM {listed}"
        f"{'' if rows else ' WHERE false'}"
    )
    columns = "ts timestamp, seen timestamp, amount int, status string"
    return lake.add_model("d.t", text, columns=columns, strategy=TimeInterval(time_column=TS))


def stage(lake: Lake, *rows: str) -> Staged:
    """Stage two days again, with other rows than before."""
    days = (Interval(day(1).start, day(2).end),)
    lake.build(model_of(lake, *OLD), "replace_slices", slices=days)
    return lake.stage(model_of(lake, *rows), "replace_slices", slices=days)


def by_rows(lake: Lake, staged: Staged, *questions: DiffQuestion) -> Diff:
    """Compare the rows of both versions by their checksums."""
    assert staged.batch.base is not None
    base, name = read_metadata(staged.batch.base), f"lake.lamina__stage.{staged.batch.commit}"
    old, new = (lake.spark.sql(f"SELECT * FROM {name} VERSION AS OF {at}") for at in (base.position, staged.position))
    return diff_sides(of_versions(old, new), questions, before=base.columns, after=staged.columns)


def by_files(staged: Staged, *questions: DiffQuestion) -> Diff | None:
    assert staged.batch.base is not None
    before = read_metadata(staged.batch.base).columns
    return diff_by_files(read_metadata(staged.pointer), questions, before=before)


def test_late_rows_are_found_without_a_job(lake: Lake) -> None:
    staged = stage(lake, *OLD, "('2026-01-01 03:00', 3, 'c')", "('2026-01-02', 2, 'b')")

    with counted_jobs(lake, "late rows") as jobs:
        diff = lake.warehouse.diff(staged, (DAILY, WEEKLY, WHOLE_STATUS))

    assert jobs == []
    assert diff == Diff(
        is_equal=False,
        refinements=(
            Refinement(columns=(AMOUNT,), filter_column=TS, ranges=(Interval(day(1).start, day(2).end),)),
            Refinement(
                columns=(AMOUNT, STATUS),
                filter_column=TS,
                ranges=(Interval(day(29, month=12).start.replace(year=2025), day(5).start),),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("rows", "questions", "is_known"),
    [
        pytest.param((*OLD, "('2026-01-02', 2, 'b')"), (WHOLE_STATUS,), True, id="another number of rows"),
        pytest.param((*OLD, "('2026-01-02', 2, 'b')"), (DAILY,), False, id="one day may be as it was"),
        pytest.param((*OLD[:2], "('2026-01-02', 3, 'b')"), (), True, id="a sum beyond its old bounds"),
        pytest.param((*OLD[:2], "('2026-01-02', NULL, 'b')"), (), True, id="a null"),
        pytest.param((*OLD[:2], "('2026-01-02', 3, 'b')"), (WHOLE_STATUS,), False, id="another column may be equal"),
        pytest.param((*OLD, *OLD), (HOURLY,), False, id="hours of a file by day"),
        pytest.param((*OLD, *OLD), (BY_SEEN,), False, id="a column that is not the layout"),
        pytest.param((*OLD, *OLD), (DAILY, WEEKLY, WHOLE_STATUS), True, id="every day has more rows"),
        pytest.param((), (DAILY, WEEKLY, WHOLE_STATUS), True, id="no row is left"),
        pytest.param(OLD, (), False, id="equal rows"),
        pytest.param(
            (OLD[0], "('2026-01-01 02:00', 5, 'b')", "('2026-01-02', 2, 'e')"), (WHOLE_STATUS,), False, id="moved"
        ),
        pytest.param(
            ("('2026-01-01 01:00', 1, 'e')", "('2026-01-01 02:00', 5, 'a')", OLD[2]), (DAILY,), False, id="crossed"
        ),
    ],
)
def test_files_say_what_rows_say_or_nothing(
    lake: Lake, rows: tuple[str, ...], questions: tuple[DiffQuestion, ...], *, is_known: bool
) -> None:
    staged = stage(lake, *rows)

    known, expected = by_files(staged, *questions), by_rows(lake, staged, *questions)

    assert known == (expected if is_known else None)
    assert lake.warehouse.diff(staged, questions) == expected
