"""The folders of tables: a table keeps the one it was created in, under whatever name the catalog has it later."""

from collections.abc import Iterable
from pathlib import Path

from lamina.values.coverage import Mark
from lamina.values.names import TableName
from lamina.warehouse.iceberg.metadata import local_path
from lamina.warehouse.iceberg.rediscovery import find_table


def home_of(pointer: str, warehouse: Path) -> TableName:
    """Return the name of the folder whose metadata a pointer names: the one that the table was created with.

    >>> home_of("file:/lake/sales/orders/metadata/v1.metadata.json", Path("/lake"))
    'sales.orders'

    A folder outside the warehouse has no such name, and is called by its path.
    """
    folder = local_path(pointer).parent.parent
    return TableName(".".join(folder.relative_to(warehouse).parts) if warehouse in folder.parents else str(folder))


def free_home(table: TableName, mark: Mark, *, warehouse: Path, others: Iterable[str]) -> TableName:
    """Return a folder for a new table: its own name, unless a table that was renamed has that folder."""
    is_used = any(home_of(pointer, warehouse) == table for pointer in others)
    if not is_used:
        found = find_table(warehouse, table, known=None)
        left = None if found is None else found.mark
        is_used = left is not None and left.owner != mark.owner
    return TableName(f"{table}__{mark.commit}") if is_used else table
