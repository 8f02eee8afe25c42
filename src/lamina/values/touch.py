"""What changed in a table from one version to the next; every table, managed or not, has a log of these."""

from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Position, TableName
from lamina.values.value import Value


class ColumnRanges(Value, frozen=True):
    """The ranges of one time column in which rows came, went or changed.

    Ranges of a DATE column are in its own domain: the day `d` is `[d 00:00Z, d+1 00:00Z)` whatever the reader's zone.
    """

    column: ColumnName
    ranges: tuple[Interval, ...]


class Nothing(Value, frozen=True, tag="nothing", tag_field="type"):
    """No row changed: compaction, a property, an equal rebuild."""


class Ranges(Value, frozen=True, tag="ranges", tag_field="type"):
    """Only rows inside the ranges changed, told for each column it is known for."""

    columns: tuple[ColumnRanges, ...]


class Everything(Value, frozen=True, tag="everything", tag_field="type"):
    """Any row may have changed."""


Extent = Nothing | Ranges | Everything


class Refinement(Value, frozen=True):
    """A proof by data diff: for readers of no more than `columns`, only these ranges of `filter_column` changed.

    No ranges: the columns are proven equal, and a reader of a subset is spared whatever it filters by.
    """

    columns: tuple[ColumnName, ...] | None  # None: every column of the table
    filter_column: ColumnName | None = None
    ranges: tuple[Interval, ...] = ()


class Touch(Value, frozen=True):
    """One entry of a touch log: the step from version `parent` to version `position`."""

    table: TableName
    position: Position
    parent: Position | None
    extent: Extent
    is_append: bool = False  # rows were only added
    refinements: tuple[Refinement, ...] = ()
    rows_added: int | None = None
    detail: str = ""  # what a detector saw, in words: `2 files added`
    sequence: int = 0  # place in the log, given by the state store
