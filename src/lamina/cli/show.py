"""`lamina show`: print some rows of a model.

Job: look back, 4
"""

import click

from lamina.cli.answer import Answer, Document, Options, answer_command


@answer_command("show", sentence="Print some rows of a model's table.")
@click.argument("model")
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="How many rows at most")
def command(options: Options, model: str, limit: int) -> Answer:
    """Read the table."""
    from lamina.cli.live import shown_if_needed
    from lamina.cli.rows import rows_answer

    with shown_if_needed(options) as emit:
        result = options.open(emit).show(model, limit=limit)
    return rows_answer(result)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import QueryResult

    return QueryResult
