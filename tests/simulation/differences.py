"""What differs between two bags of rows, as touches and refinements describe it."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from tests.simulation.algebra import DAY, Cell, Relation, type_of
from tests.simulation.lake import bag

from lamina.values.batch import DiffQuestion
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName
from lamina.values.result import Detection
from lamina.values.touch import ColumnRanges, Everything, Extent, Nothing, Ranges, Refinement


def days_of(cells: Iterable[Cell]) -> tuple[Interval, ...]:
    """Return the days of timestamps; a null lies in no range, and no reader by range ever sees it."""
    starts = {cell.replace(hour=0, minute=0, second=0, microsecond=0) for cell in cells if isinstance(cell, datetime)}
    return merge(tuple(Interval(start, start + DAY) for start in starts))


def extent_of(added: Relation, removed: Relation, *, columns: tuple[ColumnName, ...]) -> Extent:
    """Return the extent of a change, with ranges of those named columns that hold times."""
    if not added.rows and not removed.rows:
        return Nothing()
    timed = [name for name in columns if name in added.columns and type_of(name) == "timestamp"]
    if not timed:
        return Everything()
    return Ranges(tuple(ColumnRanges(ColumnName(name), changed_units(added, removed, name)) for name in timed))


def changed_units(added: Relation, removed: Relation, column: str) -> tuple[Interval, ...]:
    """Return the days of a column in which rows were added or removed."""
    return days_of(row[relation.place(column)] for relation in (added, removed) for row in relation.rows)


def refine(old: Relation, new: Relation, question: DiffQuestion) -> Refinement | None:
    """Answer a question about two versions, or None where nothing can be proven."""
    by = question.filter_column
    columns = new.columns if question.columns is None else question.columns
    asked = columns if by is None or by in columns else (*columns, by)
    if not all(name in old.columns and name in new.columns for name in asked):
        return None
    if question.columns is None and set(old.columns) != set(new.columns):
        return None
    before, after = (Relation(asked, _narrow(relation, asked)) for relation in (old, new))
    added = Relation(asked, tuple((bag(after) - bag(before)).elements()))
    removed = Relation(asked, tuple((bag(before) - bag(after)).elements()))
    if not added.rows and not removed.rows:
        return Refinement(question.columns)
    ranges = () if by is None else changed_units(added, removed, by)
    return None if by is None else Refinement(question.columns, by, ranges)


def _narrow(relation: Relation, columns: tuple[str, ...]) -> tuple[tuple[Cell, ...], ...]:
    places = [relation.place(name) for name in columns]
    return tuple(tuple(row[place] for place in places) for row in relation.rows)


def compare_files(name: str, before: Mapping[str, int], after: Mapping[str, int]) -> Detection:
    """Return which files of a folder were added, changed or removed."""
    changed = tuple(sorted(file for file in before.keys() & after.keys() if before[file] != after[file]))
    added, removed = (tuple(sorted(one.keys() - other.keys())) for one, other in ((after, before), (before, after)))
    unchanged = len(after) - len(added) - len(changed)
    return Detection(name, "files", changed=changed, added=added, removed=removed, unchanged=unchanged)
