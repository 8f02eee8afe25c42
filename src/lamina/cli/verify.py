"""`lamina verify`: prove that tables equal a recompute."""

from lamina.cli.answer import Answer, Options, Screen, answer_command
from lamina.cli.selection import selection_options

_STYLES = {"equal": "green", "different": "red", "unverifiable": "yellow"}


@answer_command("verify", sentence="Recompute tables over the inputs they consumed, and compare row by row.")
@selection_options
def command(options: Options, select: tuple[str, ...], exclude: tuple[str, ...]) -> Answer:
    """Recompute and compare."""
    from lamina.cli.live import shown
    from lamina.survey import verify_project
    from lamina.values.codec import to_builtins

    with shown(options) as emit:
        result = verify_project(options.root, options.variables, include=select, exclude=exclude, emit=emit)

    def show(screen: Screen) -> None:
        from rich.table import Table
        from rich.text import Text

        table = Table("model", "verdict", "rows", "missing", "extra", "", box=None, pad_edge=False)
        for item in result.models:
            verdict = Text(item.status, style=_STYLES[item.status])
            counts = (f"{item.rows_actual:,}", f"{item.missing:,}", f"{item.extra:,}")
            table.add_row(item.model, verdict, *counts, item.reason)
        screen.out.print(table)
        for item in result.models:
            for example in item.examples:
                screen.out.print(f"  {item.model}: {example}")
        equal = sum(item.status == "equal" for item in result.models)
        screen.out.print(f"{equal} of {len(result.models)} tables equal a recompute", style="bold")

    body = {"models": to_builtins(result.models)}
    exit_code = 1 if result.status == "different" else 0
    return Answer(status=result.status, body=body, show=show, exit_code=exit_code)
