"""What is known of a strategy with its settings: the record that compiler, planner and warehouse ask."""

from typing import Literal

from lamina.project.strategy import Strategy
from lamina.values.grid import Unit
from lamina.values.names import ColumnName, TableName
from lamina.values.plan import Mode
from lamina.values.value import Value


class Slices(Value, frozen=True):
    """How the table of a strategy is cut by time."""

    time_column: ColumnName
    unit: Unit
    lookback: int  # units before the newest that every run builds again
    batch_size: int | Literal["auto"]


class Driver(Value, frozen=True):
    """The input whose new rows alone can bring a table up to date."""

    named: TableName | None  # as the user wrote it; None: the only input there is
    timestamp_column: ColumnName | None  # of the driver: its largest value is the watermark


class Upsert(Value, frozen=True):
    """How rows are written over those of an equal key, of which the table holds one each."""

    key: tuple[ColumnName, ...]
    order_by: tuple[ColumnName, ...] = ()  # the highest row of a key wins; none: a key may come once only
    update_columns: tuple[ColumnName, ...] | None = None  # change in a row that is there; None: all
    deletes_missing: bool = False  # keys that the query no longer gives leave the table


class Traits(Value, frozen=True):
    """Everything known of one strategy with its settings; no part of it is stored."""

    name: str  # the word of the sidecar
    identity: Strategy  # the settings that decide rows, without spelling: a part of the fingerprint
    mode: Mode | None  # how a build that reads everything writes; None: there is no table
    in_words: str = ""  # what a build does, as `explain` says it where nothing has to be proven
    new_rows: Mode | None = None  # how a build that reads only new rows of the driver writes; None: there is none
    slices: Slices | None = None  # None: the table is one slice
    driver: Driver | None = None
    upsert: Upsert | None = None
    partition_by: tuple[ColumnName, ...] = ()  # rows of equal values here are replaced together
    telling: tuple[ColumnName, ...] = ()  # columns of a result that decide which rows are kept, replaced or added
    kept_by: tuple[ColumnName, ...] = ()  # columns by which rows that left the query are found and kept; none: lost
    compared: tuple[ColumnName, ...] | None = None  # columns that `verify` compares; None: all

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
