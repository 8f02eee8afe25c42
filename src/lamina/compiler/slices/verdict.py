"""What the incrementality check found: a proof in steps, or the clauses at fault."""

from lamina.compiler.query.operators import NOWHERE, At
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import ColumnName, TableName
from lamina.values.value import Value


class RangeRead(Value, frozen=True):
    """How the slices of a model read an input: the rows whose `column` lies in the slice, or not far outside it."""

    table: TableName
    column: ColumnName  # as the table spells it
    before: int = 0  # microseconds
    after: int = 0  # the same, past the end of the slice
    is_date: bool = False  # the column holds dates, not instants
    counts_days: bool = False  # both are counted in days of the model's zone that hold its instants


class CoarseRead(Value, frozen=True):
    """An input of which every change makes every slice stale, although a slice reads a part of it."""

    table: TableName
    reason: str  # what hides the part
    hint: str  # how to show it
    at: At = NOWHERE
    file: str = ""  # empty for the model's own


class Proven(Value, frozen=True, tag="proven", tag_field="verdict"):
    """Slice-wise execution equals a recompute, for these reasons."""

    steps: tuple[str, ...]
    reads: tuple[RangeRead, ...] = ()  # of the inputs that slices read by a range
    coarse: tuple[CoarseRead, ...] = ()
    whole: tuple[TableName, ...] = ()  # inputs of which every slice reads every row


class Refused(Value, frozen=True, tag="refused", tag_field="verdict"):
    """It is not known to be equal."""

    refusals: tuple[Diagnostic, ...]  # without a file for the model's own
    reads: tuple[RangeRead, ...] = ()  # which rows a slice reads may be known all the same


Verdict = Proven | Refused


class InputFacts(Value, frozen=True):
    """What the check needs to know of one input."""

    name: TableName
    time_column: ColumnName | None = None  # rows of the input belong to times
    columns: tuple[ColumnName, ...] | None = None  # None: not known
    dates: frozenset[ColumnName] = frozenset()  # columns of type date
    window: int | None = None  # declared reach before the slice, in microseconds; None: no window is declared
    window_after: int = 0  # and past its end
    keeps: bool = False  # `on_touch = "keep"`
    is_driver: bool = False  # a build may read its new rows only
    keys: tuple[tuple[str, ...], ...] = ()  # sets of columns declared to be unique, in lower case
    is_past: bool = False  # the model's own earlier slices
    present: frozenset[ColumnName] = frozenset()  # dates and timestamps that are never null
    timeless: frozenset[ColumnName] = frozenset()  # columns known to be neither dates nor timestamps, such as text
