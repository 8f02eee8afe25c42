"""Old rows against new ones by checksums, for each set of columns someone reads: what early cutoff is decided by."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from lamina.values.batch import Diff, DiffQuestion
from lamina.values.interval import WHOLE, Interval, merge
from lamina.values.names import folded, folded_names
from lamina.values.schema import Schema
from lamina.values.touch import Refinement
from lamina.values.value import Value
from lamina.warehouse.spark.checksum import checksum, is_hashable
from lamina.warehouse.sql import quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Checksums of one side: by the unit's first microsecond (None: rows without a time), a tuple for each set of columns.
Sums = dict[int | None, list[tuple[int, ...]]]

Sides = Callable[[list[str]], "DataFrame"]  # some columns of both sides, with whether a row is an old one

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST_YEAR = (datetime(2, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LAST_YEAR = (datetime(9999, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND

_TRUNCATED = {"day": "DAY", "week": "WEEK", "month": "MONTH", "year": "YEAR"}
_MINUTES = {"5 minutes": 5, "15 minutes": 15, "30 minutes": 30}

_TIMES = frozenset({"date", "timestamp", "timestamp_ntz"})

_IS_OLD = "lamina__is_old"

_ALL = DiffQuestion(columns=None)


class Group(Value, frozen=True):
    """Questions that one pass answers: grouped by the same units, or not at all."""

    filter_column: str | None
    unit: str | None


def of_versions(old: "DataFrame", new: "DataFrame") -> Sides:
    """Compare the rows of two versions."""

    def sides(names: list[str]) -> "DataFrame":
        return old.selectExpr(*names, f"true AS {_IS_OLD}").unionAll(new.selectExpr(*names, f"false AS {_IS_OLD}"))

    return sides


def of_changes(changes: "DataFrame") -> Sides:
    """Compare the rows of the files that one commit removed with those of the files it added."""
    # A filter by the kind of change would be given to Iceberg, which refuses it.
    return lambda names: changes.selectExpr(*names, f"_change_type = 'DELETE' AS {_IS_OLD}")


def diff_sides(sides: Sides, questions: tuple[DiffQuestion, ...], *, before: Schema, after: Schema) -> Diff:
    """Compare old rows with new ones and answer each question that can be answered."""
    asked = tuple(dict.fromkeys((_ALL, *questions)))
    answerable = {question: columns for question in asked if (columns := compared(question, before, after))}
    groups = sorted({_group(question) for question in answerable}, key=str)
    answers: dict[DiffQuestion, Refinement | None] = {}
    for group in groups:
        members = [question for question in answerable if _group(question) == group]
        sets = [answerable[question] for question in members]
        sums = _sums(sides, group, sets)
        for place, question in enumerate(members):
            answers[question] = _answer(question, group, place, *sums)
    whole = answers.get(_ALL)
    return Diff(
        is_equal=whole is not None and whole.is_equal,
        refinements=tuple(answer for question in questions if (answer := answers.get(question)) is not None),
    )


def compared(question: DiffQuestion, before: Schema, after: Schema) -> Schema:
    """Return the columns a question compares; none if they differ in type or cannot be hashed."""
    old = {folded(column.name): column for column in before}
    new = {folded(column.name): column for column in after}
    if question.columns is None and old.keys() != new.keys():
        return ()
    names = folded_names(new if question.columns is None else question.columns)
    if question.filter_column is not None:
        names |= {folded(question.filter_column)}
    if not names <= old.keys() or not names <= new.keys():
        return ()
    if question.filter_column is not None and new[folded(question.filter_column)].type not in _TIMES:
        return ()  # it was a time when the code that asks was written
    if any(old[name].type != new[name].type or not is_hashable(new[name].type) for name in names):
        return ()
    return tuple(new[name] for name in sorted(names))


def _group(question: DiffQuestion) -> Group:
    return Group(filter_column=question.filter_column, unit=question.unit if question.filter_column else None)


def _sums(sides: Sides, group: Group, sets: list[Schema]) -> tuple[Sums, Sums]:
    """Return the checksums of both sides for each set of columns, in one job."""
    from pyspark.sql import functions

    names = [quote(name) for name in sorted({column.name for columns in sets for column in columns})]
    unit = functions.expr(_unit_sql(group) or "CAST(NULL AS BIGINT)").alias("unit")
    aggregates = [functions.expr(aggregate) for columns in sets for aggregate in checksum(columns)]
    rows = sides(names).groupBy(_IS_OLD, unit).agg(*aggregates).collect()
    before = {row[1]: _split(list(row)[2:], sets) for row in rows if row[0]}
    after = {row[1]: _split(list(row)[2:], sets) for row in rows if not row[0]}
    return before, after


def _split(values: list[Any], sets: list[Schema]) -> list[tuple[int, ...]]:
    width = len(values) // len(sets)
    return [tuple(value or 0 for value in values[at : at + width]) for at in range(0, len(values), width)]


def _answer(question: DiffQuestion, group: Group, place: int, old: Sums, new: Sums) -> Refinement | None:
    """Return what is proven for one question: equal, or changed only in some units."""
    empty = (0,) * 5
    units = [unit for unit in old.keys() | new.keys() if _at(old, unit, place, empty) != _at(new, unit, place, empty)]
    if not units:
        return Refinement(columns=question.columns)
    if group.filter_column is None:
        return None
    # A row without a time lies in no range.
    ranges = merge(tuple(_interval(unit, group) for unit in units if unit is not None))
    return Refinement(columns=question.columns, filter_column=question.filter_column, ranges=ranges)


def _at(sums: Sums, unit: int | None, place: int, empty: tuple[int, ...]) -> tuple[int, ...]:
    found = sums.get(unit)
    return empty if found is None else found[place]


def _unit_sql(group: Group) -> str | None:
    if group.filter_column is None:
        return None
    # A number: a timestamp would come back in the time zone of this host.
    time = f"CAST({quote(group.filter_column)} AS TIMESTAMP)"
    if group.unit in _MINUTES:
        return f"unix_micros({time}) - pmod(unix_micros({time}), {_MINUTES[group.unit] * 60_000_000})"
    return f"unix_micros(date_trunc('{_TRUNCATED.get(group.unit or '', 'HOUR')}', {time}))"


def _interval(unit: int, group: Group) -> Interval:
    """Return the unit that starts at a truncated time."""
    # Spark's calendar is longer than Python's.
    if not _FIRST_YEAR <= unit < _LAST_YEAR:
        return WHOLE
    start = _EPOCH + timedelta(microseconds=unit)
    match _TRUNCATED.get(group.unit or ""):
        case "DAY":
            return Interval(start, start + timedelta(days=1))
        case "WEEK":
            return Interval(start, start + timedelta(days=7))
        case "MONTH":
            return Interval(start, start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1))
        case "YEAR":
            return Interval(start, start.replace(year=start.year + 1))
        case _:
            return Interval(start, start + timedelta(minutes=_MINUTES.get(group.unit or "", 60)))
