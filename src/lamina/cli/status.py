"""`lamina status`: say how up to date every model is, and why.

Job: trust, 3
"""

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.cli.selection import selection_options

_STYLES = {"current": "green", "stale": "yellow", "not_built": "yellow", "failed": "red", "blocked": "red"}


@answer_command("status", sentence="Say which models are current, stale, waiting or failed, and why.")
@selection_options
@click.option("--execution-time", metavar="TIME", help="The time that counts as now")
def command(options: Options, select: tuple[str, ...], exclude: tuple[str, ...], execution_time: str | None) -> Answer:
    """Look at the project and answer."""
    from lamina.cli.live import shown_if_needed
    from lamina.cli.words import open_ended
    from lamina.values.codec import to_builtins

    with shown_if_needed(options) as emit:
        result = options.open(emit).status(select, exclude=exclude, execution_time=execution_time)

    def show(screen: Screen) -> None:
        from rich.text import Text

        from lamina.cli.ledger import Ledger
        from lamina.cli.render import show_diagnostics
        from lamina.values.time_words import spans_words

        show_diagnostics(screen, result.diagnostics)
        table = Ledger("model", "status", "built", "why", labelled=("built",))
        for item in result.models:
            table.add(
                item.model,
                Text(item.status.replace("_", " "), style=_STYLES.get(item.status, "cyan")),
                spans_words(item.built, item.timezone),
                ": ".join(filter(None, (spans_words(item.stale, item.timezone), item.reason))),
            )
        screen.out.print(table if result.models else "none of the selected models has a table")

    status = "error" if result.exit_code else "ok"
    return Answer(status=status, body=open_ended(to_builtins(result)), show=show, exit_code=result.exit_code)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import StatusResult

    return StatusResult
