"""The tables of the state, as numbered steps; a file is brought from its version to ours, one step at a time."""

import sqlite3
from uuid import uuid4

# Each step is applied once, in order, and never edited after a release.
STEPS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE lamina_store (version INTEGER NOT NULL, identity TEXT NOT NULL)",
        "CREATE TABLE lamina_lease (environment TEXT PRIMARY KEY, token INTEGER NOT NULL, holder TEXT,"
        " process TEXT NOT NULL DEFAULT '', taken_at TEXT, expires_at TEXT)",
        "CREATE TABLE lamina_model (environment TEXT NOT NULL, model TEXT NOT NULL, record TEXT NOT NULL,"
        " PRIMARY KEY (environment, model)) WITHOUT ROWID",
        # The cursors stand in the records too; here they tell which touches nobody needs any more.
        "CREATE TABLE lamina_cursor (environment TEXT NOT NULL, input TEXT NOT NULL, model TEXT NOT NULL,"
        " sequence INTEGER NOT NULL, PRIMARY KEY (environment, input, model)) WITHOUT ROWID",
        "CREATE TABLE lamina_touch (environment TEXT NOT NULL, input TEXT NOT NULL, sequence INTEGER NOT NULL,"
        " touch TEXT NOT NULL, PRIMARY KEY (environment, input, sequence)) WITHOUT ROWID",
        "CREATE TABLE lamina_failure (environment TEXT NOT NULL, model TEXT NOT NULL, failure TEXT NOT NULL)",
        "CREATE INDEX lamina_failure_model ON lamina_failure (environment, model)",
        "CREATE TABLE lamina_request (environment TEXT NOT NULL, model TEXT NOT NULL, intervals TEXT NOT NULL,"
        " PRIMARY KEY (environment, model)) WITHOUT ROWID",
        "CREATE TABLE lamina_intent (commit_id TEXT PRIMARY KEY, environment TEXT NOT NULL, intent TEXT NOT NULL)",
        "CREATE TABLE lamina_batch (number INTEGER PRIMARY KEY AUTOINCREMENT, environment TEXT NOT NULL,"
        " model TEXT NOT NULL, commit_id TEXT NOT NULL UNIQUE, batch TEXT NOT NULL)",
        "CREATE INDEX lamina_batch_model ON lamina_batch (environment, model, number)",
        "CREATE TABLE lamina_run (number INTEGER PRIMARY KEY AUTOINCREMENT, run_id TEXT NOT NULL UNIQUE,"
        " run TEXT NOT NULL)",
        "CREATE TABLE lamina_plan (plan_id TEXT PRIMARY KEY, plan TEXT NOT NULL)",
        "CREATE TABLE lamina_graph (environment TEXT PRIMARY KEY, hash TEXT NOT NULL, graph TEXT NOT NULL)",
    ),
    (
        # How many batches the store has published: fewer than the warehouse has counted means an older copy of it.
        "ALTER TABLE lamina_store ADD COLUMN published INTEGER NOT NULL DEFAULT 0",
        # The folder the tables are in; another one means that the project was moved or copied.
        "ALTER TABLE lamina_store ADD COLUMN warehouse TEXT",
        # Folders that some files of tables may still name, as a JSON list, while the tables are relocated.
        "ALTER TABLE lamina_store ADD COLUMN leaving TEXT",
    ),
)

KNOWN = len(STEPS)


def found_version(connection: sqlite3.Connection) -> int | None:
    """Return the schema version of the file; 0 when it holds no state, None when it has lost its version."""
    exists = connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'lamina_store'").fetchone()
    if exists is None:
        return 0
    row = connection.execute("SELECT version FROM lamina_store").fetchone()
    return None if row is None else int(row[0])


def upgrade(connection: sqlite3.Connection, version: int) -> None:
    """Apply the steps after `version`, inside the caller's transaction."""
    for step in STEPS[version:]:
        for statement in step:
            connection.execute(statement)
    if version == 0:
        connection.execute("INSERT INTO lamina_store (version, identity) VALUES (?, ?)", (KNOWN, uuid4().hex))
    else:
        connection.execute("UPDATE lamina_store SET version = ?", (KNOWN,))
