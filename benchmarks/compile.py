"""Measure compiling the layered project: cold, warm, one file changed, lineage of one mart, start-up.

Each case runs in processes of its own, interleaved, and the median counts; CPU time is that of the process and its
children, memory the largest sum over all of them, pages they share counted once. `python -m benchmarks.compile 1000`
prints it beside figures and targets of the reference machine, which the calibration relates to this one: the time of
bare parsing on both. Machines that others share change their speed by the second, so the calibration is taken again
before each run of a case and the median of the ratios counts.
"""

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.layered_project import (
    intermediate_query,
    layout_of,
    mart_query,
    source_query,
    staging_query,
    write_project,
)

REFERENCE_PARSE = 0.20  # ms for each model with the compiled parser on the reference machine
CALIBRATED = 1_000
MEMORY_PERIOD = 0.02  # seconds between two looks
MEMORY_TARGET = 250  # MB
WALL_TARGET = 4.0  # seconds, cold, on two cores
# As after an installation: bytecode is kept, and not made again by each command.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


class Case(NamedTuple):
    """One thing to measure; targets and references are CPU seconds at 10,000 models."""

    name: str
    target: float
    reference: str


CASES = (
    Case("cold", 7.0, "2.01 Rocky, 41.9 dbt parse, 296 SQLMesh"),
    Case("warm", 0.4, "2.01 Rocky, 9.9 dbt parse, 130 SQLMesh"),
    Case("one file changed", 0.6, "1.99 Rocky, 11.4 dbt parse"),
    Case("lineage of one mart", 0.4, "1.72 Rocky"),
    Case("--version", 0.05, "0.007 Rocky, 1.71 dbt, 1.26 SQLMesh"),
    Case("--help", 0.1, ""),
)
SMALL_TARGETS = {"warm": 0.3, "one file changed": 0.3, "lineage of one mart": 0.3}  # up to 1,000 models


class Sample(NamedTuple):
    """One command: wall and CPU seconds, the largest size of its processes together in MB, and the calibration."""

    wall: float
    cpu: float
    memory: float
    parse: float


def measure(command: list[str]) -> Sample:
    """Run one command to its end; its output is thrown away."""
    parse = calibrate()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    memory = 0.0
    while True:
        try:
            _, errors = process.communicate(timeout=MEMORY_PERIOD)
            break
        except subprocess.TimeoutExpired:
            memory = max(memory, sum(map(_size, _family(process.pid))))
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}: {errors.decode()[-2000:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Sample(wall, cpu, memory, parse)


def _family(process: int) -> Iterator[int]:
    """Yield a process and those it started."""
    yield process
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:  # it has ended, or this system tells nothing
        return
    for child in children:
        yield from _family(int(child))


def _size(process: int) -> float:
    """Return the memory of a process in MB, each shared page divided by those who share it."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024


def calibrate() -> float:
    """Return the milliseconds that bare parsing of one model takes here and now, over a thousand of the project's."""
    from sqlglot.dialects.spark import Spark

    layout = layout_of(CALIBRATED)
    texts = [source_query(number) for number in range(layout.sources)]
    texts += [staging_query(number) for number in range(layout.staging)]
    texts += [intermediate_query(number, staging=layout.staging) for number in range(layout.intermediate)]
    texts += [mart_query(number) for number in range(layout.marts)]
    dialect = Spark()
    rounds = []
    for _ in range(3):
        started = time.process_time()
        for text in texts:
            dialect.parse(text)
        rounds.append(time.process_time() - started)
    return statistics.median(rounds)  # of a thousand, in seconds: milliseconds for each


def commands(root: Path) -> dict[str, tuple[Callable[[int], None], list[str]]]:
    """Return what to do before each case and what to run."""
    lamina = [str(Path(sys.executable).with_name("lamina"))]
    compile_it = [*lamina, "compile", "--project-dir", str(root), "--output", "text", "--quiet"]

    def nothing(turn: int) -> None:
        del turn

    def forget(turn: int) -> None:
        del turn
        shutil.rmtree(root / ".lamina" / "cache", ignore_errors=True)

    def change(turn: int) -> None:
        text = staging_query(7).replace("LOWER(status)", f"CONCAT(LOWER(status), '{turn}')")
        (root / "models" / "stg_00007.sql").write_text(text)

    return {
        "cold": (forget, compile_it),
        "warm": (nothing, compile_it),
        "one file changed": (change, compile_it),
        "lineage of one mart": (
            nothing,
            [*lamina, "lineage", "main.fct_00003.running_total", "--project-dir", str(root), "--output", "text"],
        ),
        "--version": (nothing, [*lamina, "--version"]),
        "--help": (nothing, [*lamina, "--help"]),
    }


def run(count: int, rounds: int) -> None:
    """Write the project, measure every case and print the table."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "project"
        layout = write_project(root, count)
        work = commands(root)
        samples: dict[str, list[Sample]] = {case.name: [] for case in CASES}
        calibrate()  # the first one warms up
        for turn in range(rounds):
            for case in CASES:
                prepare, command = work[case.name]
                prepare(turn)
                samples[case.name].append(measure(command))
    parse = statistics.median(sample.parse for found in samples.values() for sample in found)
    load = os.getloadavg()[0]
    print(f"{count} models in layers of {', '.join(map(str, layout))}; median of {rounds}")
    print(f"machine: {os.cpu_count()} cores, load average {load:.1f} at the end")
    print(
        f"calibration: parsing one model takes {parse:.2f} ms here, {REFERENCE_PARSE:.2f} ms on the reference machine"
    )
    print(f"x parse: CPU time over that of bare parsing {count} models; scaled: CPU s at the reference machine's speed")
    print(f"further targets at 10,000 models: cold wall {WALL_TARGET:.0f} s on 2 cores, memory {MEMORY_TARGET} MB")
    titles = f"{'case':<22}{'wall s':>8}{'CPU s':>8}{'x parse':>9}{'MB':>6}{'scaled':>8}{'target':>8}"
    print(f"{titles}  and CPU s at 10,000 models elsewhere")
    for case in CASES:
        print(_row(case, samples[case.name], count=count))


def _row(case: Case, found: list[Sample], *, count: int) -> str:
    wall, cpu = (statistics.median(getattr(item, name) for item in found) for name in ("wall", "cpu"))
    memory = max(item.memory for item in found)
    # The note gives targets for 10,000 models, and for warm runs of up to 1,000.
    target = SMALL_TARGETS.get(case.name, case.target) if count <= CALIBRATED else case.target
    if case.name == "cold":
        target = case.target * count / 10_000  # in proportion: it is nearly all work for each model
    ratio = statistics.median(item.cpu / item.parse for item in found)
    scaled = ratio * REFERENCE_PARSE
    multiple = ratio * 1000 / count
    return (
        f"{case.name:<22}{wall:>8.2f}{cpu:>8.2f}{multiple:>9.2f}{memory:>6.0f}{scaled:>8.2f}{target:>8.2f}"
        f"  {'reached' if scaled <= target else 'MISSED'}; {case.reference}"
    )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", type=int, nargs="?", default=1_000, help="how many models (1000)")
    parser.add_argument("--rounds", type=int, default=5, help="how often each case is measured (5)")
    given = parser.parse_args()
    run(given.models, given.rounds)


if __name__ == "__main__":
    main()
