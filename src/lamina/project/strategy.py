"""The strategies a model can declare, with exactly the settings each one has."""

from typing import Literal

from lamina.values.grid import Unit
from lamina.values.names import ColumnName, TableName
from lamina.values.value import Value

LAST_DAYS = "last_days"


class FullRefresh(Value, frozen=True, tag="full_refresh", tag_field="type"):
    """Replace all rows at every build."""


class Incremental(Value, frozen=True, tag="incremental", tag_field="type"):
    """Append the rows of the driving input past the recorded position."""

    timestamp_column: ColumnName | None = None
    position: Literal["version", "timestamp"] | None = None  # None: by version, where the driver has any
    driver: TableName | None = None
    safety_lag: str | None = None  # "10 minutes": younger rows are not read yet; None: any row is


class Merge(Value, frozen=True, tag="merge", tag_field="type"):
    """Upsert rows by key."""

    unique_key: tuple[ColumnName, ...]
    update_columns: tuple[ColumnName, ...] | None = None
    timestamp_column: ColumnName | None = None
    driver: TableName | None = None
    order_by: tuple[ColumnName, ...] = ()
    on_delete: Literal["keep", "delete"] = "keep"


class TimeInterval(Value, frozen=True, tag="time_interval", tag_field="type"):
    """Replace the ranges of the slices, also by nothing."""

    time_column: ColumnName
    granularity: Unit = "day"
    lookback: int = 0
    batch_size: int | Literal["auto"] = "auto"
    rebuild: str = "stale"  # `stale`, `always`, or `last_days:` and a number of units


class Microbatch(TimeInterval, frozen=True, tag="microbatch", tag_field="type"):
    """The same, with inputs filtered to the batch unless the query does it."""

    granularity: Unit = "hour"
    lookback: int = 1


class DeleteInsert(Value, frozen=True, tag="delete_insert", tag_field="type"):
    """Replace the key tuples the query produces."""

    partition_by: tuple[ColumnName, ...]


class SnapshotHistory(Value, frozen=True, tag="snapshot", tag_field="type"):
    """Keep every version of a row with the time it was valid; one of the last two is set."""

    unique_key: tuple[ColumnName, ...]
    updated_at: ColumnName | None = None
    check_columns: tuple[ColumnName, ...] | None = None


class Ephemeral(Value, frozen=True, tag="ephemeral", tag_field="type"):
    """No table: inlined as a CTE in every consumer."""


class View(Value, frozen=True, tag="view", tag_field="type"):
    """No table: the query is inlined in every model that reads it, and defined as a view for other readers."""


Strategy = (
    FullRefresh | Incremental | Merge | TimeInterval | Microbatch | DeleteInsert | SnapshotHistory | Ephemeral | View
)
