"""Measure planning by the length of a history in units: ten years of days, and of five minutes, which are 1,051,776.

Both are really built, in one process; then rows come late for some units, and the plan for them is made again and
again, in turns. It is the whole command but for the start of Python: state and files are looked at, no JVM is started.
Nothing here gates a test.
"""

import argparse
import os
import statistics
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import lamina
from lamina.values.plan import Build

START = datetime(2016, 1, 1, tzinfo=UTC)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
UNITS = ("day", "5 minutes")
SOURCE = """[source.raw]
type = "files"
format = "csv"
path = "data"
[source.raw.tables.events]
columns = [{ name = "id", type = "bigint" }, { name = "at", type = "timestamp" }]
"""
SIDECAR = """start = "2016-01-01"
[strategy]
type = "time_interval"
time_column = "at"
granularity = "UNIT"
"""


def write_project(root: Path, unit: str) -> None:
    """Write a project with one model over ten years."""
    files = {
        "lamina.toml": '[project]\nname = "planning"\n',
        "sources/raw.toml": SOURCE,
        "models/mart/events.sql": "SELECT id, at FROM raw.events WHERE at >= @start_ts AND at < @end_ts\n",
        "models/mart/events.toml": SIDECAR.replace("UNIT", unit),
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def write_events(root: Path, name: str, *, count: int) -> None:
    """Write a file whose rows are spread evenly over the history."""
    step = (NOW - START) / count
    rows = "".join(f"{number},{START + number * step:%Y-%m-%dT%H:%M:%SZ}\n" for number in range(count))
    file = root / "data" / "events" / f"{name}.csv"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"id,at\n{rows}")


def planned(root: Path) -> tuple[float, int]:
    """Return the seconds that a plan takes, and how many ranges it would build."""
    started = time.perf_counter()
    plan = lamina.open(root).plan(execution_time=NOW + timedelta(minutes=1)).plan
    seconds = time.perf_counter() - started
    ranges = sum(len(action.intervals) for action in plan.actions if isinstance(action, Build))
    return seconds, ranges


def main() -> None:
    """Build both histories, then measure their plans in turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--late", type=int, default=300, help="rows that come late, each in a unit of its own")
    given = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; median of {given.rounds}")
    with tempfile.TemporaryDirectory(prefix="lamina-bench-") as folder:
        roots = {unit: Path(folder) / unit.replace(" ", "-") for unit in UNITS}
        for unit, root in roots.items():
            write_project(root, unit)
            write_events(root, "first", count=3_000)
            lamina.open(root).run(execution_time=NOW)
        for what in ("nothing new", f"{given.late} late rows"):
            if what != "nothing new":
                for root in roots.values():
                    write_events(root, "late", count=given.late)
            times: dict[str, list[tuple[float, int]]] = {unit: [] for unit in UNITS}
            for _ in range(given.rounds):
                for unit, root in roots.items():
                    times[unit].append(planned(root))
            for unit, found in times.items():
                seconds, ranges = statistics.median(item[0] for item in found), found[-1][1]
                print(f"{what:>14}, ten years by {unit:<9}  {1000 * seconds:6.1f} ms  {ranges:5} ranges to build")


if __name__ == "__main__":
    main()
