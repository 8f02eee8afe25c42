"""Checksums of a source's rows at one position: by partitions, for each set of columns that some reader reads."""

from lamina.values.grid import Unit
from lamina.values.schema import Schema
from lamina.values.value import Value

FORM = 1  # how the checksums are made: those of another form are never compared


class Partition(Value, frozen=True, array_like=True):
    """Some rows of a source: how many, and the checksums of each set of columns."""

    key: int | str | None  # the first microsecond of a unit, or values in words; None: no time, or all rows
    rows: int
    sums: tuple[tuple[int, ...], ...]
    spans: tuple[tuple[int, int] | None, ...] = ()  # first and last microsecond of each time; None: no row has one


class Grouping(Value, frozen=True):
    """All rows, cut by the units of one time column, by the values of some columns, or not at all."""

    by: tuple[str, ...]  # in lower case
    unit: Unit | None  # of a time column; None: by values, or not at all
    times: tuple[str, ...]  # the columns whose spans partitions know, in lower case
    partitions: tuple[Partition, ...]


class SourceSums(Value, frozen=True):
    """All that is known of a source's rows at one position; names of columns are in lower case."""

    form: int
    columns: Schema  # all that it has
    sets: tuple[Schema, ...]  # those that are summed, in the order of the sums
    groupings: tuple[Grouping, ...]
