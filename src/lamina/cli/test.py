"""`lamina test`: run unit tests of models.

Job: trust, 2
"""

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command
from lamina.cli.selection import selection_options
from lamina.errors import UsageError
from lamina.values.closing import unit_test_closing
from lamina.values.tested import CreatedTest


@answer_command("test", sentence="Run the unit tests in `tests/`: models over given rows, compared with expected rows.")
@selection_options
@click.option("--create", metavar="MODEL", help="Write a test of this model from current rows, and run it.")
@click.option("--partition", metavar="KEY", help="With `--create`: the slice to test, of a model that has slices.")
def command(
    options: Options, select: tuple[str, ...], exclude: tuple[str, ...], create: str | None, partition: str | None
) -> Answer:
    """Run tests, or write one."""
    from lamina.cli.live import shown_if_needed
    from lamina.values.codec import to_builtins

    if create is not None and (select or exclude):
        raise UsageError("`--create` names its model itself", hint="leave `--select` and `--exclude` out")
    if create is None and partition is not None:
        raise UsageError("`--partition` goes with `--create`", hint="a test file has the partition of each test")
    with shown_if_needed(options) as emit:
        report = options.open(emit).test(select, exclude=exclude, create=create, partition=partition)

    def show(screen: Screen) -> None:
        from lamina.cli.test_words import show_test

        for item in report.tests:
            if item.status != "passed":
                show_test(screen, item)
        if report.created is not None:
            screen.out.print(_written(report.created))
        screen.out.print(unit_test_closing(report), style="bold")

    return Answer(status=report.status, body=to_builtins(report), show=show, exit_code=report.exit_code)


def _written(created: CreatedTest) -> str:
    counts = [f"{count} of `{table}`" for table, count in created.rows_given.items()]
    rows = f"given rows: {', '.join(counts)}; " if counts else ""
    return f"wrote `{created.name}` to `{created.file}`; {rows}expected rows: {created.rows_expected}"


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.tested import UnitTestReport

    return UnitTestReport
