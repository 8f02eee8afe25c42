"""A unit test that did not pass, for people: rows that differ in an aligned table, one changed row side by side."""

from collections.abc import Sequence
from typing import Any

from lamina.cli.answer import Screen
from lamina.cli.render import show_diagnostics
from lamina.values.cell_text import cell_text
from lamina.values.diagnostic import Place
from lamina.values.tested import UnitTestResult, difference_words, is_one_changed
from lamina.values.words import counted

_LONGEST = 60


def show_test(screen: Screen, test: UnitTestResult) -> None:
    """Print what is wrong with the rows of a test, or why it could not be run."""
    from rich.text import Text

    place = Place(file=test.file, line=test.line)
    title = Text(f"{test.status}: ", style="bold red").append(f"{test.name}  ", style="bold")
    screen.out.print(title.append(f"{test.model}  {place.file}:{place.line}", style="dim"))
    if test.error is not None:
        show_diagnostics(screen, (test.error,))
        return
    for line in difference_lines(test):
        screen.out.print(Text(f"  {line}"))
    screen.out.print("")


def difference_lines(test: UnitTestResult) -> list[str]:
    """Return the lines that show how rows differ."""
    if is_one_changed(test):
        return _side_by_side(test)
    rows = [(row.side, *map(_cell, row.values)) for row in test.examples]
    left = test.missing + test.extra - len(rows)
    more = [f"... and {counted(left, 'row')} more"] if left else []
    return [difference_words(test), *aligned(("", *test.columns), rows), *more]


def _side_by_side(test: UnitTestResult) -> list[str]:
    """Show one row that came out otherwise: the columns that are as expected, and those that are not."""
    by_side = {row.side: row.values for row in test.examples}
    pairs = list(zip(test.columns, by_side["missing"], by_side["extra"], strict=True))
    changed = [(name, _cell(one), _cell(other)) for name, one, other in pairs if one != other]
    same = [f"{name} = {_cell(one)}" for name, one, other in pairs if one == other]
    where = f", where {', '.join(same)}" if same else ""
    sentence = f"one row differs in {len(changed)} of {counted(len(pairs), 'column')}{where}"
    return [sentence, *aligned(("column", "expected", "given by the model"), changed)]


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines with columns below each other.

    >>> aligned(("", "day"), [("extra", "2026-04-07")])
    ['       day', 'extra  2026-04-07']
    """
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (header, *rows))
    return [line.rstrip() for line in lines]


def _cell(value: Any) -> str:
    text = "".join(letter if letter.isprintable() else "\ufffd" for letter in cell_text(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
