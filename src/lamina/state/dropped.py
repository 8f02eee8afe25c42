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
from lamina.values.coverage import Mark
from lamina.values.interval import WHOLE
from lamina.values.names import EnvironmentName, ModelName, TableName, quarantine_of
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
    home: TableName | None = None  # the folder of its files, by name; None: its own
    beside: tuple[TableName, ...] = ()  # its quarantine, where it had one
    token: int = 0  # of the lease it was dropped under: what an earlier run left of the model, anywhere, is gone too

    @property
    def folder(self) -> TableName:
        """The name of the folder that its files are in."""
        return self.home or self.table

    @property
    def folders(self) -> tuple[TableName, ...]:
        """The names of the folders of the table, and of its quarantine where it had one."""
        return (self.folder, quarantine_of(self.folder)) if self.beside else (self.folder,)


def read_dropped(warehouse: Path) -> dict[TableName, Dropped]:
    """Return the notes of a warehouse by their folders; one that cannot be read counts as none."""
    found = (_read(path) for path in sorted(warehouse.joinpath(*FOLDER).glob("*.json")))
    return {note.folder: note for note in found if note is not None}


def write_dropped(warehouse: Path, note: Dropped) -> None:
    """Say durably that a table was dropped."""
    write_note(_path(warehouse, note.folder), note)


def clear_dropped(warehouse: Path, folder: TableName) -> None:
    """Say that there is a table in a folder again."""
    _path(warehouse, folder).unlink(missing_ok=True)


def forget_table(
    transaction: StateTransaction, catalog: Catalog, note: Dropped, *, tables: tuple[TableName, ...], project: str
) -> None:
    """Take what was dropped out of the catalog by its names there, and forget its model; without a project, ours."""
    scope = Scope(note.project or project, note.environment)
    for table in tables:
        catalog.drop(transaction, table)
    logs.forget_record(transaction, scope, note.model)
    slices.forget_failures(transaction, scope, note.model)
    slices.clear_requests(transaction, scope, model=note.model, built=(WHOLE,))


def is_dropped(mark: Mark | None, note: Dropped) -> bool:
    """Return whether a table is left of a model from before it was dropped, in whatever folder."""
    if mark is None or mark.token >= note.token:
        return False
    return mark.owner == (note.project, note.environment, note.model)


def _read(path: Path) -> Dropped | None:
    try:
        return from_json(path.read_bytes(), Dropped)
    except (OSError, DecodeError):
        return None


def _path(warehouse: Path, folder: TableName) -> Path:
    return warehouse.joinpath(*FOLDER, f"{folder}.json")
