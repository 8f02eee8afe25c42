"""Plain SQL over the catalog tables of an Iceberg JDBC catalog (schema V1) in SQLite: where each table's metadata is.

Everyone who shares the file opens it here, so that pointers and state rows can move in one transaction.
"""

import sqlite3
from pathlib import Path

from lamina.values.batch import Move
from lamina.values.names import CommitId, TableName

STAGE_NAMESPACE = "lamina__stage"

# Iceberg creates the same tables when it starts first; the names and the order of columns are its own.
_TABLES = (
    "CREATE TABLE IF NOT EXISTS iceberg_tables(catalog_name VARCHAR(255) NOT NULL,"
    " table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000),"
    " previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5),"
    " PRIMARY KEY (catalog_name, table_namespace, table_name))",
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties(catalog_name VARCHAR(255) NOT NULL,"
    " namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255), property_value VARCHAR(1000),"
    " PRIMARY KEY (catalog_name, namespace, property_key))",
)

_AT = "catalog_name = ? AND table_namespace = ? AND table_name = ?"


def connect(path: Path) -> sqlite3.Connection:
    """Open the shared file for transactions that begin and end explicitly."""
    connection = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
    # Readers and the one writer do not wait for each other, here and in the JVM; FULL makes every commit durable.
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def create_tables(connection: sqlite3.Connection) -> None:
    """Create the catalog tables where Iceberg has not done so yet."""
    for statement in _TABLES:
        connection.execute(statement)


def add_namespace(connection: sqlite3.Connection, catalog: str, namespace: str) -> None:
    """Create a namespace unless it is there; the JVM's own statement fails when two threads race for it."""
    connection.execute(
        "INSERT OR IGNORE INTO iceberg_namespace_properties(catalog_name, namespace, property_key, property_value)"
        " VALUES (?, ?, 'exists', 'true')",
        (catalog, namespace),
    )


def stage_of(commit: CommitId) -> TableName:
    """Return the name of the stage row of a batch; `Move.stage` holds it."""
    return TableName(f"{STAGE_NAMESPACE}.{commit}")


def pointers(connection: sqlite3.Connection, catalog: str) -> dict[TableName, str]:
    """Return where the metadata of every table is, stages left out."""
    rows = connection.execute(
        "SELECT table_namespace, table_name, metadata_location FROM iceberg_tables"
        " WHERE catalog_name = ? AND table_namespace <> ? AND coalesce(iceberg_type, 'TABLE') = 'TABLE'",
        (catalog, STAGE_NAMESPACE),
    )
    return {TableName(f"{namespace}.{name}"): location for namespace, name, location in rows}


def pointer(connection: sqlite3.Connection, catalog: str, table: TableName) -> str | None:
    """Return where the metadata of one table, or of a stage, is."""
    row = connection.execute(
        f"SELECT metadata_location FROM iceberg_tables WHERE {_AT}", _key(catalog, table)
    ).fetchone()
    return None if row is None else str(row[0])


def add_table(connection: sqlite3.Connection, catalog: str, *, table: TableName, pointer: str) -> None:
    """Add a row for a table or a stage that has none."""
    connection.execute(
        "INSERT INTO iceberg_tables(catalog_name, table_namespace, table_name, metadata_location, iceberg_type)"
        " VALUES (?, ?, ?, ?, 'TABLE')",
        (*_key(catalog, table), pointer),
    )


def set_pointer(connection: sqlite3.Connection, catalog: str, *, table: TableName, pointer: str) -> None:
    """Point a table at metadata, whether it has a row or not; for a catalog that is put in order, never to publish."""
    drop_table(connection, catalog, table=table)
    add_table(connection, catalog, table=table, pointer=pointer)


def drop_table(connection: sqlite3.Connection, catalog: str, *, table: TableName) -> None:
    """Delete the row of a table or a stage; files are left alone."""
    connection.execute(f"DELETE FROM iceberg_tables WHERE {_AT}", _key(catalog, table))


def drop_stages(connection: sqlite3.Connection, catalog: str, *, live: tuple[CommitId, ...]) -> None:
    """Delete the rows of all stages but those of batches under way; files are left alone."""
    rows = connection.execute(
        "SELECT table_name FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ?",
        (catalog, STAGE_NAMESPACE),
    ).fetchall()
    for (name,) in rows:
        if name not in live:
            drop_table(connection, catalog, table=stage_of(CommitId(name)))


def move_pointer(connection: sqlite3.Connection, catalog: str, *, table: TableName, base: str, pointer: str) -> bool:
    """Point a table at new metadata if it is still at `base`; return whether it was."""
    moved = connection.execute(
        "UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ?"
        f" WHERE {_AT} AND metadata_location = ?",
        (pointer, base, *_key(catalog, table), base),
    )
    return moved.rowcount == 1


def publish(connection: sqlite3.Connection, catalog: str, move: Move) -> bool:
    """Apply a publishing move and drop its stage; return false, to be rolled back, if the target is not at its base."""
    stage = TableName(move.stage)
    if move.base is None:
        return _rename_stage(connection, catalog, move)
    if not move_pointer(connection, catalog, table=move.target, base=move.base, pointer=move.pointer):
        return False
    drop_table(connection, catalog, table=stage)
    return True


def _rename_stage(connection: sqlite3.Connection, catalog: str, move: Move) -> bool:
    """Give the stage row the target's name, so that a first build appears whole."""
    if pointer(connection, catalog, move.target) is not None:
        return False
    _, namespace, name = _key(catalog, move.target)
    renamed = connection.execute(
        f"UPDATE iceberg_tables SET table_namespace = ?, table_name = ? WHERE {_AT} AND metadata_location = ?",
        (namespace, name, *_key(catalog, TableName(move.stage)), move.pointer),
    )
    return renamed.rowcount == 1


def _key(catalog: str, table: TableName) -> tuple[str, str, str]:
    namespace, _, name = table.rpartition(".")
    return catalog, namespace, name
