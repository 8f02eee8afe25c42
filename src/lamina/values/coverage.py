"""What a table holds: which ranges are built, by which code, and what each still owes to its inputs."""

from lamina.values.grid import Grid
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Fingerprint, Position, TableName
from lamina.values.row_counts import Owed
from lamina.values.time_position import TimePosition
from lamina.values.value import Value


class Debt(Value, frozen=True):
    """`input` touched this range after `since`, at `position`, and it was not rebuilt from there or later."""

    input: TableName
    since: Position | None
    position: Position
    sequence: int = 0
    is_append: bool = False  # every touch in it only added rows
    is_foreign: bool = False  # another writer changed the table itself
    counts: Owed = None  # rows of all touches in it, by ranges of slices; None: not known, so taken as on time


class Segment(Value, frozen=True):
    """A built range with one code and one set of debts; without debts it is as of the cursors."""

    interval: Interval
    logic: Fingerprint
    debts: tuple[Debt, ...] = ()


class InputRange(Value, frozen=True):
    """Which rows of an input a slice reads: those whose `column` lies in the slice, or in reach of it."""

    column: ColumnName
    is_date: bool = False  # the column holds dates, not instants
    counts_days: bool = False  # it holds instants, and the reach is counted in days of the model's zone
    before_seconds: int = 0
    after_seconds: int = 0


class Logic(Value, frozen=True):
    """How code that built some segment reads its inputs; a read set of None is every column."""

    fingerprint: Fingerprint
    reads: dict[TableName, tuple[ColumnName, ...] | None] = {}
    rows: Fingerprint | None = None  # the same without the layout of the table; None: not known
    grid: Grid | None = None  # of its slices; None: not known, or it has none
    ranges: dict[TableName, InputRange] = {}  # of an input that is not here, any slice may read any row
    gridless: Fingerprint | None = None  # the same without layout and grid; None: not known, or slices depend on them


class Cursor(Value, frozen=True):
    """How far an input's touch log is folded into the debts."""

    input: TableName
    position: Position
    sequence: int = 0


class ProvenKey(Value, frozen=True):
    """A key that no two rows of a table share, looked at in all slices but some that were about to be replaced."""

    columns: tuple[str, ...]  # in lower case, sorted
    where: str | None = None  # the condition of the rows that it is about
    besides: tuple[Interval, ...] = ()


class Coverage(Value, frozen=True):
    """The whole of a model's coverage: sorted disjoint segments, equal neighbours merged."""

    segments: tuple[Segment, ...] = ()
    cursors: tuple[Cursor, ...] = ()
    logics: tuple[Logic, ...] = ()
    parameters: dict[str, str] = {}  # values of run parameters the last build read, such as `as_of`
    start: str | None = None  # the effective start, resolved once
    watermark: str | None = None  # the largest timestamp read, where the strategy has one
    built: str | None = None  # execution time of the last batch
    layout: dict[str, str] | None = None  # that the table was last written whole in; None: not known
    retained: int | None = None  # rows that only the table held when it was last read in full; None: not known
    not_followed: tuple[TableName, ...] = ()  # inputs whose changes `keep` let pass; the table itself if accepted
    held: tuple[Interval, ...] = ()  # where rows are that `keep` saved when an input changed or removed them
    loaded: tuple[Cursor, ...] = ()  # versions of a kept driver that were loaded before it changed or removed rows

    keeps: bool = False  # the strategy that built it keeps rows that its inputs no longer give
    ever_built: tuple[Interval, ...] | None = None  # slices that a batch has ever built; None: not known
    former: tuple[ColumnName, ...] = ()  # columns that left the query, kept for rows that only the table holds
    proven: tuple[ProvenKey, ...] = ()  # what `unique` checks found in the whole table, and have looked after since
    quiet: tuple[Interval, ...] = ()  # rests of unfinished slices: when those were built, no input had a row in them
    time_position: TimePosition | None = None  # how far the driver was read, if it is read by its timestamps
    quarantine: str | None = None  # the commit that last wrote the quarantine of the table; None: it has none

    def cursor(self, name: TableName) -> Cursor | None:
        """Return how far the log of an input is folded."""
        return next((item for item in self.cursors if item.input == name), None)


class Mark(Value, frozen=True):
    """The record a published snapshot carries about itself, cumulative, so that state can be derived from tables."""

    commit: str
    run_id: str
    token: int
    project: str
    environment: str
    store: str  # identity of the state store
    model: str
    fingerprint: Fingerprint
    slices: tuple[Interval, ...]
    pins: dict[TableName, Position]
    coverage: Coverage
    version: int = 1
    new_slices: tuple[Interval, ...] | None = None  # those of `slices` that were not built before; None: not known

    @property
    def owner(self) -> tuple[str, str, str]:
        """Whose table it is of: a model of a project has one table in each environment."""
        return self.project, self.environment, self.model
