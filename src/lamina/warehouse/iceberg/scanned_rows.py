"""How many rows a batch reads of a table: those of the data files that its slices cannot rule out by their bounds."""

from collections.abc import Callable

from lamina.values.batch import Pin
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, TableName
from lamina.warehouse.iceberg.column_bounds import file_times
from lamina.warehouse.iceberg.metadata import Metadata
from lamina.warehouse.iceberg.versions import rows_at


def scanned_rows(
    table: TableName, metadata: Metadata, pin: Pin, *, column: ColumnName | None, is_seen: Callable[[Interval], bool]
) -> int | None:
    """Return how many rows are read at a pin by a query that filters by a column; None where it is not known."""
    if pin.since is not None or column is None:
        return rows_at(table, metadata, pin)
    files = file_times(metadata, pin.position, column)
    if files is None:
        return None
    return sum(file.rows for file in files if file.has_times and (file.span is None or is_seen(file.span)))
