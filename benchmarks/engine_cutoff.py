"""What the comparison of old and new rows costs: late rows in three of ten days of a table with six readers.

The same runs are done with the comparison and without it, in one process and one session, in turns. Late rows change
what every reader reads, so that all six are rebuilt either way and the difference is the comparison alone.
"""

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from unittest.mock import patch

from benchmarks.engine_projects import FIRST_DAY, Statement, Workload, write_project
from benchmarks.engine_work import build_by_lamina, java_process, measured, open_session

from lamina.values.batch import Diff, DiffQuestion, Staged
from lamina.warehouse.spark.warehouse import SparkWarehouse

DAYS = 10
_LATE_DAYS = ((1, 4, 8), (0, 5, 7), (2, 3, 9))

_WITHIN = "WHERE day >= @start_date AND day < @end_date"

CUTOFF = Workload(
    "cutoff",
    ("orders",),
    (
        Statement(
            "staging.orders",
            "SELECT id, day, user_id, amount, quantity, upper(status) AS status, country, channel\n"
            f"FROM raw.orders\n{_WITHIN}",
            time_column="day",
        ),
        Statement(
            "mart.revenue",
            f"SELECT day, sum(amount) AS revenue\nFROM staging.orders\n{_WITHIN}\nGROUP BY day",
            time_column="day",
        ),
        Statement(
            "mart.statuses",
            f"SELECT day, status, count(*) AS orders\nFROM staging.orders\n{_WITHIN}\nGROUP BY day, status",
            time_column="day",
        ),
        Statement(
            "mart.countries",
            "SELECT day, country, sum(quantity) AS quantity, sum(amount) AS revenue\nFROM staging.orders\n"
            f"{_WITHIN}\nGROUP BY day, country",
            time_column="day",
        ),
        Statement(
            "mart.customers",
            "SELECT day, user_id % 100 AS segment, sum(amount) AS revenue\nFROM staging.orders\n"
            f"{_WITHIN}\nGROUP BY day, user_id % 100",
            time_column="day",
        ),
        Statement(
            "mart.channels",
            "SELECT channel, sum(quantity) AS quantity\nFROM staging.orders\nGROUP BY channel",
        ),
        Statement(
            "mart.overview",
            "SELECT status, country, count(id) AS orders, sum(amount) AS revenue\nFROM staging.orders\n"
            "GROUP BY status, country",
        ),
    ),
    FIRST_DAY,
    FIRST_DAY + timedelta(days=DAYS),
)


def compare_runs(folder: Path, *, rows: int, rounds: int) -> None:
    """Print the time of each run over late rows, with the comparison and without it."""
    owner = open_session(folder / "session", folder)
    java = java_process()
    roots = (folder / "first", folder / "second")
    for root in roots:
        write_project(root, CUTOFF)
        for day in range(DAYS):
            write_orders(root, f"{day:02d}", days=(day,), rows=rows, seed=day)
        build_by_lamina(root, owner, threads=1)
    # The first four turns meet code that the JVM has not compiled yet, and are not counted.
    for turn in range(-4, rounds):
        late = _LATE_DAYS[turn % len(_LATE_DAYS)]
        # In four turns each project is compared twice, once before the other and once after it.
        for place, root in enumerate(roots if turn % 4 < 2 else reversed(roots)):
            is_compared = turn % 2 == place
            name = "compared" if is_compared else "not compared"
            write_orders(root, f"late-{turn + 4:02d}", days=late, rows=max(1, rows // 100), seed=1000 + turn)
            with _comparing(is_on=is_compared), measured(name if turn >= 0 else f"first {name}", java):
                build_by_lamina(root, owner, threads=1)
    owner.stop()


@contextmanager
def _comparing(*, is_on: bool) -> Iterator[None]:
    """Compare as always, or take every result for a change of everything in its slices."""
    if is_on:
        yield
        return
    with patch.object(SparkWarehouse, "diff", _no_diff):
        yield


def _no_diff(_warehouse: SparkWarehouse, _staged: Staged, _questions: tuple[DiffQuestion, ...]) -> Diff:
    return Diff(is_equal=False, refinements=())


def write_orders(root: Path, name: str, *, days: tuple[int, ...], rows: int, seed: int) -> None:
    """Write some rows of each of some days into one Parquet file, the same at every time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = root / "data" / "orders"
    folder.mkdir(parents=True, exist_ok=True)
    numbers = [seed * 10_000_000 + item for item in range(rows * len(days))]
    table = pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "day": pa.array([FIRST_DAY + timedelta(days=days[item // rows]) for item in range(len(numbers))]),
            "user_id": pa.array([item * 7919 % 100_003 for item in numbers], pa.int64()),
            "amount": pa.array([item % 9973 / 4 for item in numbers], pa.float64()),
            "quantity": pa.array([item % 7 + 1 for item in numbers], pa.int32()),
            "status": pa.array([("new", "paid", "sent", "lost")[item % 4] for item in numbers]),
            "country": pa.array([f"c{item % 40}" for item in numbers]),
            "channel": pa.array([("web", "shop", "phone")[item % 3] for item in numbers]),
        }
    )
    pq.write_table(table, folder / f"{name}.parquet")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", choices=("cutoff",))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, required=True, help="of each day")
    parser.add_argument("--rounds", type=int, required=True)
    given = parser.parse_args()
    compare_runs(given.folder, rows=given.rows, rounds=given.rounds)


if __name__ == "__main__":
    main()
