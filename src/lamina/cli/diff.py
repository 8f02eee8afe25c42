"""`lamina diff`: compare two tables, or two versions of one, row by row.

Job: look back, 5
"""

import click

from lamina.cli.answer import Answer, Document, Options, Screen, answer_command


@answer_command("diff", sentence="Compare two tables, or two versions of one: columns, rows, and which values differ.")
@click.argument("left")
@click.argument("right")
@click.option(
    "--key",
    multiple=True,
    metavar="COLUMN",
    help="Match rows by this column; may be repeated. Default: the `unique_key` of the model, else whole rows",
)
@click.option("--limit", default=5, show_default=True, help="Show at most so many rows of each kind of difference")
@click.option("--exit-code", is_flag=True, help="Exit 1 if they differ")
def command(options: Options, left: str, right: str, *, key: tuple[str, ...], limit: int, exit_code: bool) -> Answer:
    """Compare and answer."""
    from lamina.cli.live import shown
    from lamina.values.codec import to_builtins

    with shown(options) as emit:
        result = options.open(emit).diff(left, right, key=key, limit=limit, exit_code=exit_code)

    def show(screen: Screen) -> None:
        from lamina.values.diff_words import diff_lines

        for line in diff_lines(result):
            screen.out.print(line)

    return Answer(status=result.status, body=to_builtins(result), show=show, exit_code=result.exit_code)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.table_diff import DiffResult

    return DiffResult
