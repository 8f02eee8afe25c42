"""Rows for people and for programs."""

from lamina.cli.answer import Answer, Screen
from lamina.values.cell_text import cell_text
from lamina.values.codec import to_builtins
from lamina.values.result import QueryResult


def rows_answer(result: QueryResult) -> Answer:
    """Return the answer of a command that prints rows."""

    def show(screen: Screen) -> None:
        from rich.table import Table

        table = Table(*(column.name for column in result.columns), box=None, pad_edge=False)
        for row in result.rows:
            table.add_row(*map(cell_text, row))
        screen.out.print(table)
        if result.is_cut:
            screen.err.print(f"only the first {len(result.rows):,} rows; `--limit` shows more")

    return Answer(status="ok", body=to_builtins(result), show=show)
