"""`lamina freshness`: say how old the newest rows of models and sources are.

Job: run, 7
"""

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.cli.selection import selection_options

_STYLES = {"fresh": "green", "warn": "yellow", "error": "red", "unknown": "dim"}


@answer_command("freshness", sentence="Say how old the newest rows are of models and sources that have `[freshness]`.")
@selection_options
@click.option("--execution-time", metavar="TIME", help="The time that counts as now")
def command(options: Options, select: tuple[str, ...], exclude: tuple[str, ...], execution_time: str | None) -> Answer:
    """Look at the tables and answer."""
    from lamina.cli.live import shown_if_needed
    from lamina.values.codec import to_builtins

    with shown_if_needed(options) as emit:
        result = options.open(emit).freshness(select, exclude=exclude, execution_time=execution_time)

    def show(screen: Screen) -> None:
        from rich.text import Text

        from lamina.cli.ledger import Ledger
        from lamina.cli.render import show_diagnostics
        from lamina.values.time_words import duration_words

        show_diagnostics(screen, result.diagnostics)
        table = Ledger("table", "status", "newest", "age", "why", labelled=("newest", "age"))
        items = (*result.models, *result.sources)
        for item in items:
            limits = (("warn", item.warn_after), ("error", item.error_after))
            allowed = ", ".join(f"{word} after {limit}" for word, limit in limits if limit is not None)
            table.add(
                item.name,
                Text(item.status, style="red" if item.is_fault else _STYLES[item.status]),
                item.newest or "",
                duration_words(item.age_seconds) if item.age_seconds is not None else "",
                item.reason or f"{item.column}: {allowed}",
            )
        screen.out.print(table if items else "none of the selected models and sources has `[freshness]`")

    status = "error" if result.exit_code else "ok"
    return Answer(status=status, body=to_builtins(result), show=show, exit_code=result.exit_code)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.freshness import FreshnessResult

    return FreshnessResult
