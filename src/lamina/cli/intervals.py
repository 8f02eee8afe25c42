"""`lamina intervals`: list the ranges of a model by how they stand."""

import click

from lamina.cli.answer import Answer, Options, Screen, answer_command
from lamina.cli.asking import time_of


@answer_command("intervals", sentence="List the ranges of a model: built, missing, pending, failed, waiting.")
@click.argument("model")
@click.option("--execution-time", metavar="TIME", help="The time that counts as now")
def command(options: Options, model: str, execution_time: str | None) -> Answer:
    """Look and tell."""
    from lamina.survey import model_intervals
    from lamina.values.codec import to_builtins

    result = model_intervals(options.root, options.variables, model=model, execution_time=time_of(execution_time))

    def show(screen: Screen) -> None:
        from rich.table import Table

        table = Table("range", "from", "to", "", box=None, pad_edge=False)
        for built in result.coverage:
            words = f"by {built.run_id} at {built.built_at}" if built.run_id else ""
            table.add_row("built", built.start, built.end, words)
        for name in ("partial", "missing", "pending", "failed", "waiting"):
            for item in getattr(result, name):
                table.add_row(name, item.start, item.end, item.reason)
        screen.out.print(table)

    return Answer(status="ok", body=to_builtins(result), show=show)
