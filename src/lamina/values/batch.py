"""A batch: slices of one model written by one table commit, from decision to publication."""

from lamina.values.coverage import Mark
from lamina.values.drift import Drift
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, CommitId, ModelName, Position, TableName
from lamina.values.plan import Mode
from lamina.values.row_counts import RowCounts
from lamina.values.schema import Schema
from lamina.values.time_position import TimeRead, TimeSpan, TimesSeen
from lamina.values.touch import ColumnRanges, Extent, Refinement
from lamina.values.value import Value


class Pin(Value, frozen=True):
    """The exact version of one input that a batch reads; with `since`, only the rows appended after it."""

    input: TableName
    position: Position
    since: Position | None = None
    is_past_changes: bool = False  # rows that changed or were removed meanwhile are no reason to read more
    loaded: tuple[Position, ...] = ()  # beside `since`: versions whose rows the table has, though some left the input
    span: TimeSpan | None = None  # only the rows of these times


class Batch(Value, frozen=True):
    """What to write and from what; made by the planner, staged by the warehouse."""

    commit: CommitId
    model: ModelName
    mode: Mode
    slices: tuple[Interval, ...]  # contiguous for an interval model, but in a rewrite; `(WHOLE,)` else
    pins: tuple[Pin, ...]
    base: str | None  # pointer of the target the stage starts from; None: first build
    parameters: dict[str, str]  # values of run parameters, as the query renders them
    is_from_nothing: bool = False  # a full refresh: columns that the query lacks are not kept
    carried: tuple[Interval, ...] = ()  # of a whole rebuild: where rows that only the table holds are carried over
    carried_from: Position | None = None  # the version to take them from, where others wrote since; None: the base
    is_base_lost: bool = False  # files of the base cannot be read: a new table takes its place
    by_time: TimeRead | None = None  # the driver is read by its timestamps


class Counts(Value, frozen=True):
    """Rows of one batch, from the commit's own metrics."""

    read: int | None = None
    written: int = 0
    inserted: int = 0
    replaced: int = 0
    deleted: int = 0
    carried: int = 0  # by a rebuild, because only the table holds them
    copied: int = 0  # written again as they were, because they shared a file with others
    duplicate: int = 0
    rejected: int = 0
    quarantined: int = 0
    closed: int = 0  # rows of a history that are no longer current
    reopened: int = 0  # of keys that had been removed from a history
    unchanged: int = 0  # that a history has already
    bytes_written: int = 0


class BatchSize(Value, frozen=True):
    """How many rows the query of a batch gave, and how the batch read and wrote: only those alike are compared."""

    mode: Mode
    is_partial: bool  # it read only the new rows of its driver
    rows: int


class Staged(Value, frozen=True):
    """A batch written aside: no reader sees it yet."""

    batch: Batch
    pointer: str  # metadata of the stage
    position: Position  # snapshot of the stage
    counts: Counts
    columns: Schema
    watermark: str | None = None
    drift: tuple[Drift, ...] = ()  # what the table's columns had to follow
    retained: int | None = None  # rows that only the table holds; None: not known
    former: tuple[ColumnName, ...] = ()  # columns that left the query, kept for such rows
    is_relaid: bool = False  # in another layout than its base
    rows_before: int | None = None  # of the whole table on its base; None: not known, or there is none
    rows_after: int | None = None  # of the whole table as staged
    added: tuple[ColumnRanges, ...] = ()  # of an append: the ranges of time columns its rows lie in, where known
    beside: tuple["Staged", ...] = ()  # the quarantine of the table, where the batch changes it
    times: TimesSeen | None = None  # what the driver had, where it was read by its timestamps


class RowsQuestion(Value, frozen=True):
    """May a version of an input have a row whose column lies in a range?"""

    input: TableName
    position: Position
    column: ColumnName
    span: Interval


class DiffQuestion(Value, frozen=True):
    """Did these columns change, and in which units of the reader's filter column?"""

    columns: tuple[ColumnName, ...] | None  # None: all columns
    filter_column: ColumnName | None = None
    unit: str | None = None  # of the reader's slices, when a filter column is given


class Diff(Value, frozen=True):
    """Old slice against new slice, answered for each question in order."""

    is_equal: bool  # every column of the table
    refinements: tuple[Refinement, ...]


CANNOT_RUN = "cannot run: "  # begins what is observed of a check that says nothing about the rows


class CheckResult(Value, frozen=True):
    """The outcome of one check over the rows of a batch or of a table."""

    model: ModelName
    name: str
    type: str
    column: str | None
    severity: str
    passed: bool
    observed: float | int | str | None
    expected: float | int | str | None
    rows_failed: int | None
    scope: str
    intervals: tuple[Interval, ...] = ()
    examples: tuple[str, ...] = ()  # of a failed check, up to five: what its columns hold in rows that fail
    file: str | None = None  # of a failed check: where it is written
    line: int | None = None
    rows_quarantined: int = 0  # those of the failed rows that went to the quarantine of the table

    @property
    def refuses(self) -> bool:
        """Return whether rows that it looked at must not be published; those in a quarantine are not."""
        return not self.passed and self.severity == "error" and not self.rows_quarantined

    @property
    def could_run(self) -> bool:
        """Return whether it says something about the rows."""
        return not (isinstance(self.observed, str) and self.observed.startswith(CANNOT_RUN))


class Move(Value, frozen=True):
    """A pointer move that publishes a stage: applied by the state store in its own transaction."""

    target: TableName
    base: str | None  # refused unless the target is still here; None: the target must not exist
    pointer: str
    stage: str  # stage row to drop, or to rename on a first build
    view: str | None = None  # the view of our own in the place of a first build: removed with the move
    home: TableName | None = None  # the folder of the table's files, by name; None: that of its own name

    @property
    def folder(self) -> TableName:
        """The name of the folder that the table's files are in."""
        return self.home or self.target


class Published(Value, frozen=True):
    """What one batch did: recorded with the pointer move, in one transaction."""

    batch: Batch
    position: Position
    parent: Position | None
    extent: Extent
    is_append: bool
    has_new_rows: bool
    refinements: tuple[Refinement, ...]
    rows: RowCounts | None  # that it added, where this is all that it did
    counts: Counts
    mark: Mark
    move: Move
    duration_ms: int = 0  # from intent to publish
    beside: tuple[Move, ...] = ()  # of other tables, which become visible in the same moment
    checks: tuple[CheckResult, ...] = ()  # what they said of its rows
    size: BatchSize | None = None  # as staged: an equal result is not written; None: no query was asked

    @property
    def moves(self) -> tuple[Move, ...]:
        """Return every pointer that moves, the model's own first."""
        return (self.move, *self.beside)
