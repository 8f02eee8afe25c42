"""The columns of a seed: declared in its settings, or inferred from its text; every row must fit the header."""

import csv
import io
import re
from collections.abc import Callable, Iterator

from lamina.project.rules import invalid_seed
from lamina.project.typed_text import is_value
from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.names import ColumnName, folded, folded_names
from lamina.values.schema import Column, DataType

WHOLE = r"[+-]?(0|[1-9]\d{0,17})"  # a leading zero marks a code, such as a postal code
INTEGER = re.compile(WHOLE, re.ASCII)
DECIMAL = re.compile(WHOLE + r"(?:\.(\d{1,18}))?", re.ASCII)


def seed_columns(path: str, text: str, *, declared: tuple[Column, ...]) -> tuple[tuple[Column, ...], list[Diagnostic]]:
    """Return the columns of a seed in the order of its header, and what is wrong with its rows."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        columns = _read_columns(reader, declared)
    except (csv.Error, _NotTable) as error:
        return (), [invalid_seed.finding(str(error), place=Place(file=path, line=max(reader.line_num, 1)))]
    return columns, []


class _NotTable(Exception):
    """The rows do not make a table."""


def _read_columns(rows: Iterator[list[str]], declared: tuple[Column, ...]) -> tuple[Column, ...]:
    header = [name.strip() for name in next(rows, [])]
    known = {folded(column.name): column for column in declared}
    names = folded_names(header)
    if not header:
        raise _NotTable("it has no header")
    if len(names) < len(header) or "" in names:
        raise _NotTable("a name in its header is empty or repeated")
    if absent := [column.name for column in declared if folded(column.name) not in names]:
        raise _NotTable(f"no column `{absent[0]}` in its header")
    guesses = [_Guess() for _ in header]
    for row in rows:
        if row and len(row) != len(header):
            raise _NotTable(f"{len(row)} values under {len(header)} names")
        for guess, value in zip(guesses, row, strict=False):
            if value:
                guess.take(value)
    return tuple(
        known.get(folded(name)) or Column(name=ColumnName(name), type=guess.type())
        for name, guess in zip(header, guesses, strict=True)
    )


class _Guess:
    """Own what the values of one column seen so far can still be; empty values are null and say nothing."""

    def __init__(self) -> None:
        self.possible = list(TESTS)
        self.is_empty = True
        self.whole = self.scale = 0

    def take(self, value: str) -> None:
        """Drop the types this value does not have."""
        self.is_empty = False
        self.possible = [test for test in self.possible if test[1](value)]
        if self.possible and self.possible[-1][0] == "decimal" and (number := DECIMAL.fullmatch(value)):
            self.whole = max(self.whole, len(number[1]))
            self.scale = max(self.scale, len(number[2] or ""))

    def type(self) -> DataType:
        """Return the narrowest type that is left."""
        if self.is_empty or not self.possible:
            return DataType("string")
        name = self.possible[0][0]
        return DataType(f"decimal({self.whole + self.scale},{self.scale})" if name == "decimal" else name)


TESTS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("boolean", lambda value: value in ("true", "false")),
    ("date", lambda value: is_value(value, DataType("date"))),
    ("timestamp", lambda value: len(value) > 10 and is_value(value, DataType("timestamp"))),
    ("bigint", lambda value: INTEGER.fullmatch(value) is not None),
    ("decimal", lambda value: DECIMAL.fullmatch(value) is not None),
)
