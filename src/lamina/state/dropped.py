"""The notes of dropped tables, beside the tables: what is left of one is neither found again nor missed as lost.

A note is written inside the transaction of the drop, before its commit, and removed by the next publication of the
table. A drop that dies between the two is one that the count of publications has and the store has not: it is finished.
"""

from pathlib import Path

from lamina.state import logs, slices
from lamina.state.dialect import StateTransaction
from lamina.state.notes import write_note
from lamina.state.scope import Scope
from lamina.values.codec import DecodeError, from_json
from lamina.values.interval import WHOLE
from lamina.values.names import EnvironmentName, ModelName, TableName
from lamina.values.value import Value
from lamina.warehouse.catalog.port import Catalog

FOLDER = ("_lamina", "dropped")


class Dropped(Value, frozen=True):
    """A table that was dropped, and has not been built since."""

    table: TableName
    environment: EnvironmentName
    model: ModelName
    at: int  # in milliseconds
    project: str | None = None  # None: written before it was noted


def read_dropped(warehouse: Path) -> dict[TableName, Dropped]:
    """Return the notes of a warehouse; one that cannot be read counts as none."""
    found = (_read(path) for path in sorted(warehouse.joinpath(*FOLDER).glob("*.json")))
    return {note.table: note for note in found if note is not None}


def write_dropped(warehouse: Path, note: Dropped) -> None:
    """Say durably that a table was dropped."""
    write_note(_path(warehouse, note.table), note)


def clear_dropped(warehouse: Path, table: TableName) -> None:
    """Say that a table is there again."""
    _path(warehouse, table).unlink(missing_ok=True)


def forget_table(transaction: StateTransaction, catalog: Catalog, note: Dropped, *, project: str) -> None:
    """Take a dropped table out of the catalog, and forget its model; of a note without a project, ours."""
    scope = Scope(note.project or project, note.environment)
    catalog.drop(transaction, note.table)
    logs.forget_record(transaction, scope, note.model)
    slices.forget_failures(transaction, scope, note.model)
    slices.clear_requests(transaction, scope, model=note.model, built=(WHOLE,))


def _read(path: Path) -> Dropped | None:
    try:
        return from_json(path.read_bytes(), Dropped)
    except (OSError, DecodeError):
        return None


def _path(warehouse: Path, table: TableName) -> Path:
    return warehouse.joinpath(*FOLDER, f"{table}.json")
