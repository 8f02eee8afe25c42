"""`lamina history`: list the latest runs, or what the checks of a model said.

Job: look back, 1
"""

from typing import TYPE_CHECKING

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.values.words import counted

if TYPE_CHECKING:
    from lamina.values.result import CheckLine, RunLine


@answer_command("history", sentence="List the latest runs, newest first; or what the checks of a model said.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many, of each check")
@click.option("--checks", metavar="MODEL", help="The latest results of each check of a model instead of runs")
def command(options: Options, limit: int, checks: str | None) -> Answer:
    """List."""
    from lamina.cli.words import open_ended
    from lamina.values.codec import to_builtins

    if checks is not None:
        lines = options.open().history(limit=limit, checks=checks)
        body = {"runs": [], "checks": open_ended(to_builtins(lines))}
        return Answer(status="ok", body=body, show=lambda screen: _show_checks(screen, lines))
    runs = options.open().history(limit=limit)

    def show(screen: Screen) -> None:
        from lamina.cli.ledger import Ledger

        table = Ledger("run", "command", "status", "what it did")
        for run in runs:
            table.add(run.run_id, run.command, run.status.replace("_", " "), run_words(run))
        screen.out.print(table if runs else "nothing has run yet")

    return Answer(status="ok", body={"runs": to_builtins(runs), "checks": []}, show=show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import CheckLine, RunLine

    return {"runs": tuple[RunLine, ...], "checks": tuple[CheckLine, ...]}


def _show_checks(screen: Screen, lines: "tuple[CheckLine, ...]") -> None:
    from rich.text import Text

    from lamina.cli.ledger import Ledger

    table = Ledger("check", "run", "at", "result", "observed", "rows failed", right=("observed", "rows failed"))
    for line in lines:
        word = "passed" if line.passed else "warned" if line.severity == "warn" else "failed"
        word = "quarantined" if line.rows_quarantined else word
        style = {"passed": "green", "failed": "red"}.get(word, "yellow")
        seen = ["" if value is None else str(value) for value in (line.observed, line.rows_failed)]
        table.add(line.check, line.run_id, line.at, Text(word, style=style), *seen)
    screen.out.print(table if lines else "no checks have run yet")


def run_words(run: "RunLine") -> str:
    """Say how a run ended; its id already says when it began."""
    from lamina.values.time_words import duration_words

    if run.finished_at is None:
        return "what it published is kept" if run.status == "killed" else ""
    counts = {"built": run.tables_built, "failed": run.tables_failed}
    parts = [f"{count} {word}" for word, count in counts.items() if count]
    parts += [counted(run.rows_written, "row")] if run.tables_built else []
    return ", ".join([*parts, duration_words(run.duration_ms / 1000)])
