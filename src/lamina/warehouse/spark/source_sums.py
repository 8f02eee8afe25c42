"""Checksums of a source's rows, folded by Spark in one job: a kind of source offers the rows, whatever it is."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from lamina.project.source import SourceTable
from lamina.values.batch import DiffQuestion
from lamina.values.grid import Unit
from lamina.values.interval import WHOLE, Interval, merge
from lamina.values.names import ColumnName, folded
from lamina.values.schema import Column, DataType, Schema
from lamina.values.source_sums import FORM, Grouping, Partition, SourceSums
from lamina.values.touch import Extent, Ranges
from lamina.values.value import Value
from lamina.warehouse.spark.diff import SIGN, Pass, hashes_of, of_rows, pass_of, sum_rows, sums_by_set, sums_of_sets
from lamina.warehouse.spark.diff_questions import TIMES, compared
from lamina.warehouse.spark.diff_units import microsecond_of, unit_around
from lamina.warehouse.spark.ranges import predicate, time_ranges
from lamina.warehouse.sql import quote, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MOST_RANGES = 100  # in a condition that Spark is given
_KEY = "lamina__key"


class SumsPlan(Value, frozen=True):
    """What is summed of a source: sets of columns, by units of time columns or by values."""

    columns: Schema  # all that it has
    sets: tuple[Schema, ...]
    units: dict[str, Unit]  # by time column, in lower case; none where rows are cut by values, or not at all
    values: tuple[str, ...] = ()  # the columns by whose values rows are cut
    times: tuple[str, ...] = ()  # columns whose spans partitions by values are to know

    @property
    def cuts(self) -> tuple[tuple[tuple[str, ...], Unit | None], ...]:
        """Return by what rows are cut, and in which unit."""
        return tuple(((name,), unit) for name, unit in self.units.items()) or ((self.values, None),)


def schema_of(rows: "DataFrame") -> Schema:
    """Return the columns of rows, with their names in lower case."""
    return tuple(Column(name=ColumnName(folded(name)), type=DataType(kind)) for name, kind in rows.dtypes)


def partitioned_by(source: SourceTable) -> tuple[str, ...]:
    """Return the columns that partitions of a source are named by."""
    named = source.checksum_by or ((source.time_column,) if source.time_column else ())
    return tuple(folded(name) for name in named) if source.detect == "checksum" else ()


def plan_sums(source: SourceTable, columns: Schema, questions: Iterable[DiffQuestion]) -> SumsPlan:
    """Return what to sum so that questions are answered; those about nested columns cannot be."""
    found = {question: compared(question, columns, columns) for question in questions}
    wanted = pass_of({question: read for question, read in found.items() if read is not None})
    kinds = {str(column.name): column for column in columns}
    by = tuple(kinds[name] for name in partitioned_by(source) if name in kinds)
    if len(by) == 1 and by[0].type in TIMES:
        # Its units are those of its readers, where some reader is cut by it.
        units = {by[0].name: wanted.units.get(by[0].name, "day"), **wanted.units}
        return SumsPlan(columns=columns, sets=_with(wanted.sets, by), units=units)
    if by:
        values = tuple(column.name for column in by)
        times = tuple(sorted(wanted.units))
        return SumsPlan(columns=columns, sets=wanted.sets, units={}, values=values, times=times)
    return SumsPlan(columns=columns, sets=wanted.sets, units=wanted.units)


def joined_plan(plan: SumsPlan, kept: SourceSums | None) -> SumsPlan:
    """Return a plan that also sums the sets of columns that were summed at the same position before."""
    if kept is None or kept.form != FORM or kept.columns != plan.columns:
        return plan
    return plan.replace(sets=tuple(dict.fromkeys((*plan.sets, *kept.sets))))


def is_enough(kept: SourceSums, plan: SumsPlan) -> bool:
    """Return whether sums that are kept answer all that a plan is for."""
    if kept.form != FORM or kept.columns != plan.columns or not set(plan.sets) <= set(kept.sets):
        return False
    known = {(grouping.by, grouping.unit): grouping for grouping in kept.groupings}
    return all(cut in known and set(plan.times) <= set(known[cut].times) for cut in plan.cuts)


def sum_groupings(rows: "DataFrame", plan: SumsPlan) -> tuple[Grouping, ...]:
    """Return the checksums of rows, in one job."""
    return (_by_values(rows, plan),) if plan.values else _by_units(rows, plan)


def rows_to_sum(rows: "DataFrame", plan: SumsPlan, spans: tuple[Interval, ...]) -> "DataFrame":
    """Return the rows in some ranges of the one column that a plan cuts by, and those without a time."""
    (column,) = plan.units
    kind = next(item.type for item in plan.columns if item.name == column)
    # Ranges do not tell of rows without a time.
    inside = f"{quote(column)} IS NULL"
    return rows.where(f"{predicate(time_ranges(column, kind, spans, zone='UTC'))} OR {inside}" if spans else inside)


def touched_spans(plan: SumsPlan, before: SourceSums, extent: Extent) -> tuple[Interval, ...] | None:
    """Return the whole units in which rows may have changed; the sums of all others stay as they were.

    None where it is not known which these are, or where the sums of before are not enough.
    """
    column, unit = next(iter(plan.units.items())) if len(plan.units) == 1 else (None, None)
    kind = next((item.type for item in plan.columns if item.name == column), None)
    if column is None or unit is None or kind not in ("date", "timestamp") or not is_enough(before, plan):
        return None
    return _touched(extent, column, unit)


def carry_over(before: SourceSums, read: Grouping, plan: SumsPlan, spans: tuple[Interval, ...]) -> tuple[Grouping, ...]:
    """Return the sums of the rows that were read, with those of before for all other units."""
    (kept,) = (item for item in before.groupings if (item.by, item.unit) == (read.by, read.unit))
    places = [before.sets.index(columns) for columns in plan.sets]
    others = tuple(
        item.replace(sums=tuple(item.sums[place] for place in places))
        for item in kept.partitions
        if isinstance(item.key, int) and not _is_inside(item.key, spans)
    )
    return (read.replace(partitions=(*others, *read.partitions)),)


def _touched(extent: Extent, column: str, unit: Unit) -> tuple[Interval, ...] | None:
    """Return the whole units around what changed; None where that is not known, or too much to ask for."""
    known = extent.columns if isinstance(extent, Ranges) else ()
    found = next((item.ranges for item in known if folded(item.column) == column), None)
    if found is None:
        return None
    spans = []
    for span in found:
        first = unit_around(microsecond_of(span.start), unit)
        last = unit_around(microsecond_of(span.end) - 1, unit)
        if WHOLE in (first, last):
            return None
        spans.append(Interval(first.start, last.end))
    merged = merge(tuple(spans))
    return merged if len(merged) <= _MOST_RANGES else None


def _is_inside(key: int, spans: tuple[Interval, ...]) -> bool:
    return any(microsecond_of(span.start) <= key < microsecond_of(span.end) for span in spans)


def _by_units(rows: "DataFrame", plan: SumsPlan) -> tuple[Grouping, ...]:
    found = sum_rows(of_rows(rows), Pass(sets=plan.sets, units=plan.units))
    return tuple(
        Grouping(
            by=() if name is None else (name,),
            unit=None if name is None else plan.units[name],
            times=(),
            partitions=tuple(
                Partition(key=item.unit, rows=item.rows, sums=tuple(item.sums[columns] for columns in plan.sets))
                for item in found
                if item.by == name
            ),
        )
        for name in tuple(plan.units) or (None,)
    )


def _by_values(rows: "DataFrame", plan: SumsPlan) -> Grouping:
    """Return the sums by values, and for each partition where its times begin and end."""
    from pyspark.sql import functions

    wanted = Pass(sets=plan.sets, units={})
    values, hashes = hashes_of(wanted)
    kinds = {str(column.name): column for column in plan.columns}
    key = f"concat_ws(', ', {', '.join(_named(kinds[name]) for name in plan.values)}) AS {_KEY}"
    times = [f"unix_micros(CAST({quote(name)} AS TIMESTAMP)) AS t{place}" for place, name in enumerate(plan.times)]
    names = [f"t{place}" for place in range(len(plan.times))]
    read = [quote(name) for name in dict.fromkeys((*plan.values, *plan.times, *(item.name for item in wanted.columns)))]
    hashed = of_rows(rows)(read).selectExpr(SIGN, key, *times, *values)
    hashed = hashed.selectExpr(SIGN, _KEY, *names, *hashes)
    ends = (end for name in names for end in (f"min({name})", f"max({name})"))
    found = hashed.groupBy(_KEY).agg(*map(functions.expr, (*ends, *sums_of_sets(wanted)))).collect()
    return Grouping(
        by=plan.values,
        unit=None,
        times=plan.times,
        partitions=tuple(_partition(tuple(row), plan) for row in found),
    )


def _partition(row: tuple[object, ...], plan: SumsPlan) -> Partition:
    key, rest = row[0], [item if isinstance(item, int) else None for item in row[1:]]
    ends, (rows, *sums) = rest[: 2 * len(plan.times)], rest[2 * len(plan.times) :]
    pairs = zip(ends[::2], ends[1::2], strict=True)
    return Partition(
        key=str(key),
        rows=rows or 0,
        sums=sums_by_set([item or 0 for item in sums], len(plan.sets)),
        spans=tuple(None if first is None or last is None else (first, last) for first, last in pairs),
    )


def _named(column: Column) -> str:
    """Return one value of a partition in words; a time counts by its day."""
    name = quote(column.name)
    value = f"date_trunc('DAY', {name})" if column.type in ("timestamp", "timestamp_ntz") else name
    return f"concat({text(f'{column.name}=')}, coalesce(CAST({value} AS STRING), 'null'))"


def _with(sets: tuple[Schema, ...], columns: Schema) -> tuple[Schema, ...]:
    return sets if any(set(columns) <= set(other) for other in sets) else (*sets, columns)
