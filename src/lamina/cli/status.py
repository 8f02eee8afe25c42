"""`lamina status`: say how every model stands."""

import click

from lamina.cli.answer import Answer, Options, Screen, answer_command
from lamina.cli.asking import time_of
from lamina.cli.selection import selection_options

_STYLES = {"current": "green", "stale": "yellow", "not_built": "yellow", "failed": "red", "blocked": "red"}


@answer_command("status", sentence="Say which models are current, stale, waiting or failed, and why.")
@selection_options
@click.option("--execution-time", metavar="TIME", help="The time that counts as now")
def command(options: Options, select: tuple[str, ...], exclude: tuple[str, ...], execution_time: str | None) -> Answer:
    """Look and tell."""
    from lamina.survey import project_status
    from lamina.values.codec import to_builtins

    result = project_status(
        options.root, options.variables, include=select, exclude=exclude, execution_time=time_of(execution_time)
    )

    def show(screen: Screen) -> None:
        from rich.text import Text

        from lamina.cli.ledger import Ledger
        from lamina.cli.words import spans_words

        table = Ledger("model", "status", "built", "why", labelled=("built",))
        for item in result.models:
            table.add(
                item.model,
                Text(item.status.replace("_", " "), style=_STYLES.get(item.status, "cyan")),
                spans_words(item.built),
                ": ".join(filter(None, (spans_words(item.stale), item.reason))),
            )
        screen.out.print(table if result.models else "nothing that is selected has a table of its own")

    return Answer(status="ok", body=to_builtins(result), show=show)
