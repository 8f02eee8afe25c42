"""Measure the engine against a hand-written PySpark and Iceberg script that does the same statements.

Every ratio comes from one run on one machine: contenders are processes of their own, with the same session settings
and JVM options, in turns, and medians are compared. CPU seconds are those of Python and its JVM together; on a busy
machine they say more than wall seconds. Nothing here gates a test.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from benchmarks.compile import Sample, measure
from benchmarks.engine_projects import GROWTH_CASES, TINY, growing, many, write_days, write_project
from benchmarks.engine_versions import age

LAMINA = str(Path(sys.executable).with_name("lamina"))


class Size(NamedTuple):
    """How much is measured."""

    rows: int
    rows_a_day: int
    models: int
    histories: tuple[int, int]
    versions: int
    rounds: int


FULL = Size(rows=6_000_000, rows_a_day=100_000, models=100, histories=(30, 900), versions=1000, rounds=3)
QUICK = Size(rows=300_000, rows_a_day=10_000, models=100, histories=(10, 300), versions=300, rounds=1)


class Time(NamedTuple):
    """Seconds of one measured thing."""

    wall: float
    cpu: float


def main() -> None:
    """Read the command line and measure the cases that are requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", choices=[*CASES, []], help="all of them unless some are named")
    parser.add_argument("--quick", action="store_true", help="small sizes, one round")
    given = parser.parse_args()
    size = QUICK if given.quick else FULL
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; {'quick' if given.quick else 'full'}")
    for name in given.cases or CASES:
        with tempfile.TemporaryDirectory(prefix="lamina-bench-") as folder:
            CASES[name](Path(folder), size)


def measure_large(folder: Path, size: Size) -> None:
    """Compare one large build."""
    title(f"large job: {size.rows:,} rows of lineitem, a typed copy and a daily aggregate of it; from a new session")
    _work("generate", folder, "--rows", str(size.rows))
    rounds = max(1, size.rounds - 1)
    times = _contest(folder, "large", rounds=rounds, passes=1)
    _compare("build", times["hand", "cold"], times["lamina", "cold"], target=1.10)


def measure_tiny(folder: Path, size: Size) -> None:
    """Compare twenty tiny models in a new and in a warm session."""
    title(f"{len(TINY.statements)} tiny models in three layers, one thread each")
    for table in TINY.sources:
        write_days(folder / "data" / table, 0, 4)
    times = _contest(folder, "tiny", rounds=size.rounds, passes=4)
    _compare("warm session", times["hand", "warm"], times["lamina", "warm"], target=1.5)
    _compare("new session", times["hand", "cold"], times["lamina", "cold"], target=1.5)


def measure_idle(folder: Path, size: Size) -> None:
    """Time a run that has nothing to do; it must start no JVM."""
    title(f"`lamina run` with nothing to do, {size.models} models")
    root = folder / "many"
    write_project(root, many(size.models))
    write_days(root / "data" / "t0", 0, 1)
    run = [LAMINA, "run", "--project-dir", str(root), "--output", "json", "--quiet"]
    measure(run)
    log = root / ".lamina" / "logs" / "spark.log"
    _time_idle("nothing to do", run, log)
    age(root, size.versions)
    measure(run)
    _time_idle(f"after {size.versions:,} runs", run, log)


def _time_idle(name: str, run: list[str], log: Path) -> None:
    before = log.stat().st_mtime_ns
    samples = [measure(run) for _ in range(5)]
    found = Time(statistics.median(item.wall for item in samples), statistics.median(item.cpu for item in samples))
    note = "no JVM" if log.stat().st_mtime_ns == before else "A JVM WAS STARTED"
    line(name, found, f"{_verdict(found.wall < 1)} target < 1 s wall; {note}")


def measure_growth(folder: Path, size: Size) -> None:
    """Compare one new day over a short and over a long history."""
    short, long = size.histories
    title(f"one new day after {short} and after {long} days of history, warm session; planning it, without a JVM")
    sizes = ("--days", str(short), str(long), "--versions", str(size.versions))
    spoken = _work("grow", folder, *sizes, "--passes", str(max(8, size.rounds)))
    for case in GROWTH_CASES:
        times = {days: _median(spoken, f"increment {days} {case}") for days in size.histories}
        _compare(f"{long} days, {case}", times[short], times[long], target=1.2)
    base, aged = _median(spoken, f"increment {short} daily"), _median(spoken, "increment aged")
    _compare(f"{size.versions:,} runs before", base, aged, target=1.2)
    plans = {}
    for days in size.histories:
        root, workload = folder / f"{days}-daily", growing(days, "daily")
        write_days(root / "data" / "events", workload.end.toordinal() - workload.start.toordinal() - 1, 1)
        samples = [measure([LAMINA, "plan", "--project-dir", str(root), "--output", "json"]) for _ in range(5)]
        plans[days] = Time(*(statistics.median(getattr(item, name) for item in samples) for name in ("wall", "cpu")))
    _compare(f"plan, {long} days", plans[short], plans[long], target=None)


def measure_cutoff(folder: Path, size: Size) -> None:
    """Compare runs over late rows with the comparison of old and new rows, and without it."""
    rows = f"{size.rows_a_day:,} rows a day, 1% more of them late"
    title(f"late rows in 3 of 10 days of a table with six readers, {rows}; with and without the diff, warm session")
    spoken = _work("cutoff", folder, "--rows", str(size.rows_a_day), "--rounds", str(4 * size.rounds))
    _compare("late rows", _median(spoken, "not compared"), _median(spoken, "compared"), target=1.25)


def measure_start(folder: Path, size: Size) -> None:
    """Compare session start by default and as lamina does it, and time the quickstart."""
    title("start of a session and its first Iceberg queries; the quickstart, each command a process of its own")
    _work("start", folder / "warm-up")  # where no class archive is yet, this run has it made
    _wait_for_archive()
    times: dict[str, list[Time]] = {"off": [], "on": []}
    for turn in range(size.rounds):
        for switch, found in times.items():
            found.append(_timed_start(folder / f"{switch}{turn}", switch))
    default, ours = (_medians(times[switch]) for switch in ("off", "on"))
    line("JVM defaults", default, "")
    line("lamina", ours, f"{default.cpu / ours.cpu:.1f} times less CPU (archive of classes, C1, serial collector)")
    _time_quickstart(folder)


def _time_quickstart(folder: Path) -> None:
    shop = folder / "shop"
    measure([LAMINA, "init", str(shop), "--output", "text"])
    run = [LAMINA, "run", "--project-dir", str(shop), "--output", "json", "--quiet"]
    line("quickstart, first build", _as_time(measure(run)), "6 models; target < 21 s wall on an idle machine")
    for file in (shop / "data" / "arrivals" / "orders").glob("*.csv"):
        shutil.copy(file, shop / "data" / "raw" / "orders")
    line("new day and late rows", _as_time(measure(run)), "target < 10 s wall on an idle machine")
    line("nothing to do", _as_time(measure(run)), "target < 0.5 s wall on an idle machine")


def _timed_start(folder: Path, switch: str) -> Time:
    command = [sys.executable, "-m", "benchmarks.engine_work", "start", str(folder)]
    os.environ["LAMINA_CLASS_ARCHIVE"] = switch
    try:
        return _as_time(measure(command))
    finally:
        del os.environ["LAMINA_CLASS_ARCHIVE"]


def _wait_for_archive() -> None:
    """Wait until the class archive is made, for five minutes at most."""
    from lamina.warehouse.spark.jars import cache_folder

    deadline = time.monotonic() + 300
    while any((cache_folder() / "classes").glob("*.making")) and time.monotonic() < deadline:
        time.sleep(1)


def _contest(folder: Path, workload: str, *, rounds: int, passes: int) -> dict[tuple[str, str], Time]:
    """Let both contenders build a workload in turns, each time in a new process."""
    spoken: dict[str, list[dict[str, float | str]]] = {"hand": [], "lamina": []}
    for _ in range(rounds):
        for contender, lines in spoken.items():
            lines.extend(_work(contender, folder, "--workload", workload, "--passes", str(passes)))
    kinds = ("cold", "warm") if passes > 1 else ("cold",)
    return {(contender, kind): _median(lines, kind) for contender, lines in spoken.items() for kind in kinds}


def _work(work: str, folder: Path, *arguments: str) -> list[dict[str, float | str]]:
    module = "benchmarks.engine_cutoff" if work == "cutoff" else "benchmarks.engine_work"
    command = [sys.executable, "-m", module, work, str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-2000:]}")
    return [json.loads(text) for text in done.stdout.splitlines() if text.startswith("{")]


def _median(lines: Iterable[dict[str, float | str]], what: str) -> Time:
    return _medians([Time(float(item["wall"]), float(item["cpu"])) for item in lines if item["what"] == what])


def _medians(times: list[Time]) -> Time:
    return Time(statistics.median(item.wall for item in times), statistics.median(item.cpu for item in times))


def _as_time(sample: Sample) -> Time:
    return Time(sample.wall, sample.cpu)


def title(text: str) -> None:
    """Say what is compared."""
    print(f"\n{text}\n{'':<28}{'wall s':>8}{'CPU s':>8}")


def line(name: str, found: Time, note: str) -> None:
    """Print one figure."""
    print(f"{name:<28}{found.wall:>8.2f}{found.cpu:>8.2f}  {note}", flush=True)


def _compare(name: str, base: Time, found: Time, *, target: float | None) -> None:
    """Print a figure beside what it is compared with, and the ratio beside its target."""
    wall, cpu = found.wall / base.wall, found.cpu / base.cpu
    aim = f"; target {target:.2f}x" if target else ""
    verdict = _verdict(cpu <= target) if target else ""
    line(f"{name}: base", base, "")
    line(f"{name}: lamina", found, f"{verdict} {cpu:.2f}x by CPU, {wall:.2f}x by wall{aim}")


def _verdict(is_reached: bool) -> str:
    return "reached" if is_reached else "MISSED"


CASES: dict[str, Callable[[Path, Size], None]] = {
    "large": measure_large,
    "tiny": measure_tiny,
    "idle": measure_idle,
    "growth": measure_growth,
    "cutoff": measure_cutoff,
    "start": measure_start,
}


if __name__ == "__main__":
    main()
