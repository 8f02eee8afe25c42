"""How many rows came, on time and late: counted by a touch, added up in what is owed."""

from datetime import datetime

from lamina.values.interval import Interval
from lamina.values.names import ColumnName
from lamina.values.value import Value


class RowCounts(Value, frozen=True):
    """Rows that came on time and late, and when the oldest of them was loaded; unknown lateness is on time."""

    on_time: int = 0
    late: int = 0
    oldest_load: datetime | None = None  # None: not known

    def __add__(self, other: "RowCounts") -> "RowCounts":
        oldest = _oldest(self, other)
        return RowCounts(on_time=self.on_time + other.on_time, late=self.late + other.late, oldest_load=oldest)

    def __or__(self, other: "RowCounts") -> "RowCounts":
        """Return the least counts that are no less than either."""
        oldest = _oldest(self, other)
        return RowCounts(max(self.on_time, other.on_time), max(self.late, other.late), oldest_load=oldest)


def _oldest(left: RowCounts, right: RowCounts) -> datetime | None:
    return min((item.oldest_load for item in (left, right) if item.oldest_load is not None), default=None)


class RangeCounts(Value, frozen=True):
    """Rows that lie somewhere in a range: for any part of it, the counts are an upper bound."""

    interval: Interval
    rows: RowCounts


class ColumnCounts(Value, frozen=True):
    """The rows of a touch by ranges of one time column, each row in one of them; rows where it is null in none."""

    column: ColumnName
    ranges: tuple[RangeCounts, ...]


# What is owed by ranges of slices; None where some of it was never counted.
Owed = tuple[RangeCounts, ...] | None


def rows_on_time(count: int, *, is_append: bool) -> RowCounts | None:
    """Return the rows of a commit that only added some; of any other, what it removed is not counted."""
    return RowCounts(on_time=count) if is_append else None


def total(counts: tuple[RangeCounts, ...]) -> RowCounts:
    """Return the sum of counts."""
    return sum((item.rows for item in counts), start=RowCounts())


def add_counts(left: Owed, right: Owed) -> Owed:
    """Return what two touches brought together; not known where one of them is not."""
    if left is None or right is None:
        return None
    summed: dict[Interval, RowCounts] = {}
    for item in (*left, *right):
        summed[item.interval] = summed.get(item.interval, RowCounts()) + item.rows
    return _in_order(summed)


def join_counts(left: Owed, right: Owed) -> Owed:
    """Return what two parts of a range owe together: a count that both hold is one that could not be divided."""
    if left is None or right is None:
        return None
    joined: dict[Interval, RowCounts] = {}
    for item in (*left, *right):
        joined[item.interval] = joined.get(item.interval, RowCounts()) | item.rows
    return _in_order(joined)


def counts_within(counts: Owed, span: Interval) -> Owed:
    """Return what a part of a range owes: counts that lie across its bounds stay whole, as an upper bound."""
    if not counts:
        return counts
    return tuple(item for item in counts if item.interval.start < span.end and span.start < item.interval.end)


def _in_order(counts: dict[Interval, RowCounts]) -> tuple[RangeCounts, ...]:
    return tuple(
        RangeCounts(interval=span, rows=rows) for span, rows in sorted(counts.items(), key=lambda item: item[0])
    )
