"""What changed in a table from one version to the next; every table, managed or not, has a log of these."""

from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.row_counts import ColumnCounts, RowCounts
from lamina.values.value import Value
from lamina.values.words import counted

# The version that a build of this run will give its table: not known before it is built.
PREDICTED = Position("predicted")


class ColumnRanges(Value, frozen=True):
    """The ranges of one time column in which rows were added, removed or changed.

    Ranges of a DATE column are in its own domain: the day `d` is `[d 00:00Z, d+1 00:00Z)` whatever the reader's zone.
    """

    column: ColumnName
    ranges: tuple[Interval, ...]


class Nothing(Value, frozen=True, tag="nothing", tag_field="type"):
    """No row changed: compaction, a property, an equal rebuild."""


class Ranges(Value, frozen=True, tag="ranges", tag_field="type"):
    """Only rows inside the ranges changed, given for each column where they are known."""

    columns: tuple[ColumnRanges, ...]


class Everything(Value, frozen=True, tag="everything", tag_field="type"):
    """Any row may have changed."""


Extent = Nothing | Ranges | Everything


class Refinement(Value, frozen=True):
    """A proof by data diff: for readers of no more than `columns`, only these ranges of `filter_column` changed.

    No filter column and no ranges: the columns are proven equal, and a reader of a subset is spared whatever it
    filters by. A filter column without ranges: only rows where it is null changed, which no range holds.
    """

    columns: tuple[ColumnName, ...] | None  # None: every column of the table
    filter_column: ColumnName | None = None
    ranges: tuple[Interval, ...] = ()

    @property
    def is_equal(self) -> bool:
        """Return whether nothing changed in the columns."""
        return self.filter_column is None and not self.ranges


class FileCounts(Value, frozen=True):
    """How many files of a source were added, changed and removed."""

    added: int = 0
    changed: int = 0
    removed: int = 0

    def __add__(self, other: "FileCounts") -> "FileCounts":
        return FileCounts(self.added + other.added, self.changed + other.changed, self.removed + other.removed)

    def __str__(self) -> str:
        counts = (("added", self.added), ("changed", self.changed), ("removed", self.removed))
        return ", ".join(f"{counted(count, 'file')} {word}" for word, count in counts if count)


class Touch(Value, frozen=True):
    """One entry of a touch log: the step from version `parent` to version `position`."""

    table: TableName
    position: Position
    parent: Position | None
    extent: Extent
    is_append: bool = False  # rows were only added
    has_new_rows: bool = False  # rows came beside what else changed, and can be read without it
    refinements: tuple[Refinement, ...] = ()
    rows_added: int | None = None
    detail: str = ""  # what a detector saw, in words, where it is not files that came or were removed
    sequence: int = 0  # place in the log, given by the state store
    files: FileCounts | None = None
    rows: RowCounts | None = None  # that came, where this is all that happened; None: not known
    rows_in: tuple[ColumnCounts, ...] = ()  # the same by ranges, for each column where they are known
