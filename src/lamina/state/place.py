"""Where the tables of a store are, and how many batches it has published: one row, compared with what the disk says."""

import json
import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from lamina.state import logs
from lamina.state.port import ModelRecord
from lamina.state.publications import Publications, read_publications, write_publications
from lamina.values.codec import from_json
from lamina.values.names import EnvironmentName, TableName
from lamina.values.value import Value


class Place(Value, frozen=True):
    """The row of a store."""

    identity: str
    published: int
    warehouse: str | None  # None: written before it was recorded
    leaving: tuple[str, ...] = ()  # folders that files of tables may still name: a relocation was not finished


def read_place(connection: sqlite3.Connection) -> Place:
    """Return the row of the store."""
    identity, published, warehouse, leaving = connection.execute(
        "SELECT identity, published, warehouse, leaving FROM lamina_store"
    ).fetchone()
    return Place(str(identity), published, warehouse, tuple(json.loads(leaving or "[]")))


def take_identity(connection: sqlite3.Connection, identity: str, *, warehouse: Path | None) -> None:
    """Go on as a store that was lost: its publications count as ours."""
    counted = None if warehouse is None else read_publications(warehouse, identity)
    connection.execute(
        "UPDATE lamina_store SET identity = ?, published = max(published, ?)",
        (identity, 0 if counted is None else counted.number),
    )


def count_publication(connection: sqlite3.Connection, table: TableName, *, warehouse: Path | None) -> None:
    """Count a publication in the caller's transaction, and beside the tables just before it is committed."""
    connection.execute("UPDATE lamina_store SET published = published + 1")
    if warehouse is not None:
        place = read_place(connection)
        note = Publications(place.identity, place.published, table, state=_state_file(connection))
        write_publications(warehouse, note)


def keeper_elsewhere(connection: sqlite3.Connection, warehouse: Path) -> str | None:
    """Return the state file that publishes into a warehouse as this store, if that is another file and still there."""
    identity = read_place(connection).identity
    note = read_publications(warehouse, identity)
    if note is None or note.state is None or not os.path.exists(note.state):
        return None
    is_other = not os.path.samefile(note.state, _state_file(connection)) and _may_be_store(note.state, identity)
    return note.state if is_other else None


def keep_here(connection: sqlite3.Connection, warehouse: Path) -> None:
    """Note beside the tables that this file publishes into them, in a transaction that keeps the count still."""
    note, here = read_publications(warehouse, read_place(connection).identity), _state_file(connection)
    if note is not None and note.state != here:
        write_publications(warehouse, note.replace(state=here))


def is_kept_here(connection: sqlite3.Connection, warehouse: Path) -> bool:
    """Tell whether the note beside the tables names this file, or there is none yet."""
    note = read_publications(warehouse, read_place(connection).identity)
    return note is None or note.state == _state_file(connection)


def _state_file(connection: sqlite3.Connection) -> str:
    return os.path.realpath(str(connection.execute("PRAGMA database_list").fetchone()[2]))


def _may_be_store(path: str, identity: str) -> bool:
    """Tell whether a file is a state with an identity; one that cannot be read may be."""
    try:
        with closing(sqlite3.connect(f"{Path(path).as_uri()}?mode=ro", uri=True)) as connection:
            return read_place(connection).identity == identity
    except (sqlite3.Error, TypeError):
        return True


def settle(connection: sqlite3.Connection, warehouse: str) -> None:
    """Record the folder of the tables."""
    connection.execute("UPDATE lamina_store SET warehouse = ?", (warehouse,))


def leave(connection: sqlite3.Connection, folders: tuple[str, ...]) -> None:
    """Record which folders files may name until a relocation is finished."""
    connection.execute("UPDATE lamina_store SET leaving = ?", (json.dumps(sorted(folders)),))


def arrive(connection: sqlite3.Connection, warehouse: str, moved: Callable[[str], str]) -> None:
    """Finish a relocation: every pointer names the new folder, and what was under way in the old one is forgotten."""
    connection.execute("DELETE FROM iceberg_tables WHERE table_namespace = 'lamina__stage'")
    connection.execute("DELETE FROM lamina_intent")
    connection.execute("UPDATE lamina_lease SET holder = NULL, expires_at = NULL, process = ''")
    rows = connection.execute(
        "SELECT rowid, metadata_location, previous_metadata_location FROM iceberg_tables"
    ).fetchall()
    for number, current, previous in rows:
        connection.execute(
            "UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ? WHERE rowid = ?",
            (moved(current), None if previous is None else moved(previous), number),
        )
    for environment, text in connection.execute("SELECT environment, record FROM lamina_model").fetchall():
        record = from_json(text, ModelRecord)
        if record.pointer is not None:
            record = record.replace(pointer=moved(record.pointer))
            logs.replace_record(connection, EnvironmentName(environment), record)
    connection.execute("UPDATE lamina_store SET warehouse = ?, leaving = NULL", (warehouse,))


def forget_tables(connection: sqlite3.Connection) -> None:
    """Forget all that can be derived from the tables again: records, cursors and logs."""
    for table in ("lamina_model", "lamina_cursor", "lamina_touch"):
        connection.execute(f"DELETE FROM {table}")
