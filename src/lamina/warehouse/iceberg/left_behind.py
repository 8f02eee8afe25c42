"""Find a table whose catalog row is gone although its files are there: a lost row, or a table dropped without them."""

from collections.abc import Iterable
from pathlib import Path

from lamina.values.names import TableName
from lamina.warehouse.iceberg.lost_files import lost_file
from lamina.warehouse.iceberg.metadata import local_path
from lamina.warehouse.iceberg.rediscovery import FoundTable, find_table


def find_left_behind(
    warehouse: Path, table: TableName, *, recorded: str | None, others: Iterable[str], dropped: int | None = None
) -> FoundTable | None:
    """Return a marked table at its published head; `recorded` was its pointer, `others` are those of other tables.

    A table that was never recorded may be one of another project, or of this one under another name.
    """
    folder = warehouse.joinpath(*table.split("."), "metadata")
    if any(local_path(other).parent == folder for other in others):
        return None  # it has another name: its rows are under that
    found = find_table(warehouse, table, known=recorded, dropped=dropped)
    if found is None or found.mark is None:
        return None
    # A purge removes what the table lists, and may leave stages of runs that died.
    is_there = recorded is not None and (folder / local_path(recorded).name).exists()
    is_purged = not is_there and lost_file(found.pointer) is not None
    return None if is_purged else found
