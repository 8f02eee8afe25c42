"""Measure one new day behind a merge that removes duplicates, a daily sum and a window of seven days.

Both histories are built and grown in the same process and session, in turns, and medians are compared. CPU seconds are
those of Python and its JVM together. Nothing here gates a test.
"""

import argparse
import contextlib
import io
import json
import os
import statistics
import tempfile
from datetime import timedelta
from pathlib import Path

from benchmarks.engine_projects import FIRST_DAY, write_days
from benchmarks.engine_work import build_by_lamina, java_process, measured, open_session

HISTORIES = (30, 365)
TARGET = 1.3
SOURCE = '[source.raw]\ntype = "files"\nformat = "parquet"\npath = "data"\n[source.raw.tables.events]\n'
MODELS = {
    "clean": (
        "SELECT id, user_id, day, amount FROM raw.events\n",
        '[strategy]\ntype = "merge"\nunique_key = ["id"]\norder_by = ["day"]\ndriver = "raw.events"\n',
    ),
    "daily": (
        "SELECT day, count(*) AS events, sum(amount) AS amount FROM mart.clean\n"
        "WHERE day >= @start_date AND day < @end_date GROUP BY day\n",
        '{span}[strategy]\ntype = "time_interval"\ntime_column = "day"\n',
    ),
    "weekly": (
        "SELECT d.day, sum(w.amount) AS amount FROM mart.daily AS d JOIN mart.daily AS w\n"
        "ON w.day >= d.day - INTERVAL 6 DAYS AND w.day <= d.day\n"
        "WHERE d.day >= @start_date AND d.day < @end_date GROUP BY d.day\n",
        '{span}[strategy]\ntype = "time_interval"\ntime_column = "day"\n[inputs."mart.daily"]\nwindow = "6 days"\n',
    ),
}


def write_models(root: Path, *, days: int) -> None:
    """Write the project; its last days are still to come."""
    for name, text in (("lamina.toml", '[project]\nname = "dedup"\n'), ("sources/raw.toml", SOURCE)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    span = f'start = "{FIRST_DAY}"\nend = "{FIRST_DAY + timedelta(days=days)}"\n'
    for name, (query, sidecar) in MODELS.items():
        file = root / "models" / "mart" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_suffix(".sql").write_text(query)
        file.with_suffix(".toml").write_text(sidecar.replace("{span}", span))


def grow(folder: Path, *, rounds: int) -> dict[int, list[tuple[float, float]]]:
    """Return wall and CPU seconds of each new day, by the length of the history."""
    owner = open_session(folder / "session", folder)
    java, found = java_process(), {days: list[tuple[float, float]]() for days in HISTORIES}
    for days in HISTORIES:
        root = folder / str(days)
        write_models(root, days=days + rounds)
        write_days(root / "data" / "events", 0, days)
        build_by_lamina(root, owner, threads=1)
    for turn in range(rounds):
        for days in HISTORIES:
            write_days(folder / str(days) / "data" / "events", days + turn, 1)
            spoken = io.StringIO()
            with contextlib.redirect_stdout(spoken), measured("day", java):
                build_by_lamina(folder / str(days), owner, threads=1)
            line = json.loads(spoken.getvalue())
            found[days].append((line["wall"], line["cpu"]))
    owner.stop()
    return found


def main() -> None:
    """Measure and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    given = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} at the start; {given.rounds} new days each")
    with tempfile.TemporaryDirectory(prefix="lamina-bench-") as folder:
        found = grow(Path(folder), rounds=given.rounds)
    medians = {days: [statistics.median(side) for side in zip(*times, strict=True)] for days, times in found.items()}
    for days, (wall, cpu) in medians.items():
        print(f"one new day after {days:>3} days  {wall:6.2f} s wall  {cpu:6.2f} s CPU")
    short, long = (medians[days] for days in HISTORIES)
    verdict = "reached" if long[1] <= TARGET * short[1] else "missed"
    print(f"ratio {long[0] / short[0]:.2f} wall, {long[1] / short[1]:.2f} CPU: {verdict} (target {TARGET} CPU)")


if __name__ == "__main__":
    main()
