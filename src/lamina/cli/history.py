"""`lamina history`: list the latest runs."""

import click

from lamina.cli.answer import Answer, Options, Screen, answer_command


@answer_command("history", sentence="List the latest runs, newest first.")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many")
def command(options: Options, limit: int) -> Answer:
    """List."""
    from lamina.survey import project_history
    from lamina.values.codec import to_builtins

    runs = project_history(options.root, options.variables, limit=limit)

    def show(screen: Screen) -> None:
        from rich.table import Table

        from lamina.cli.words import duration_words

        if not runs:
            screen.out.print("nothing has run yet")
            return
        table = Table(
            "run", "command", "status", "started", "built", "failed", "rows", "time", box=None, pad_edge=False
        )
        for run in runs:
            seconds = duration_words(run.duration_ms / 1000) if run.finished_at else ""
            counts = (str(run.tables_built), str(run.tables_failed), f"{run.rows_written:,}")
            table.add_row(run.run_id, run.command, run.status, run.started_at, *counts, seconds)
        screen.out.print(table)

    return Answer(status="ok", body={"runs": to_builtins(runs)}, show=show)
