"""`lamina intervals`: list the ranges of a model by how they stand."""

import click

from lamina.cli.answer import Answer, Options, Screen, answer_command
from lamina.cli.asking import time_of
from lamina.values.result import IntervalsResult

STANDINGS = ("partial", "missing", "pending", "failed", "waiting")


@answer_command("intervals", sentence="List the ranges of a model: built, missing, pending, failed, waiting.")
@click.argument("model")
@click.option("--execution-time", metavar="TIME", help="The time that counts as now")
def command(options: Options, model: str, execution_time: str | None) -> Answer:
    """Look and tell."""
    from lamina.survey import model_intervals
    from lamina.values.codec import to_builtins

    result = model_intervals(options.root, options.variables, model=model, execution_time=time_of(execution_time))

    def show(screen: Screen) -> None:
        from lamina.cli.ledger import Ledger

        lines = _lines(result)
        is_whole = bool(lines) and not any(start for _, start, _, _ in lines)
        if is_whole:
            screen.out.print(f"{result.model} has no intervals: it is built as a whole")
        table = Ledger("range", "why") if is_whole else Ledger("range", "from", "to", "why")
        for name, start, end, why in lines:
            table.add(*((name, why) if is_whole else (name, start, end, why)))
        screen.out.print(table)

    return Answer(status="ok", body=to_builtins(result), show=show)


def _lines(result: IntervalsResult) -> list[tuple[str, str, str, str]]:
    built = [
        ("built", item.start, item.end, f"by {item.run_id} at {item.built_at}" if item.run_id else "")
        for item in result.coverage
    ]
    others = [(name, item.start, item.end, item.reason) for name in STANDINGS for item in getattr(result, name)]
    return [*built, *others]
