"""Checksums of a source at two positions compared: where its rows differ, for each set of columns someone reads."""

from collections.abc import Iterable, Iterator, Sequence

from lamina.values.batch import DiffQuestion
from lamina.values.grid import Grid, Unit
from lamina.values.interval import WHOLE, Interval, merge
from lamina.values.names import folded
from lamina.values.partition_key import key_of
from lamina.values.schema import Schema
from lamina.values.source_sums import FORM, Grouping, Partition, SourceSums
from lamina.values.touch import Refinement
from lamina.values.value import Value
from lamina.warehouse.spark.diff_questions import compared
from lamina.warehouse.spark.diff_units import coarser_unit, microsecond_of, unit_around, units_around

Pair = tuple[Grouping, Grouping]  # the same cut of the rows at two positions
Change = tuple[Partition | None, Partition | None]  # before and after; None: it had no rows


class PartitionChanges(Value, frozen=True):
    """The names of partitions, by what became of them."""

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0


def refinements_of(before: SourceSums, after: SourceSums, questions: Iterable[DiffQuestion]) -> tuple[Refinement, ...]:
    """Return what is proven for each question that can be answered."""
    if before.form != FORM or after.form != FORM:
        return ()
    answers = (_answer(question, before, after) for question in dict.fromkeys(questions))
    return tuple(answer for answer in answers if answer is not None)


def partition_changes(before: SourceSums | None, after: SourceSums, by: tuple[str, ...]) -> PartitionChanges:
    """Return which partitions differ in some column that is read; all of them where nothing is known of before."""
    groupings = () if before is None else before.groupings
    pair = next(_pairs(groupings, after.groupings, by), None)
    if before is None or pair is None:
        known = (grouping for grouping in after.groupings if grouping.by == by)
        every = (_name(item, grouping.unit) for grouping in known for item in grouping.partitions)
        return PartitionChanges(changed=tuple(sorted(every)))
    shared = [columns for columns in after.sets if columns in before.sets]
    differ = {
        item.key
        for columns in ((), *shared)
        for change in changes_of(pair, before, after, columns)
        for item in change
        if item is not None
    }
    old, new = ({item.key: item for item in grouping.partitions} for grouping in pair)
    names = {key: _name(new.get(key) or old[key], pair[1].unit) for key in differ}
    return PartitionChanges(
        changed=tuple(sorted(names[key] for key in differ if key in old and key in new)),
        added=tuple(sorted(names[key] for key in differ if key not in old)),
        removed=tuple(sorted(names[key] for key in differ if key not in new)),
        unchanged=len(new.keys() - differ),
    )


def changes_of(pair: Pair, before: SourceSums, after: SourceSums, columns: Schema) -> tuple[Change, ...]:
    """Return the partitions whose rows differ in some columns: changed, new and removed ones."""
    old, new = ({item.key: item for item in grouping.partitions} for grouping in pair)
    places = (_place(before, columns), _place(after, columns))
    found = ((old.get(key), new.get(key)) for key in {**old, **new})
    return tuple(change for change in found if _content(change[0], places[0]) != _content(change[1], places[1]))


def rolled_up(grouping: Grouping, unit: Unit) -> Grouping:
    """Return partitions by a longer unit: the sums of its parts add up."""
    if grouping.unit == unit:
        return grouping
    parts: dict[int | str | None, list[Partition]] = {}
    for item in grouping.partitions:
        span = unit_around(item.key, unit) if isinstance(item.key, int) else None
        # Beyond the years that can be counted each partition stays as it is.
        key = item.key if span is None or span == WHOLE else microsecond_of(span.start)
        parts.setdefault(key, []).append(item)
    return grouping.replace(unit=unit, partitions=tuple(_added_up(key, items) for key, items in parts.items()))


def _answer(question: DiffQuestion, before: SourceSums, after: SourceSums) -> Refinement | None:
    columns = compared(question, before.columns, after.columns)
    if columns is None or any(columns and columns not in sums.sets for sums in (before, after)):
        return None
    by = None if question.filter_column is None else folded(question.filter_column)
    if _total(before, columns) == _total(after, columns):
        return Refinement(columns=question.columns)
    pairs = _pairs(before.groupings, after.groupings, None)
    pair = None if by is None else next((item for item in pairs if _tells_of(item, by)), None)
    if pair is None or by is None:
        return None
    changed = changes_of(pair, before, after, columns)
    is_date = any(column.name == by and column.type == "date" for column in after.columns)
    # A row without a time lies in no range.
    ranges = merge(tuple(span for change in changed for span in _ranges(change, pair, by, is_date=is_date)))
    return Refinement(columns=question.columns, filter_column=question.filter_column, ranges=ranges)


def _pairs(old: tuple[Grouping, ...], new: tuple[Grouping, ...], by: tuple[str, ...] | None) -> Iterator[Pair]:
    """Yield groupings by the same columns, in the longer of their two units."""
    for one in old:
        for other in new:
            if one.by != other.by or (by is not None and one.by != by):
                continue
            if one.unit is None or other.unit is None:
                if one.unit == other.unit:
                    yield one, other
            elif (unit := coarser_unit(one.unit, other.unit)) is not None:
                yield rolled_up(one, unit), rolled_up(other, unit)


def _tells_of(pair: Pair, by: str) -> bool:
    """Return whether partitions show in which ranges of a column their rows are."""
    return all(item.by == (by,) if item.unit is not None else by in item.times for item in pair)


def _ranges(change: Change, pair: Pair, by: str, *, is_date: bool) -> Iterator[Interval]:
    """Yield where the rows of a changed partition are on a time column, before and after."""
    for item, grouping in zip(change, pair, strict=True):
        if item is None:
            continue
        if grouping.unit is not None:
            if isinstance(item.key, int):
                yield unit_around(item.key, grouping.unit)
        elif (span := item.spans[grouping.times.index(by)]) is not None:
            yield units_around(*span, "day" if is_date else "hour")


def _total(sums: SourceSums, columns: Schema) -> tuple[int, ...]:
    """Return the count and the sums of all rows."""
    return _content(_added_up(None, sums.groupings[0].partitions), _place(sums, columns))


def _place(sums: SourceSums, columns: Schema) -> int | None:
    """Return where the sums of some columns are; without any columns rows are only counted."""
    return sums.sets.index(columns) if columns else None


def _content(item: Partition | None, place: int | None) -> tuple[int, ...]:
    if item is None or not item.rows:
        return ()
    return (item.rows,) if place is None else (item.rows, *item.sums[place])


def _added_up(key: int | str | None, items: Sequence[Partition]) -> Partition:
    by_set = zip(*(item.sums for item in items), strict=True)
    sums = tuple(tuple(map(sum, zip(*parts, strict=True))) for parts in by_set)
    return Partition(key=key, rows=sum(item.rows for item in items), sums=sums)


def _name(item: Partition, unit: Unit | None) -> str:
    if isinstance(item.key, str):
        return item.key
    if item.key is None or unit is None:
        return "all rows" if unit is None else "without a time"
    span = unit_around(item.key, unit)
    return str(item.key) if span == WHOLE else key_of(Grid(unit), span.start)
