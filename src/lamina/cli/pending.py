"""`lamina pending`: list everything that is not built or not read yet, and why.

Job: trust, 4
"""

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.cli.selection import selection_options

_STYLES = {"stale": "yellow", "not_built": "yellow", "failed": "red", "blocked": "red"}


@answer_command(
    "pending", sentence="List the ranges that are not built, owe rows to an input, wait or failed, and why."
)
@selection_options
@click.option("--execution-time", metavar="TIME", help="The time that counts as now")
def command(options: Options, select: tuple[str, ...], exclude: tuple[str, ...], execution_time: str | None) -> Answer:
    """Look at the project and answer."""
    from lamina.cli.live import shown_if_needed
    from lamina.values.codec import to_builtins

    with shown_if_needed(options) as emit:
        result = options.open(emit).pending(select, exclude=exclude, execution_time=execution_time)

    def show(screen: Screen) -> None:
        from rich.text import Text

        from lamina.cli.ledger import Ledger
        from lamina.cli.render import show_diagnostics
        from lamina.values.pending_words import pending_closing, pending_lines

        show_diagnostics(screen, result.diagnostics)
        lines = pending_lines(result.pending)
        has_rows = any(line.rows for line in lines)
        table = Ledger("model", "status", "slices", *(("rows",) if has_rows else ()), "why")
        for line in lines:
            status = Text(line.status.replace("_", " "), style=_STYLES.get(line.status, "cyan"))
            table.add(line.model, status, line.slices, *((line.rows,) if has_rows else ()), line.why)
        if lines:
            screen.out.print(table)
        screen.out.print(pending_closing(result), style="bold")

    status = "error" if result.exit_code else "ok"
    return Answer(status=status, body=to_builtins(result), show=show, exit_code=result.exit_code)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.pending import PendingResult

    return PendingResult
