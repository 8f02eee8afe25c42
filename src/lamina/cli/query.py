"""`lamina query`: run a query over the tables.

Job: look back, 3
"""

import click

from lamina.cli.answer import Answer, Document, Options, answer_command


@answer_command("query", sentence="Run one query over models and sources, by their names, and print its rows.")
@click.argument("sql")
@click.option("--limit", type=click.IntRange(min=1), default=100, show_default=True, help="How many rows at most")
def command(options: Options, sql: str, limit: int) -> Answer:
    """Ask Spark."""
    from logging import ERROR, getLogger

    from lamina.cli.live import shown_if_needed
    from lamina.cli.rows import rows_answer

    # The parser warns of statements that it hands on as they are, such as SHOW.
    getLogger("sqlglot").setLevel(ERROR)
    with shown_if_needed(options) as emit:
        result = options.open(emit).query(sql, limit=limit)
    return rows_answer(result)


def document() -> Document:
    """Return what its JSON document has."""
    from lamina.values.result import QueryResult

    return QueryResult
