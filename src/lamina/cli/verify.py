"""`lamina verify`: prove that tables equal a recompute.

Job: trust, 1
"""

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.cli.selection import selection_options
from lamina.values.closing import verify_closing

_STYLES = {"equal": "green", "different": "red", "failed": "red", "unverifiable": "yellow"}


@answer_command("verify", sentence="Recompute tables over the inputs they consumed, and compare row by row.")
@selection_options
@click.option("--sample", is_flag=True, help="Compare a few slices of each model with slices, not all of them.")
@click.option("--strict", is_flag=True, help="Exit 1 if no table could be compared.")
def command(options: Options, select: tuple[str, ...], exclude: tuple[str, ...], sample: bool, strict: bool) -> Answer:
    """Recompute and compare."""
    from lamina.cli.live import shown
    from lamina.values.codec import to_builtins

    with shown(options) as emit:
        result = options.open(emit).verify(select, exclude=exclude, sample=sample, strict=strict)

    def show(screen: Screen) -> None:
        from rich.text import Text

        from lamina.cli.ledger import Ledger
        from lamina.cli.render import show_diagnostics

        show_diagnostics(screen, result.diagnostics)
        built = tuple(item for item in result.models if item.is_built)
        table = Ledger("model", "verdict", "rows", "missing", "extra", "why", right=("rows", "missing", "extra"))
        for item in built:
            verdict = Text(item.status, style=_STYLES[item.status])
            counts = (f"{item.rows_actual:,}", f"{item.missing:,}", f"{item.extra:,}")
            table.add(item.model, verdict, *counts, item.reason)
        if built:
            screen.out.print(table)
        for item in built:
            for example in item.examples:
                screen.out.print(f"  {item.model}: {example}")
        screen.out.print(verify_closing(result.models), style="bold")
        if built and result.status == "unverifiable":
            screen.err.print("warning: no table could be compared, so nothing is proven", style="yellow")

    return Answer(status=result.status, body=to_builtins(result), show=show, exit_code=result.exit_code)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import VerifyResult

    return VerifyResult
