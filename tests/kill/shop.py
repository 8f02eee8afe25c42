"""The quickstart under fire: rows come, change and go, runs are killed, and the tables must not care."""

import csv
import json
import os
import signal
import subprocess
import sys
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from random import Random

from lamina.api.starter import start_project

_RUN_SECONDS = 240


class Shop:
    """One project folder, driven through the command line as a user would."""

    def __init__(self, folder: Path, *, remote: str, seed: int) -> None:
        start_project(str(folder), "quickstart")
        self.folder = folder
        self._orders = folder / "data" / "raw" / "orders"
        self._random = Random(seed)
        self._next = 5000
        self._environment = {**os.environ, "LAMINA_SPARK_REMOTE": remote}

    def change_orders(self) -> str:
        """Let rows arrive late, change or go, and say what happened."""
        files = sorted(self._orders.glob("*.csv"))
        change = self._random.choice(("arrive", "arrive", "correct", "remove"))
        if change == "remove" and len(files) > 6:
            self._random.choice(files).unlink()
        elif change == "correct":
            path = self._random.choice(files)
            lines = path.read_text().replace(",returned", ",completed").splitlines()
            path.write_text("\n".join([*lines, self._line()]) + "\n")
        else:
            rows = [self._line() for _ in range(self._random.randint(1, 4))]
            path = self._orders / f"arrival-{self._next}.csv"
            path.write_text("\n".join(["order_id,customer_id,order_date,amount,status", *rows]) + "\n")
        return change

    def run(self, failpoint: str | None = None) -> int:
        """Run once, to its end or to a failpoint, and return the exit code."""
        environment = {**self._environment, **({"LAMINA_FAILPOINT": failpoint} if failpoint else {})}
        return self._lamina("run", environment=environment).returncode

    def command(self, *arguments: str, failpoint: str | None = None) -> tuple[int, dict[str, str]]:
        """Run a command, to its end or to a failpoint; return its exit code and why each model was built."""
        environment = {**self._environment, **({"LAMINA_FAILPOINT": failpoint} if failpoint else {})}
        ended = self._lamina(*arguments, environment=environment)
        reported = json.loads(ended.stdout)["materializations"] if ended.stdout else []
        return ended.returncode, {item["model"]: item["reason"] for item in reported if item["status"] == "completed"}

    def run_and_kill(self, seconds: float) -> int:
        """Run and kill the process after some time, unless it has ended by itself."""
        process = subprocess.Popen(
            self._command("run"), env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            return process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            return process.wait(timeout=60)

    def verify(self) -> dict[str, str]:
        """Return the verdict on every table."""
        document = json.loads(self._lamina("verify", environment=self._environment).stdout)
        return {item["model"]: item["status"] for item in document["models"]}

    def revenue(self, table: str = "daily_revenue") -> dict[str, tuple[int, Decimal]]:
        """Return orders and revenue per day as the table says, or its quarantine."""
        sql = f"SELECT order_date, orders, revenue FROM sales.{table}"
        document = json.loads(self._lamina("query", sql, "--limit", "1000", environment=self._environment).stdout)
        return {day: (orders, Decimal(revenue)) for day, orders, revenue in document["rows"]}

    def expected_revenue(self) -> dict[str, tuple[int, Decimal]]:
        """Return orders and revenue per day as the files say, computed without lamina."""
        days: dict[str, list[Decimal]] = defaultdict(list)
        for path in self._orders.glob("*.csv"):
            with path.open(newline="") as file:
                for row in csv.DictReader(file):
                    if row["status"].strip().lower() == "completed" and Decimal(row["amount"]) >= 0:
                        days[row["order_date"]].append(Decimal(row["amount"]))
        return {day: (len(amounts), sum(amounts, Decimal())) for day, amounts in days.items()}

    def _line(self) -> str:
        self._next += 1
        day, amount = self._random.randint(1, 28), self._random.randint(100, 99999)
        status = self._random.choice(("completed", "returned"))
        return f"{self._next},{self._random.randint(1, 20)},2026-04-{day:02d},{amount / 100:.2f},{status}"

    def _lamina(self, *arguments: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self._command(*arguments),
            env=environment,
            capture_output=True,
            text=True,
            timeout=_RUN_SECONDS,
            check=False,
        )

    def _command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "lamina", *arguments, "--project-dir", str(self.folder), "--output", "json"]
