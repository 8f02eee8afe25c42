"""`lamina history`: list the latest runs.

Job: look back, 1
"""

from typing import TYPE_CHECKING

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.values.words import counted

if TYPE_CHECKING:
    from lamina.values.result import RunLine


@answer_command("history", sentence="List the latest runs, newest first.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many")
def command(options: Options, limit: int) -> Answer:
    """List."""
    from lamina.values.codec import to_builtins

    runs = options.open().history(limit=limit)

    def show(screen: Screen) -> None:
        from lamina.cli.ledger import Ledger

        table = Ledger("run", "command", "status", "what it did")
        for run in runs:
            table.add(run.run_id, run.command, run.status.replace("_", " "), run_words(run))
        screen.out.print(table if runs else "nothing has run yet")

    return Answer(status="ok", body={"runs": to_builtins(runs)}, show=show)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import RunLine

    return {"runs": tuple[RunLine, ...]}


def run_words(run: "RunLine") -> str:
    """Say how a run ended; its id already says when it began."""
    from lamina.values.time_words import duration_words

    if run.finished_at is None:
        return "what it published is kept" if run.status == "killed" else ""
    counts = {"built": run.tables_built, "failed": run.tables_failed}
    parts = [f"{count} {word}" for word, count in counts.items() if count]
    parts += [counted(run.rows_written, "row")] if run.tables_built else []
    return ", ".join([*parts, duration_words(run.duration_ms / 1000)])
