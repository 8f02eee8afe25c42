"""Old rows against new ones by checksums, for each set of columns someone reads: what early cutoff is decided by.

One pass over both sides answers every question: checksums of new rows less those of old ones are summed by the units
of each filter column, and those sums add up to that of the whole.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from lamina.values.batch import Diff, DiffQuestion
from lamina.values.grid import Unit
from lamina.values.interval import merge
from lamina.values.names import folded
from lamina.values.schema import Column, Schema
from lamina.values.touch import Refinement
from lamina.values.value import Value
from lamina.warehouse.spark.checksum import SALTS, row_hash, sums_of, value_hashes
from lamina.warehouse.spark.diff_questions import ALL, compared
from lamina.warehouse.spark.diff_units import common_unit, known_unit, unit_around, unit_sql
from lamina.warehouse.sql import quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Sides = Callable[[list[str]], "DataFrame"]  # some columns of both sides, with the sign of each row

SIGN = "lamina__sign"  # 1 for a new row, -1 for an old one

_BY, _UNIT = "lamina__by", "lamina__unit"


class Pass(Value, frozen=True):
    """What one pass over both sides sums: sets of columns, by the units of some filter columns."""

    sets: tuple[Schema, ...]
    units: dict[str, Unit]  # by filter column, in lower case

    @property
    def columns(self) -> tuple[Column, ...]:
        """Return every column that is read, once."""
        return tuple(dict.fromkeys(column for columns in self.sets for column in columns))


class Change(Value, frozen=True):
    """How far the checksums of both sides differ, in one unit of one filter column."""

    by: str | None  # the filter column
    unit: int | None  # its first microsecond; None: rows without a time, or no filter column
    rows: int
    sums: dict[Schema, tuple[int, ...]]

    def of(self, columns: Schema) -> tuple[int, ...]:
        """Return how far the rows differ in some columns; without any they are only counted."""
        return (self.rows, *self.sums.get(columns, ()))


def of_versions(old: "DataFrame", new: "DataFrame") -> Sides:
    """Compare the rows of two versions."""
    return lambda names: old.selectExpr(*names, f"-1L AS {SIGN}").unionAll(new.selectExpr(*names, f"1L AS {SIGN}"))


def of_rows(rows: "DataFrame") -> Sides:
    """Sum the rows of one version alone."""
    return lambda names: rows.selectExpr(*names, f"1L AS {SIGN}")


def of_changes(changes: "DataFrame") -> Sides:
    """Compare the rows of the files that one commit removed with those of the files it added."""
    # A filter by the kind of change would be given to Iceberg, which refuses it.
    return lambda names: changes.selectExpr(*names, f"if(_change_type = 'DELETE', -1L, 1L) AS {SIGN}")


def diff_sides(sides: Sides, questions: tuple[DiffQuestion, ...], *, before: Schema, after: Schema) -> Diff:
    """Compare old rows with new ones and answer each question that can be answered."""
    asked = tuple(dict.fromkeys((ALL, *questions)))
    answerable = {question: columns for question in asked if (columns := compared(question, before, after)) is not None}
    if not answerable:
        return Diff(is_equal=False, refinements=())
    plan = pass_of(answerable)
    changes = sum_rows(sides, plan)
    answers = {question: _answer(question, columns, plan, changes) for question, columns in answerable.items()}
    whole = answers.get(ALL)
    return Diff(
        is_equal=whole is not None and whole.is_equal,
        refinements=tuple(answer for question in questions if (answer := answers.get(question)) is not None),
    )


def pass_of(answerable: dict[DiffQuestion, Schema]) -> Pass:
    """Return the one pass that answers all questions: each set of columns once, each filter column by one unit."""
    asked: dict[str, set[Unit]] = {}
    for question in answerable:
        if question.filter_column is not None:
            asked.setdefault(folded(question.filter_column), set()).add(known_unit(question.unit))
    units = {name: common_unit(asked[name]) for name in sorted(asked)}
    return Pass(sets=tuple(dict.fromkeys(columns for columns in answerable.values() if columns)), units=units)


def sum_rows(sides: Sides, plan: Pass) -> tuple[Change, ...]:
    """Return the checksums of new rows less those of old ones, in one job."""
    from pyspark.sql import functions

    keys = (_BY, _UNIT) if plan.units else ()
    found = _hashed(sides, plan).groupBy(*keys).agg(*map(functions.expr, sums_of_sets(plan))).collect()
    return tuple(_change(tuple(row), plan) for row in found)


def _hashed(sides: Sides, plan: Pass) -> "DataFrame":
    """Return for each row its sign, its unit of each filter column, and its hash for each set of columns."""
    names = {folded(column.name): column.name for column in plan.columns}
    units = [f"{unit_sql(names[name], unit)} AS u{place}" for place, (name, unit) in enumerate(plan.units.items())]
    values, rows = hashes_of(plan)
    read = sides([quote(name) for name in names.values()])
    return read.selectExpr(SIGN, *units, *values).selectExpr(SIGN, *_keys(len(units)), *rows)


def hashes_of(plan: Pass) -> tuple[list[str], list[str]]:
    """Return the hashes of each value, and by their names those of each row for each set of columns."""
    places = {column: place for place, column in enumerate(plan.columns)}
    values = [
        f"{hashed} AS {_value_name(place, salt)}"
        for column, place in places.items()
        for salt, hashed in zip(SALTS, value_hashes(column), strict=True)
    ]
    rows = [
        f"{row_hash(_value_name(places[column], salt) for column in columns)} AS {_row_name(place, salt)}"
        for place, columns in enumerate(plan.sets)
        for salt in SALTS
    ]
    return values, rows


def sums_of_sets(plan: Pass) -> tuple[str, ...]:
    """Return the count of rows, and the sums of the hashes of each set of columns."""
    hashes = [_row_name(place, salt) for place in range(len(plan.sets)) for salt in SALTS]
    return (f"sum({SIGN})", *(part for hashed in hashes for part in sums_of(hashed, SIGN)))


def _keys(units: int) -> tuple[str, ...]:
    """Return what rows are grouped by; a row counts once for each filter column."""
    # Grouped by all of them together, unrelated filter columns would give a group for nearly every row.
    if units > 1:
        each = ", ".join(f"struct({place} AS {_BY}, u{place} AS {_UNIT})" for place in range(units))
        return (f"inline(array({each}))",)
    return (f"0 AS {_BY}", f"u0 AS {_UNIT}") if units else ()


def _value_name(place: int, salt: int) -> str:
    return f"v{place}_{salt}"


def _row_name(place: int, salt: int) -> str:
    return f"r{place}_{salt}"


def _change(row: tuple[int | None, ...], plan: Pass) -> Change:
    by, unit = row[:2] if plan.units else (0, None)
    rows, *sums = (item or 0 for item in (row[2:] if plan.units else row))
    return Change(
        by=tuple(plan.units)[by or 0] if plan.units else None,
        unit=unit,
        rows=rows,
        sums=dict(zip(plan.sets, sums_by_set(sums, len(plan.sets)), strict=True)),
    )


def sums_by_set(sums: list[int], sets: int) -> tuple[tuple[int, ...], ...]:
    """Return the sums of each set of columns, of all of them in one row."""
    width = len(sums) // max(sets, 1)
    return tuple(tuple(sums[at * width : (at + 1) * width]) for at in range(sets))


def _answer(question: DiffQuestion, columns: Schema, plan: Pass, changes: tuple[Change, ...]) -> Refinement | None:
    """Return what is proven for one question: equal, or changed only in some units."""
    if question.filter_column is None:
        first = next(iter(plan.units), None)
        parts = zip(*(change.of(columns) for change in changes if change.by == first), strict=True)
        return None if any(sum(part) for part in parts) else Refinement(columns=question.columns)
    by, unit = folded(question.filter_column), known_unit(question.unit)
    changed = [change.unit for change in changes if change.by == by and any(change.of(columns))]
    if not changed:
        return Refinement(columns=question.columns)
    # A row without a time lies in no range.
    ranges = merge(tuple(unit_around(start, unit) for start in changed if start is not None))
    return Refinement(columns=question.columns, filter_column=question.filter_column, ranges=ranges)
