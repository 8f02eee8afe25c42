"""What is known of a strategy with its settings: the record that compiler, planner and warehouse ask."""

from typing import Literal

from lamina.project.strategy import Strategy
from lamina.values.grid import Unit
from lamina.values.names import ColumnName, TableName
from lamina.values.plan import Mode
from lamina.values.schema import Column, DataType, Schema
from lamina.values.value import Value

VALID_FROM, VALID_TO = ColumnName("valid_from"), ColumnName("valid_to")
VALIDITY: Schema = (
    Column(name=VALID_FROM, type=DataType("timestamp"), nullable=False),
    Column(name=VALID_TO, type=DataType("timestamp")),
)


class Slices(Value, frozen=True):
    """How the table of a strategy is cut by time."""

    time_column: ColumnName
    unit: Unit
    lookback: int  # units before the newest that every run builds again
    batch_size: int | Literal["auto"]
    rebuild: Literal["stale", "always"] | int = "stale"  # what every run builds beside; a number: of last units
    filters_inputs: bool = False  # to the slices, where the query has no bounds of its own


class Driver(Value, frozen=True):
    """The input whose new rows alone can bring a table up to date."""

    named: TableName | None  # as the user wrote it; None: the only input there is
    timestamp_column: ColumnName | None  # of the driver: its largest value is the watermark
    is_by_time: bool = False  # rows are new by that column, not by the version they came with
    lag_seconds: int | None = None  # of a read by time: younger rows are left for later


class Upsert(Value, frozen=True):
    """How rows are written over those of an equal key, of which the table holds one each."""

    key: tuple[ColumnName, ...]
    order_by: tuple[ColumnName, ...] = ()  # the highest row of a key wins; none: a key may come once only
    update_columns: tuple[ColumnName, ...] | None = None  # change in a row that is there; None: all
    deletes_missing: bool = False  # keys that the query no longer gives leave the table


class Versions(Value, frozen=True):
    """How a table keeps every version of a row; one of the last two is set."""

    key: tuple[ColumnName, ...]
    updated_at: ColumnName | None = None  # orders the versions of a key, and says since when each is valid
    checked: tuple[ColumnName, ...] = ()  # where these differ, there is another version


class Traits(Value, frozen=True):
    """Everything known of one strategy with its settings; no part of it is stored."""

    name: str  # the word of the sidecar
    identity: Value  # the settings that decide rows, without spelling: a part of the fingerprint
    mode: Mode | None  # how a build that reads everything writes; None: there is no table
    in_words: str = ""  # what a build does, as `explain` says it where nothing has to be proven
    new_rows: Mode | None = None  # how a build that reads only new rows of the driver writes; None: there is none
    slices: Slices | None = None  # None: the table is one slice
    gridless: Strategy | None = None  # the identity whatever the unit of the slices is; None: the table is one slice
    driver: Driver | None = None
    upsert: Upsert | None = None
    versions: Versions | None = None
    partition_by: tuple[ColumnName, ...] = ()  # rows of equal values here are replaced together
    telling: tuple[ColumnName, ...] = ()  # columns of a result that decide which rows are kept, replaced or added
    kept_by: tuple[ColumnName, ...] = ()  # columns by which rows that left the query are found and kept; none: lost
    compared: tuple[ColumnName, ...] | None = None  # columns that `verify` compares; None: all
    is_defined: bool = False  # as a view of the catalog, for readers outside the project

    @property
    def added(self) -> Schema:
        """Return the columns that a table has beside those of its query."""
        return VALIDITY if self.versions is not None else ()

    @property
    def row_key(self) -> tuple[ColumnName, ...]:
        """Return columns that no two rows of a table share, by the way it is written; none: there may be no such."""
        if self.versions is not None:
            return (*self.versions.key, VALID_FROM)
        return self.upsert.key if self.upsert is not None else ()

    @property
    def has_table(self) -> bool:
        """Return whether a model has a table; without one it is inlined in its readers."""
        return self.mode is not None

    @property
    def is_append(self) -> bool:
        """Return whether rows, once loaded, stay as the run that loaded them saw its inputs."""
        return self.new_rows == "append"

    @property
    def is_recomputed(self) -> bool:
        """Return whether every build replaces all rows."""
        return self.mode == "replace_all" and self.new_rows is None

    @property
    def can_hold_more(self) -> bool:
        """Return whether a table may hold rows or values that its query does not give."""
        return bool(self.kept_by) or self.slices is not None or self.upsert is not None
