"""`lamina check`: run the checks on the published tables.

Job: run, 6
"""

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.cli.selection import selection_options


@answer_command("check", sentence="Run the checks of models over their published tables; nothing is built.")
@selection_options
def command(options: Options, select: tuple[str, ...], exclude: tuple[str, ...]) -> Answer:
    """Check."""
    from lamina.cli.live import shown
    from lamina.cli.words import open_ended
    from lamina.values.codec import to_builtins

    with shown(options) as emit:
        report = options.open(emit).check(select, exclude=exclude)

    def show(screen: Screen) -> None:
        from lamina.cli.failed_checks import failed_words
        from lamina.cli.render import show_diagnostics
        from lamina.values.closing import check_closing

        show_diagnostics(screen, report.diagnostics)
        for item in report.not_checked:
            screen.out.print(f"{item.model}: {item.reason}", style="red" if item.is_fault else "dim")
        for check in report.check_results:
            if not check.passed:
                screen.out.print(failed_words(check), style="yellow" if check.severity == "warn" else "red")
        screen.out.print(check_closing(report), style="bold")

    body = open_ended(to_builtins(report))
    return Answer(status=report.status, body=body, show=show, exit_code=report.exit_code)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import CheckReport

    return CheckReport
