"""Write the projects of the engine benchmark; both contenders read their statements from here."""

from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

FIRST_DAY = date(2023, 1, 1)
ROWS_A_DAY = 200


class Statement(NamedTuple):
    """One model: its query, and how its table is kept."""

    name: str
    query: str
    time_column: str | None = None  # None: all rows at once
    layout: str | None = None
    is_incremental: bool = False


class Workload(NamedTuple):
    """Models over Parquet sources `raw.<table>` in `data/<table>`, with the days their data spans."""

    name: str
    sources: tuple[str, ...]
    statements: tuple[Statement, ...]
    start: date
    end: date


LARGE = Workload(
    "large",
    ("lineitem",),
    (
        Statement(
            "staging.lineitem",
            "SELECT l_orderkey, l_partkey, l_suppkey, l_linenumber,\n"
            "  CAST(l_quantity AS DECIMAL(12, 2)) AS l_quantity,\n"
            "  CAST(l_extendedprice AS DECIMAL(12, 2)) AS l_extendedprice,\n"
            "  CAST(l_discount AS DECIMAL(4, 2)) AS l_discount, CAST(l_tax AS DECIMAL(4, 2)) AS l_tax,\n"
            "  upper(l_returnflag) AS l_returnflag, upper(l_linestatus) AS l_linestatus,\n"
            "  l_shipdate, l_commitdate, l_receiptdate, l_shipinstruct, l_shipmode, trim(l_comment) AS l_comment\n"
            "FROM raw.lineitem\nWHERE l_orderkey IS NOT NULL",
            layout="months(l_shipdate)",
            is_incremental=True,
        ),
        Statement(
            "mart.daily_pricing",
            "SELECT l_shipdate, l_returnflag, l_linestatus, count(*) AS lines, sum(l_quantity) AS quantity,\n"
            "  sum(l_extendedprice * (1 - l_discount)) AS revenue, avg(l_discount) AS discount\n"
            "FROM staging.lineitem\nWHERE l_shipdate >= @start_date AND l_shipdate < @end_date\n"
            "GROUP BY l_shipdate, l_returnflag, l_linestatus",
            time_column="l_shipdate",
        ),
    ),
    FIRST_DAY,
    FIRST_DAY + timedelta(days=365),
)

_DAILY = (
    "SELECT day, user_id % 10 AS segment, count(*) AS events, sum(amount) AS amount\nFROM {source}\n"
    "WHERE day >= @start_date AND day < @end_date\nGROUP BY day, user_id % 10"
)


def _tiny() -> Workload:
    """Return twenty tiny models in three layers: four copies, eight joins, eight daily aggregates."""
    copies = tuple(
        Statement(f"staging.s{number}", f"SELECT id, user_id, day, amount\nFROM raw.t{number}\nWHERE id IS NOT NULL")
        for number in range(4)
    )
    joins = tuple(
        Statement(
            f"middle.j{number}",
            "SELECT l.user_id, count(*) AS pairs, sum(l.amount + r.amount) AS amount\n"
            f"FROM staging.s{number % 4} AS l\nJOIN staging.s{(number + 1) % 4} AS r ON l.id = r.id\n"
            f"WHERE l.user_id % 8 <> {number}\nGROUP BY l.user_id",
        )
        for number in range(8)
    )
    daily = tuple(
        Statement(f"mart.d{number}", _DAILY.format(source=f"staging.s{number % 4}"), time_column="day")
        for number in range(8)
    )
    end = FIRST_DAY + timedelta(days=4)
    return Workload("tiny", tuple(f"t{number}" for number in range(4)), (*copies, *joins, *daily), FIRST_DAY, end)


TINY = _tiny()


_COPY = Statement("staging.events", "SELECT id, user_id, day, amount\nFROM raw.events", is_incremental=True)
_DAILY_COPY = Statement("mart.daily", _DAILY.format(source="staging.events"), time_column="day")

# What keeps up with the growing history: by day a slice is whole partitions, by month it cuts one; over files each
# slice reads those of its day.
GROWTH_CASES: dict[str, tuple[Statement, ...]] = {
    "daily": (_COPY, _DAILY_COPY),
    "monthly": (_COPY, _DAILY_COPY._replace(layout="months(day)")),
    "files": (Statement("mart.daily", _DAILY.format(source="raw.events"), time_column="day"),),
}


def growing(days: int, case: str) -> Workload:
    """Return one case over some days of events, with room for ten more."""
    end = FIRST_DAY + timedelta(days=days + 10)
    return Workload(f"days{days}", ("events",), GROWTH_CASES[case], FIRST_DAY, end)


def many(count: int) -> Workload:
    """Return a deep chain of copies, ten wide."""
    sources = ("t0",)
    statements = tuple(
        Statement(
            f"main.m{number:03d}",
            f"SELECT id, user_id, day, amount + {number} AS amount\n"
            f"FROM {f'main.m{number - 10:03d}' if number >= 10 else 'raw.t0'}",
        )
        for number in range(count)
    )
    return Workload("many", sources, statements, FIRST_DAY, FIRST_DAY + timedelta(days=1))


def write_project(root: Path, workload: Workload) -> None:
    """Write a workload as a lamina project, without its data."""
    (root / "sources").mkdir(parents=True)
    (root / "lamina.toml").write_text(f'[project]\nname = "{workload.name}"\n')
    tables = "".join(f"[source.raw.tables.{name}]\n" for name in workload.sources)
    (root / "sources" / "raw.toml").write_text(
        f'[source.raw]\ntype = "files"\nformat = "parquet"\npath = "data"\n{tables}'
    )
    for statement in workload.statements:
        file = root / "models" / Path(*statement.name.split("."))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_suffix(".sql").write_text(statement.query + "\n")
        file.with_suffix(".toml").write_text(_sidecar(statement, workload))


def _sidecar(statement: Statement, workload: Workload) -> str:
    lines = [f'partitioned_by = ["{statement.layout}"]'] if statement.layout else []
    if statement.time_column:
        lines += [f'start = "{workload.start}"', f'end = "{workload.end}"']
        lines += ["[strategy]", 'type = "time_interval"', f'time_column = "{statement.time_column}"']
    else:
        lines += ["[strategy]", f'type = "{"incremental" if statement.is_incremental else "full_refresh"}"']
    return "\n".join(lines) + "\n"


def write_days(folder: Path, first: int, count: int) -> None:
    """Write some days of events, one Parquet file a day, the same at every time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    for number in range(first, first + count):
        ids = range(number * ROWS_A_DAY, (number + 1) * ROWS_A_DAY)
        table = pa.table(
            {
                "id": pa.array(ids, pa.int64()),
                "user_id": pa.array([item * 7919 % 1000 for item in ids], pa.int64()),
                "day": pa.array([FIRST_DAY + timedelta(days=number)] * ROWS_A_DAY, pa.date32()),
                "amount": pa.array([item % 997 / 4 for item in ids], pa.float64()),
            }
        )
        pq.write_table(table, folder / f"{number:05d}.parquet")
