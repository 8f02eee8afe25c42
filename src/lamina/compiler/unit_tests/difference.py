"""Expected rows against those a model gave, as multisets over the columns that the test lists."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lamina.compiler.unit_tests.case import PlainRow
from lamina.compiler.unit_tests.plain import comparable
from lamina.compiler.unit_tests.rows import TypedRows
from lamina.compiler.unit_tests.written import answered, written
from lamina.values.names import folded
from lamina.values.schema import Schema
from lamina.values.tested import DifferentRow, Side

MOST_SHOWN = 20  # rows of each side in an answer


class Difference(NamedTuple):
    """The rows that one side lacks, each as often as it lacks it."""

    missing: tuple[PlainRow, ...]
    extra: tuple[PlainRow, ...]


def difference(expected: TypedRows, columns: Schema, rows: Sequence[PlainRow]) -> Difference:
    """Return which expected rows are missing, and which rows that a query gave are extra."""
    positions = {folded(column.name): number for number, column in enumerate(columns)}
    chosen = [positions[folded(column.name)] for column in expected.columns]
    given = [tuple(row[position] for position in chosen) for row in rows]
    return Difference(missing=_beyond(expected.rows, given), extra=_beyond(given, expected.rows))


def _beyond(rows: Iterable[PlainRow], others: Iterable[PlainRow]) -> tuple[PlainRow, ...]:
    """Return the rows that others lack, in their order."""
    left = Counter(comparable(row) for row in others)
    found = []
    for row in rows:
        key = comparable(row)
        if left[key] > 0:
            left[key] -= 1
        else:
            found.append(row)
    return tuple(found)


def examples_of(found: Difference, columns: Schema) -> tuple[DifferentRow, ...]:
    """Return rows of a difference for an answer, some of each side."""
    sides: tuple[tuple[Side, tuple[PlainRow, ...]], ...] = (("missing", found.missing), ("extra", found.extra))
    return tuple(
        DifferentRow(
            side=side,
            values=tuple(answered(written(cell, column.type)) for cell, column in zip(row, columns, strict=True)),
        )
        for side, rows in sides
        for row in rows[:MOST_SHOWN]
    )
