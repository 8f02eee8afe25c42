"""How two tables differ, in the words a person reads."""

from collections.abc import Iterator
from typing import Any

from lamina.values.cell_text import cell_text
from lamina.values.table_diff import DiffResult, ExampleRow, TableDiff
from lamina.values.words import counted

_SIGNS = {"changed": "~", "only_left": "-", "only_right": "+"}
_LONGEST = 60  # of one value in a row that is shown


def diff_lines(result: DiffResult) -> list[str]:
    """Return what to print of a comparison, the answer first."""
    lines: list[str] = []
    for table in result.tables:
        lines += [f"{result.left} -> {result.right}: {table.status}", *_columns(table), *_rows(table)]
        lines += [f"left out  {item.column}: {item.reason}" for item in table.not_compared]
        lines += [f"note      {note}" for note in table.notes]
        lines += ["", *(example_words(row) for row in table.examples)] if table.examples else []
        if table.examples:
            left = table.only_left + table.only_right + table.rows_changed - sum(row.count for row in table.examples)
            lines += [f"... and {counted(left, 'more row')}; `--limit` shows more"] if left > 0 else []
    return lines


def example_words(row: ExampleRow) -> str:
    """Write a row that differs in one line: its key, then what it has, or what it had and has."""
    key = ", ".join(f"{name} {_short(value)}" for name, value in (row.key or {}).items())
    if row.kind == "changed":
        before, after = row.left or {}, row.right or {}
        values = "; ".join(f"{name} {_short(before[name])} -> {_short(after[name])}" for name in before)
    else:
        held = row.left if row.left is not None else row.right
        values = ", ".join(f"{name} {_short(value)}" for name, value in (held or {}).items())
    times = f" ({row.count:,} times)" if row.count > 1 else ""
    return f"{_SIGNS[row.kind]} {': '.join(filter(None, (key, values)))}{times}"


def _columns(table: TableDiff) -> Iterator[str]:
    columns = table.columns
    words = [*(f"+ {name}" for name in columns.added), *(f"- {name}" for name in columns.removed)]
    words += [f"{item.column} {item.left} -> {item.right}" for item in columns.retyped]
    if words:
        yield f"columns   {'; '.join(words)}"


def _rows(table: TableDiff) -> Iterator[str]:
    if table.rows_left is None or table.rows_right is None:
        return
    found = {"only left": table.only_left, "only right": table.only_right, "changed": table.rows_changed}
    words = ", ".join(f"{count:,} {word}" for word, count in found.items() if count) or "none differs"
    by = f"matched by {', '.join(table.key)}" if table.key else "compared as whole rows"
    yield f"rows      {table.rows_left:,} -> {table.rows_right:,}, {by}: {words}"
    if table.changed:
        most = sorted(table.changed.items(), key=lambda item: (-item[1], item[0]))
        words = ", ".join(f"{name} in {counted(count, 'row')}" for name, count in most)
        yield f"changed   {words}"


def _short(value: Any) -> str:
    text = cell_text(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
