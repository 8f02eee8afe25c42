"""Old rows against new ones by what a commit's file lists say: where it is plain that rows differ, none are read.

Late rows nearly always show: a day has more rows than before, or a sum beyond its old bounds. That files look alike
proves nothing, so what is equal is found by checksums alone.
"""

from collections.abc import Callable, Iterable
from datetime import MAXYEAR, MINYEAR, UTC, datetime
from typing import Any

from lamina.values.batch import Diff, DiffQuestion
from lamina.values.grid import Unit
from lamina.values.interval import merge
from lamina.values.names import folded
from lamina.values.schema import Schema
from lamina.values.touch import Refinement
from lamina.values.value import Value
from lamina.warehouse.iceberg.data_files import UNREADABLE, FilesOfStep, current_fields, files_of_step
from lamina.warehouse.iceberg.metadata import Metadata
from lamina.warehouse.spark.diff_questions import ALL, compared
from lamina.warehouse.spark.diff_units import common_unit, known_unit, unit_around

# Lists of more files take longer to read than Spark takes to compare the rows of a few of them.
_MOST_FILES = 300

_COUNTS = ("null_value_counts", "nan_value_counts")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_HOUR = 3_600_000_000


class Facts(Value, frozen=True):
    """What is known of the rows of some files without reading them."""

    rows: int
    known: dict[tuple[str, int], Any]  # what, and of the column with which id


class Changed(Value, frozen=True):
    """What one commit did in some partitions."""

    old: Facts
    new: Facts
    start: int | None = None  # first microsecond of the unit; None: rows without a time, or no unit

    def surely_differs(self, columns: frozenset[int]) -> bool:
        """Return whether rows differ in some columns for sure."""
        old, new = self.old.known, self.new.known
        both = (key for key in old.keys() & new.keys() if key[1] in columns)
        return self.old.rows != self.new.rows or any(old[key] != new[key] for key in both)


def diff_by_files(staged: Metadata, questions: tuple[DiffQuestion, ...], *, before: Schema) -> Diff | None:
    """Answer all questions by the files that the last commit removed and added; None where rows must be read."""
    try:
        files = None if staged.snapshot is None else files_of_step(staged.snapshot, most=_MOST_FILES)
        ids = {folded(field["name"]): field["id"] for field in current_fields(staged.pointer)}
    except UNREADABLE:
        return None  # who reads the rows says what is wrong
    if files is None:
        return None
    refinements: list[Refinement] = []
    for question in dict.fromkeys((ALL, *questions)):
        read = compared(question, before, staged.columns)
        if read is None:
            continue
        columns = frozenset(ids[folded(column.name)] for column in read)
        if question.filter_column is None:
            if not _surely_differs(staged, files, columns, ids=ids):
                return None
            continue
        parts = _changed_units(staged, files, question)
        if not parts or not all(part.surely_differs(columns) for part in parts):
            return None
        refinements.append(_refinement(question, parts))
    return Diff(is_equal=False, refinements=tuple(refinements))


def _surely_differs(staged: Metadata, files: FilesOfStep, columns: frozenset[int], *, ids: dict[str, int]) -> bool:
    """Return whether rows differ in some columns for sure, as a whole."""
    # Where a row's partition follows from the columns, another partition cannot make up for a difference in one.
    follows = staged.layouts == 1 and all(ids.get(folded(field.column)) in columns for field in staged.layout)
    parts = _grouped(files, lambda file: tuple(file["partition"].values()) if follows else ())
    whole = _grouped(files, lambda _: ())
    return any(part.surely_differs(columns) for part in (*parts.values(), *whole.values()))


def _changed_units(staged: Metadata, files: FilesOfStep, question: DiffQuestion) -> tuple[Changed, ...]:
    """Return what changed in each unit of a filter column; none where the layout says nothing about it."""
    column = folded(question.filter_column or "")
    place = next((at for at, field in enumerate(staged.layout) if folded(field.column) == column), None)
    # With several layouts a partition value may be of any of them.
    if place is None or staged.layouts > 1 or staged.layout[place].transform not in ("year", "month", "day", "hour"):
        return ()
    unit = known_unit(staged.layout[place].transform)
    if common_unit({unit, known_unit(question.unit)}) != unit:
        return ()
    units = _grouped(files, lambda file: list(file["partition"].values())[place])
    return tuple(part.replace(start=None if value is None else _start(value, unit)) for value, part in units.items())


def _refinement(question: DiffQuestion, parts: tuple[Changed, ...]) -> Refinement:
    unit = known_unit(question.unit)
    # A row without a time lies in no range.
    ranges = merge(tuple(unit_around(part.start, unit) for part in parts if part.start is not None))
    return Refinement(columns=question.columns, filter_column=question.filter_column, ranges=ranges)


def _grouped(files: FilesOfStep, key: Callable[[Any], Any]) -> dict[Any, Changed]:
    """Return what changed in each group of files."""
    return {
        value: Changed(
            old=_facts(file for file in files.removed if key(file) == value),
            new=_facts(file for file in files.added if key(file) == value),
        )
        for value in {key(file) for file in (*files.removed, *files.added)}
    }


def _start(value: int, unit: Unit) -> int:
    """Return the first microsecond of a partition, which Iceberg counts in units since 1970."""
    if unit in ("day", "hour"):
        return value * _HOUR * (24 if unit == "day" else 1)
    months = value * 12 if unit == "year" else value
    # Python's calendar is shorter than Spark's; a change that far away touches everything.
    year = min(max(1970 + months // 12, MINYEAR), MAXYEAR)
    return (datetime(year, months % 12 + 1, 1, tzinfo=UTC) - _EPOCH).days * 24 * _HOUR


def _facts(files: Iterable[Any]) -> Facts:
    each = [(file["record_count"], _known(file)) for file in files]
    rows = sum(count for count, _ in each)
    if len(each) == 1:
        return Facts(rows=rows, known=each[0][1])
    # Counts add up; the bounds of several files are not those of all rows.
    shared = set.intersection(*(set(known) for _, known in each)) if each else set()
    counted = (key for key in shared if key[0] in _COUNTS)
    return Facts(rows=rows, known={key: sum(known[key] for _, known in each) for key in counted})


def _known(file: Any) -> dict[tuple[str, int], Any]:
    kinds = (*_COUNTS, "lower_bounds", "upper_bounds")
    return {(kind, item["key"]): item["value"] for kind in kinds for item in file.get(kind) or ()}
