"""Where the tables of a store are, and how many batches it has published: one row, compared with what the disk says.

Which of several state files counts is asked of SQLite files only: they are copied with a folder, a server is not.
"""

import json
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from lamina.state import logs
from lamina.state.dialect import StateTransaction
from lamina.state.errors import StateCorrupt, StateUnavailable
from lamina.state.port import ModelRecord
from lamina.state.publications import Publications, read_publications, write_publications
from lamina.state.scope import Scope
from lamina.state.sqlite import looking
from lamina.values.codec import from_json
from lamina.values.names import EnvironmentName, RunId, TableName
from lamina.values.value import Value
from lamina.warehouse.catalog.sqlite import connect_read_only

# The tables whose rows belong to a project and an environment.
SCOPED = (
    "lamina_lease",
    "lamina_model",
    "lamina_cursor",
    "lamina_touch",
    "lamina_failure",
    "lamina_request",
    "lamina_intent",
    "lamina_batch",
    "lamina_check",
    "lamina_run",
    "lamina_plan",
    "lamina_graph",
    "lamina_promoted",
)


class Place(Value, frozen=True):
    """The row of a store."""

    identity: str
    published: int
    warehouse: str | None  # None: written before it was recorded
    leaving: tuple[str, ...] = ()  # folders that files of tables may still name: a relocation was not finished
    owner: str | None = None  # the project in whose folder the file is; None: it is shared, or not known
    former: tuple[str, ...] = ()  # names that this project had before: marks still name them


def read_place(transaction: StateTransaction) -> Place:
    """Return the row of the store."""
    identity, published, warehouse, leaving, owner, former = transaction.execute(
        "SELECT identity, published, warehouse, leaving, owner, former FROM lamina_store"
    ).fetchone()
    left, names = (tuple(json.loads(text or "[]")) for text in (leaving, former))
    return Place(str(identity), published, warehouse, left, owner, names)


def read_older_place(transaction: StateTransaction) -> Place:
    """Return the row of a store that an earlier version wrote, from the second on."""
    identity, published, warehouse, leaving = transaction.execute(
        "SELECT identity, published, warehouse, leaving FROM lamina_store"
    ).fetchone()
    return Place(str(identity), published, warehouse, tuple(json.loads(leaving or "[]")))


def claim(transaction: StateTransaction, project: str, *, is_private: bool, now: datetime) -> None:
    """Let a project take rows of an older version, which name none, and its own under a name that it had before.

    A file inside the project's folder is its own; while a run holds a lease under the other name, it stays as it is.
    """
    _rename(transaction, "", project)
    if not is_private:
        return
    owner = read_place(transaction).owner
    if owner is not None and owner != project:
        if _is_working(transaction, owner, now) or has_worked(transaction, project):
            return
        _rename(transaction, owner, project)
        former = json.dumps(sorted({*read_place(transaction).former, owner}))
        transaction.execute("UPDATE lamina_store SET former = ?", (former,))
    transaction.execute("UPDATE lamina_store SET owner = ?", (project,))


def needs_claim(transaction: StateTransaction, project: str, *, is_private: bool) -> bool:
    """Return whether rows have no project, or a file of the project's own names another one."""
    return has_worked(transaction, "") or (is_private and read_place(transaction).owner != project)


def has_worked(transaction: StateTransaction, project: str) -> bool:
    """Return whether there are rows of a project."""
    return any(
        transaction.execute(f"SELECT 1 FROM {table} WHERE project = ? LIMIT 1", (project,)).fetchone() is not None
        for table in ("lamina_lease", "lamina_model", "lamina_plan", "lamina_intent")
    )


def _rename(transaction: StateTransaction, before: str, project: str) -> None:
    for table in SCOPED:
        transaction.execute(f"UPDATE {table} SET project = ? WHERE project = ?", (project, before))


def _is_working(transaction: StateTransaction, project: str, now: datetime) -> bool:
    rows = transaction.execute(
        "SELECT expires_at FROM lamina_lease WHERE project = ? AND holder IS NOT NULL", (project,)
    )
    return any(datetime.fromisoformat(expires_at) > now for (expires_at,) in rows)


def take_identity(transaction: StateTransaction, identity: str, *, warehouse: Path | None) -> None:
    """Go on as a store that was lost: its publications count as ours."""
    counted = None if warehouse is None else read_publications(warehouse, identity)
    transaction.execute(
        "UPDATE lamina_store SET identity = ?, published = ?",
        (identity, max(read_place(transaction).published, 0 if counted is None else counted.number)),
    )


def count_publication(transaction: StateTransaction, tables: tuple[TableName, ...], *, warehouse: Path | None) -> None:
    """Count a publication in the caller's transaction, and beside the tables just before it is committed."""
    transaction.execute("UPDATE lamina_store SET published = published + 1")
    if warehouse is not None:
        place = read_place(transaction)
        table, *beside = tables
        here = _state_file(transaction)
        write_publications(
            warehouse, Publications(place.identity, place.published, table, state=here, beside=tuple(beside))
        )


def keeper_elsewhere(transaction: StateTransaction, warehouse: Path) -> str | None:
    """Return the state file that publishes into a warehouse as this store, if that is another file and still there."""
    identity = read_place(transaction).identity
    note = read_publications(warehouse, identity)
    if note is None or note.state is None or not os.path.exists(note.state):
        return None
    is_other = not os.path.samefile(note.state, _state_file(transaction)) and _may_be_store(note.state, identity)
    return note.state if is_other else None


def keep_here(transaction: StateTransaction, warehouse: Path) -> None:
    """Note beside the tables that this file publishes into them, in a transaction that keeps the count still."""
    note, here = read_publications(warehouse, read_place(transaction).identity), _state_file(transaction)
    if note is not None and note.state != here:
        write_publications(warehouse, note.replace(state=here))


def is_kept_here(transaction: StateTransaction, warehouse: Path) -> bool:
    """Return whether the note beside the tables names this file, or there is none yet."""
    note = read_publications(warehouse, read_place(transaction).identity)
    return note is None or note.state == _state_file(transaction)


def _state_file(transaction: StateTransaction) -> str:
    return os.path.realpath(transaction.location)


def _may_be_store(path: str, identity: str) -> bool:
    """Return whether a file is a state with an identity; one that cannot be read may be."""
    try:
        with looking(Path(path), connect=connect_read_only) as transaction:
            return read_place(transaction).identity == identity
    except (StateCorrupt, StateUnavailable, TypeError):
        return True


def settle(transaction: StateTransaction, warehouse: str) -> None:
    """Record the folder of the tables."""
    transaction.execute("UPDATE lamina_store SET warehouse = ?", (warehouse,))


def leave(transaction: StateTransaction, folders: tuple[str, ...]) -> None:
    """Record which folders files may name until a relocation is finished."""
    transaction.execute("UPDATE lamina_store SET leaving = ?", (json.dumps(sorted(folders)),))


def arrive(transaction: StateTransaction, warehouse: str, moved: Callable[[str], str]) -> None:
    """Finish a relocation: every record names the new folder, and what was under way in the old one is forgotten."""
    transaction.execute("DELETE FROM lamina_intent")
    transaction.execute("UPDATE lamina_lease SET holder = NULL, expires_at = NULL, process = ''")
    rows = transaction.execute("SELECT project, environment, record, run_id FROM lamina_model").fetchall()
    for project, environment, text, run_id in rows:
        record, scope = from_json(text, ModelRecord), Scope(project, EnvironmentName(environment))
        if record.pointer is not None:
            record = record.replace(pointer=moved(record.pointer))
            logs.replace_record(transaction, scope, record, run_id=RunId(run_id))
    transaction.execute("UPDATE lamina_store SET warehouse = ?, leaving = NULL", (warehouse,))


def recorded_owners(transaction: StateTransaction) -> dict[str, tuple[str, str, str]]:
    """Return whose tables were at the pointers that are recorded: project, environment and model."""
    rows = transaction.execute("SELECT project, environment, record FROM lamina_model").fetchall()
    records = ((project, environment, from_json(text, ModelRecord)) for project, environment, text in rows)
    return {
        record.pointer: (str(project), str(environment), str(record.model))
        for project, environment, record in records
        if record.pointer is not None
    }


def recorded_pointers(transaction: StateTransaction) -> tuple[str, ...]:
    """Return where the tables of all models were when they were last recorded."""
    records = (from_json(text, ModelRecord) for (text,) in transaction.execute("SELECT record FROM lamina_model"))
    return tuple(sorted({record.pointer for record in records if record.pointer is not None}))


def pointers_with_quarantine(transaction: StateTransaction) -> tuple[str, ...]:
    """Return where those of the tables were that have a quarantine beside them."""
    # Most tables have none, and their records need not be read for that.
    rows = transaction.execute("SELECT record FROM lamina_model WHERE record LIKE ?", ('%"quarantine":"%',))
    records = (from_json(text, ModelRecord) for (text,) in rows)
    return tuple(record.pointer for record in records if record.pointer is not None and record.coverage.quarantine)


def forget_tables(transaction: StateTransaction, project: str) -> None:
    """Forget all of a project that can be derived from the tables again: records, cursors and logs."""
    for table in ("lamina_model", "lamina_cursor", "lamina_touch"):
        # Rows of an older version may not have been claimed yet.
        transaction.execute(f"DELETE FROM {table} WHERE project IN (?, '')", (project,))
