"""What was read of a driver by its timestamps: up to where, which rows lie there, and what came below it later.

A time is text in the domain of its column, so that no microsecond is lost: `2026-04-07T10:00:00.5Z` is an instant,
without `Z` it has no zone, and `2026-04-07` is a date.
"""

from lamina.values.names import ColumnName, Position, TableName
from lamina.values.value import Value


class Tally(Value, frozen=True):
    """How many rows there are, and the sums of their hashes; without sums, their values are not known."""

    rows: int = 0
    sums: tuple[int, ...] = ()

    def __add__(self, other: "Tally") -> "Tally":
        if not self.rows or not other.rows:
            return other if not self.rows else self
        is_known = bool(self.sums and other.sums)
        sums = tuple(one + two for one, two in zip(self.sums, other.sums, strict=True)) if is_known else ()
        return Tally(rows=self.rows + other.rows, sums=sums)

    def is_same(self, other: "Tally") -> bool:
        """Return whether both are surely of equal rows."""
        return self.rows == other.rows and (not self.rows or (bool(self.sums) and self.sums == other.sums))


class Load(Value, frozen=True):
    """The version from which rows were taken: from a time on, up to the next load.

    Without a start, from the first row on, and rows without a timestamp.
    """

    position: Position | None  # None: which version it was is not known any more
    start: str | None = None


class TimePosition(Value, frozen=True):
    """How far a driver was read by its timestamps."""

    at: str | None = None  # the watermark; None: no row with a timestamp was read
    ties: Tally = Tally()  # rows at exactly that time
    below: Tally = Tally()  # rows before it, as they were when last looked at
    nulls: Tally = Tally()  # rows without a timestamp, likewise
    columns: str = ""  # what the sums are made of: columns with their types
    loads: tuple[Load, ...] = ()  # oldest first; the last one reaches to the watermark
    late: int = 0  # rows that the driver has more below the watermark than were read there
    late_nulls: int = 0  # the same of rows without a timestamp
    is_touched: bool = False  # rows below the watermark may have changed since they were last looked at
    due_at: str | None = None  # when the first row that `safety_lag` keeps back may be read


class TimeRead(Value, frozen=True):
    """A read of a driver by its timestamps."""

    input: TableName
    column: ColumnName
    before: TimePosition | None  # rows after this; None: a full load
    until: str | None = None  # an instant: later rows are not read yet; None: any row is
    lag_seconds: int = 0  # how much later such a row may be read


class TimesSeen(Value, frozen=True):
    """What a driver had when it was read by its timestamps."""

    at: str | None  # the largest time that may be read; None: there is none after the watermark
    ties: Tally = Tally()  # rows at the watermark before
    between: Tally = Tally()  # rows after that and before the new one
    last: Tally = Tally()  # rows at the new one
    nulls: Tally = Tally()
    below: Tally | None = None  # rows before the watermark; None: not looked at
    columns: str = ""
    due_at: str | None = None


class TimeSpan(Value, frozen=True):
    """The rows of a driver that are read."""

    column: ColumnName
    start: str | None = None  # None: from the first one on
    has_start: bool = False  # rows at the start too
    end: str | None = None  # None: no row that has a timestamp
    has_end: bool = True  # rows at the end too
    has_nulls: bool = False
    replaces: bool = False  # rows of the table at the start are replaced
