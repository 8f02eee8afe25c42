"""Rows that end in a reason: a table where the screen is wide enough, the reason below its row where it is not."""

from collections.abc import Iterator, Sequence

from rich.console import Console, ConsoleOptions, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

GAP = 2
NARROWEST_REASON = 24  # a reason in fewer columns is a tower of words
INDENT = 4

Cell = str | Text


class Ledger:
    """Rows of short cells and a reason; names are never cut, because people type them again."""

    def __init__(self, *headers: str, right: Sequence[str] = (), labelled: Sequence[str] = ()) -> None:
        self._headers = headers
        self._right = right
        self._labelled = labelled  # cells that mean nothing without the header, where none is above them
        self._rows: list[tuple[Cell, ...]] = []

    def add(self, *cells: Cell) -> None:
        """Add a row; its last cell is the reason."""
        self._rows.append(cells)

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        short = [row[:-1] for row in ([*self._rows, self._headers])]
        widths = [max(len(str(row[place])) for row in short) for place in range(len(self._headers) - 1)]
        taken = sum(width + GAP for width in widths)
        longest = max((len(str(row[-1])) for row in self._rows), default=0)
        if options.max_width - taken >= min(longest, NARROWEST_REASON):
            yield self._table(len(self._headers) if longest else len(self._headers) - 1)
        else:
            yield from self._list()

    def _table(self, columns: int) -> Table:
        table = Table(box=None, pad_edge=False)
        for header in self._headers[:columns]:
            is_reason = header == self._headers[-1]
            table.add_column(
                header,
                justify="right" if header in self._right else "left",
                no_wrap=not is_reason,
                overflow="fold",
            )
        for row in self._rows:
            table.add_row(*row[:columns])
        return table

    def _list(self) -> Iterator[RenderableType]:
        for row in self._rows:
            line = Text(no_wrap=False, overflow="fold")
            for header, cell in zip(self._headers, row[:-1], strict=False):
                if str(cell):
                    label = f"{header} " if header in self._labelled else ""
                    line.append("  " if line else "").append(label).append(cell if label else _with_unit(cell, header))
            yield line
            if reason := str(row[-1]):
                wrapped = Text(reason, style="dim", no_wrap=False, overflow="fold")
                yield Padding(wrapped, (0, 0, 0, INDENT), expand=False)


def _with_unit(cell: Cell, header: str) -> Cell:
    """Say what a bare number counts, where no header is above it."""
    return f"{cell} {header}" if str(cell).replace(",", "").isdigit() else cell
