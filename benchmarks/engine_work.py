"""One contender of the engine benchmark in a process of its own: prints a JSON line for each pass it did.

Both contenders take their session from the same place, so that settings and JVM options are the same.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

from benchmarks.engine_projects import (
    GROWTH_CASES,
    LARGE,
    TINY,
    Statement,
    Workload,
    growing,
    write_days,
    write_project,
)
from benchmarks.engine_versions import age

from lamina.api.project import open_project
from lamina.values.event import Event
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.spark.session import Application

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WORKLOADS = {"large": LARGE, "tiny": TINY}


class Borrowed(Application):
    """A share of this process's one application, with a catalog of its own."""

    def __init__(self, settings: WarehouseSettings, owner: Application) -> None:
        super().__init__(settings, emit=_silent)
        self._owner = owner

    def _start(self) -> "SparkSession":
        return self._owner.session()

    def stop(self) -> None:
        """Leave the owner's Spark running."""


def _silent(_event: Event) -> None:
    """Tell nobody."""


def settings_in(root: Path) -> WarehouseSettings:
    """Return the settings of a project's default warehouse."""
    home = root / ".lamina"
    return WarehouseSettings(
        root=str(root), database=str(home / "lamina.db"), warehouse=str(home / "warehouse"), logs=str(home / "logs")
    )


def build_by_hand(root: Path, workload: Workload, owner: Application) -> None:
    """Build a workload as a careful person's script would: one commit for each table, nothing remembered."""
    (root / ".lamina").mkdir()
    session = Borrowed(settings_in(root), owner).session()
    for table in workload.sources:
        session.read.parquet(str(root / "data" / table)).createOrReplaceTempView(f"raw_{table}")
    session.sql("USE lake").collect()
    for namespace in sorted({statement.name.partition(".")[0] for statement in workload.statements}):
        session.sql(f"CREATE NAMESPACE IF NOT EXISTS lake.{namespace}").collect()
    for statement in workload.statements:
        _create_by_hand(session, statement, workload)


def _create_by_hand(session: "SparkSession", statement: Statement, workload: Workload) -> None:
    query = statement.query.replace("FROM raw.", "FROM raw_")
    query = query.replace("@start_date", f"DATE '{workload.start}'").replace("@end_date", f"DATE '{workload.end}'")
    layout = statement.layout or (f"days({statement.time_column})" if statement.time_column else "")
    partitioned = f"PARTITIONED BY ({layout})" if layout else ""
    session.sql(f"CREATE TABLE lake.{statement.name} USING iceberg {partitioned} AS {query}").collect()


def build_by_lamina(root: Path, owner: Application, *, threads: int) -> None:
    """Build a project with `lamina run` inside this process's application."""

    def borrow(settings: WarehouseSettings, *, emit: Callable[[Event], None]) -> Application:
        del emit
        return Borrowed(settings, owner)

    with patch("lamina.warehouse.spark.warehouse.Application", borrow):
        result = open_project(root, variables={}).run(parallel=threads)
    if result.status != "success":
        raise SystemExit(f"{root} ended with {result.status}: {result.materializations}")


@contextmanager
def measured(what: str, pid: int | None) -> Iterator[None]:
    """Print the wall and CPU seconds of the block: this process and its JVM."""
    started, before = time.perf_counter(), _cpu(pid)
    yield
    wall = time.perf_counter() - started
    print(json.dumps({"what": what, "wall": wall, "cpu": _cpu(pid) - before}), flush=True)


def _cpu(pid: int | None) -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split() if pid else ["0"] * 13
    ticks = int(fields[11]) + int(fields[12])
    return used.ru_utime + used.ru_stime + ticks / os.sysconf("SC_CLK_TCK")


def java_process() -> int:
    """Return the process of this process's JVM."""
    me = str(os.getpid())
    for stat in Path("/proc").glob("[0-9]*/stat"):
        text = stat.read_text()
        if text.rsplit(")", 1)[1].split()[1] == me and "(java)" in text:
            return int(stat.parent.name)
    raise SystemExit("no JVM was started")


def open_session(folder: Path, data: Path) -> Application:
    application = Application(settings_in(folder), emit=_silent)
    application.expected_bytes = sum(file.stat().st_size for file in data.rglob("*") if file.is_file())
    application.session()
    return application


def build(contender: str, name: str, *, folder: Path, passes: int) -> None:
    """Build a workload several times, each time from nothing in a folder of its own."""
    workload, data = WORKLOADS[name], folder / "data"
    work = folder / f"{contender}-{os.getpid()}"
    with measured("session", None):
        owner = open_session(work / "session", data)
    java = java_process()
    for number in range(passes):
        root = work / str(number)
        write_project(root, workload)
        (root / "data").symlink_to(data)
        with measured("cold" if number == 0 else "warm", java):
            if contender == "hand":
                build_by_hand(root, workload, owner)
            else:
                build_by_lamina(root, owner, threads=1)
    owner.stop()
    shutil.rmtree(work)


def grow(folder: Path, histories: tuple[int, ...], *, rounds: int, versions: int) -> None:
    """Add one day to projects with histories of several lengths, in turns; the last one was run many times before."""
    owner = open_session(folder / "session", folder)
    java = java_process()
    cases = {f"{days} {case}": (folder / f"{days}-{case}", days, case) for days in histories for case in GROWTH_CASES}
    cases["aged"] = (folder / "aged", histories[0], "daily")
    for root, days, case in cases.values():
        write_project(root, growing(days, case))
        write_days(root / "data" / "events", 0, days)
        build_by_lamina(root, owner, threads=1)
    age(folder / "aged", versions)
    for turn in range(rounds):
        for name, (root, days, _) in cases.items():
            write_days(root / "data" / "events", days + turn, 1)
            with measured(f"increment {name}", java):
                build_by_lamina(root, owner, threads=1)
    owner.stop()


def start(folder: Path) -> None:
    """Start a session and ask one Iceberg query; the environment says how."""
    (folder / ".lamina").mkdir(parents=True)
    application = Application(settings_in(folder), emit=_silent)
    application.expected_bytes = 2**60 if os.environ.get("LAMINA_CLASS_ARCHIVE") == "off" else 0
    session = application.session()
    session.sql("CREATE NAMESPACE lake.a").collect()
    session.sql("CREATE TABLE lake.a.t USING iceberg AS SELECT id FROM range(10)").collect()
    total = session.sql("SELECT sum(id) FROM lake.a.t").collect()
    application.stop()
    if statistics.mean(total[0]) != sum(range(10)):
        raise SystemExit("the first query is wrong")


def generate(folder: Path, rows: int) -> None:
    """Write `lineitem` with Spark: every value follows from the row's number."""
    application = Application(settings_in(folder / "session"), emit=_silent)
    application.expected_bytes = 2**60
    session = application.session()
    frame = session.range(rows, numPartitions=8).selectExpr(
        "id DIV 4 + 1 AS l_orderkey",
        "abs(hash(id, 1)) % 200000 + 1 AS l_partkey",
        "abs(hash(id, 2)) % 10000 + 1 AS l_suppkey",
        "CAST(id % 4 + 1 AS INT) AS l_linenumber",
        "CAST(abs(hash(id, 3)) % 50 + 1 AS DOUBLE) AS l_quantity",
        "CAST(abs(hash(id, 4)) % 10000000 AS DOUBLE) / 100 AS l_extendedprice",
        "CAST(abs(hash(id, 5)) % 11 AS DOUBLE) / 100 AS l_discount",
        "CAST(abs(hash(id, 6)) % 9 AS DOUBLE) / 100 AS l_tax",
        "substr('arn', abs(hash(id, 7)) % 3 + 1, 1) AS l_returnflag",
        "substr('of', abs(hash(id, 8)) % 2 + 1, 1) AS l_linestatus",
        f"date_add(DATE '{LARGE.start}', CAST(abs(hash(id, 9)) % 365 AS INT)) AS l_shipdate",
        f"date_add(DATE '{LARGE.start}', CAST(abs(hash(id, 10)) % 365 AS INT)) AS l_commitdate",
        f"date_add(DATE '{LARGE.start}', CAST(abs(hash(id, 11)) % 365 AS INT)) AS l_receiptdate",
        "element_at(array('DELIVER IN PERSON', 'COLLECT COD', 'NONE'), abs(hash(id, 12)) % 3 + 1) AS l_shipinstruct",
        "element_at(array('AIR', 'RAIL', 'SHIP', 'TRUCK'), abs(hash(id, 13)) % 4 + 1) AS l_shipmode",
        "concat(' order ', hex(hash(id, 14)), ' and ', hex(hash(id, 15)), ' ') AS l_comment",
    )
    frame.write.parquet(str(folder / "data" / "lineitem"))
    application.stop()


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", choices=("hand", "lamina", "grow", "start", "generate"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workload", default="tiny")
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--rows", type=int, default=0)
    parser.add_argument("--days", type=int, nargs="*", default=[])
    parser.add_argument("--versions", type=int, default=0)
    given = parser.parse_args()
    match given.work:
        case "generate":
            generate(given.folder, given.rows)
        case "start":
            start(given.folder)
        case "grow":
            grow(given.folder, tuple(given.days), rounds=given.passes, versions=given.versions)
        case contender:
            build(contender, given.workload, folder=given.folder, passes=given.passes)


if __name__ == "__main__":
    main()
