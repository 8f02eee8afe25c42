"""The strategies a model can declare, with exactly the settings each one has."""

from typing import Literal

from lamina.values.grid import Unit
from lamina.values.names import ColumnName, TableName
from lamina.values.value import Value


class FullRefresh(Value, frozen=True, tag="full_refresh", tag_field="type"):
    """Replace all rows at every build."""


class Incremental(Value, frozen=True, tag="incremental", tag_field="type"):
    """Append the rows of the driving input past the recorded position."""

    timestamp_column: ColumnName | None = None
    position: Literal["version"] = "version"
    driver: TableName | None = None


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


class DeleteInsert(Value, frozen=True, tag="delete_insert", tag_field="type"):
    """Replace the key tuples the query produces."""

    partition_by: tuple[ColumnName, ...]


class Ephemeral(Value, frozen=True, tag="ephemeral", tag_field="type"):
    """No table: inlined as a CTE in every consumer."""


Strategy = FullRefresh | Incremental | Merge | TimeInterval | DeleteInsert | Ephemeral
