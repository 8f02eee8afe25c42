"""`lamina intervals`: list the ranges of a model: built, missing, stale, failed.

Job: trust, 5
"""

from datetime import datetime
from zoneinfo import ZoneInfo

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.values.result import IntervalsResult

STANDINGS = ("partial", "missing", "pending", "failed", "waiting", "surplus")


@answer_command("intervals", sentence="List the ranges of a model: built, missing, pending, failed, waiting, surplus.")
@click.argument("model")
@click.option("--execution-time", metavar="TIME", help="The time that counts as now")
def command(options: Options, model: str, execution_time: str | None) -> Answer:
    """Look at the project and answer."""
    from lamina.cli.live import shown_if_needed
    from lamina.values.codec import to_builtins

    with shown_if_needed(options) as emit:
        result = options.open(emit).intervals(model, execution_time=execution_time)

    def show(screen: Screen) -> None:
        from lamina.cli.ledger import Ledger
        from lamina.cli.render import show_diagnostics

        show_diagnostics(screen, result.diagnostics)
        lines = _lines(result)
        is_whole = bool(lines) and not any(start for _, start, _, _ in lines)
        if is_whole and not result.diagnostics:
            screen.out.print(f"{result.model} has no intervals: it is built as a whole")
        table = Ledger("range", "why") if is_whole else Ledger("range", "from", "to", "why")
        for name, start, end, why in lines:
            table.add(*((name, why) if is_whole else (name, start, end, why)))
        screen.out.print(table)

    status = "error" if result.exit_code else "ok"
    return Answer(status=status, body=to_builtins(result), show=show, exit_code=result.exit_code)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import IntervalsResult

    return IntervalsResult


def _lines(result: IntervalsResult) -> list[tuple[str, str, str, str]]:
    zone = result.timezone
    built = [
        (
            "built",
            _local(item.start, zone),
            _local(item.end, zone),
            f"by {item.run_id} at {item.built_at}" if item.run_id else "",
        )
        for item in result.coverage
    ]
    others = [
        (name, _local(item.start, zone), _local(item.end, zone), item.reason)
        for name in STANDINGS
        for item in getattr(result, name)
    ]
    return [*built, *others]


def _local(instant: str | None, zone: str) -> str:
    """Return an instant in the model's zone, with how far that is from UTC; nothing for a bound that is not there."""
    if zone == "UTC" or not instant:
        return instant or ""
    return datetime.fromisoformat(instant).astimezone(ZoneInfo(zone)).isoformat()
