"""The count of publications that lies beside the tables: with it, a store that was put back from a copy is recognised.

The note of a publication is written inside its transaction, before the commit, so that it is never behind the store. A
run that dies between the two leaves a note that is one ahead; it names the table, whose sealed stage is then the head.
"""

from pathlib import Path

from lamina.state.notes import write_note
from lamina.values.codec import DecodeError, from_json
from lamina.values.names import TableName
from lamina.values.value import Value

FOLDER = ("_lamina", "stores")


class Publications(Value, frozen=True):
    """How many batches a store has published, which tables the last of them changed, and which state file counts.

    Tables are named by their folders: what the catalog calls them may change.
    """

    store: str
    number: int
    table: TableName
    state: str | None = None  # its path; None: written before it was noted
    beside: tuple[TableName, ...] = ()  # other tables that the last publication changed


def read_publications(warehouse: Path, store: str) -> Publications | None:
    """Return the note of a store; one that cannot be read counts as none."""
    try:
        return from_json(_path(warehouse, store).read_bytes(), Publications)
    except (OSError, DecodeError):
        return None


def write_publications(warehouse: Path, publications: Publications) -> None:
    """Replace the note of a store durably."""
    write_note(_path(warehouse, publications.store), publications)


def _path(warehouse: Path, store: str) -> Path:
    return warehouse.joinpath(*FOLDER, f"{store}.json")
