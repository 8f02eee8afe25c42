"""The tables of the state, as numbered steps; a file is brought from its version to ours, one step at a time."""

from uuid import uuid4

from lamina.state.dialect import StateDatabase, StateTransaction
from lamina.state.errors import StateCorrupt, StateTooNew
from lamina.warehouse.catalog.jdbc import create_tables

# Each step is applied once, in order, and never edited after a release; words in braces are those of the dialect.
STEPS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE lamina_store (version {integer} NOT NULL, identity TEXT NOT NULL)",
        "CREATE TABLE lamina_lease (environment TEXT PRIMARY KEY, token {integer} NOT NULL, holder TEXT,"
        " process TEXT NOT NULL DEFAULT '', taken_at TEXT, expires_at TEXT)",
        "CREATE TABLE lamina_model (environment TEXT NOT NULL, model TEXT NOT NULL, record TEXT NOT NULL,"
        " PRIMARY KEY (environment, model)){keyed}",
        # The cursors are in the records too; here they show which touches no reader needs any more.
        "CREATE TABLE lamina_cursor (environment TEXT NOT NULL, input TEXT NOT NULL, model TEXT NOT NULL,"
        " sequence {integer} NOT NULL, PRIMARY KEY (environment, input, model)){keyed}",
        "CREATE TABLE lamina_touch (environment TEXT NOT NULL, input TEXT NOT NULL, sequence {integer} NOT NULL,"
        " touch TEXT NOT NULL, PRIMARY KEY (environment, input, sequence)){keyed}",
        "CREATE TABLE lamina_failure (environment TEXT NOT NULL, model TEXT NOT NULL, failure TEXT NOT NULL)",
        "CREATE INDEX lamina_failure_model ON lamina_failure (environment, model)",
        "CREATE TABLE lamina_request (environment TEXT NOT NULL, model TEXT NOT NULL, intervals TEXT NOT NULL,"
        " PRIMARY KEY (environment, model)){keyed}",
        "CREATE TABLE lamina_intent (commit_id TEXT PRIMARY KEY, environment TEXT NOT NULL,"
        " intent TEXT NOT NULL{numbered})",
        "CREATE TABLE lamina_batch (number {serial}, environment TEXT NOT NULL,"
        " model TEXT NOT NULL, commit_id TEXT NOT NULL UNIQUE, batch TEXT NOT NULL)",
        "CREATE INDEX lamina_batch_model ON lamina_batch (environment, model, number)",
        "CREATE TABLE lamina_run (number {serial}, run_id TEXT NOT NULL UNIQUE, run TEXT NOT NULL)",
        "CREATE TABLE lamina_plan (plan_id TEXT PRIMARY KEY, plan TEXT NOT NULL{numbered})",
        "CREATE TABLE lamina_graph (environment TEXT PRIMARY KEY, hash TEXT NOT NULL, graph TEXT NOT NULL)",
    ),
    (
        # How many batches the store has published: fewer than the warehouse has counted means an older copy of it.
        "ALTER TABLE lamina_store ADD COLUMN published {integer} NOT NULL DEFAULT 0",
        # The folder the tables are in; another one means that the project was moved or copied.
        "ALTER TABLE lamina_store ADD COLUMN warehouse TEXT",
        # Folders that some files of tables may still name, as a JSON list, while the tables are relocated.
        "ALTER TABLE lamina_store ADD COLUMN leaving TEXT",
    ),
    # Coverage says which keys are unique and which columns left the query, which older versions cannot read.
    (),
)

KNOWN = len(STEPS)


def bring_up_to_date(database: StateDatabase) -> None:
    """Create the tables of the state, and those of the catalog beside them, or bring older ones to our version."""
    with database.reading() as transaction:
        if _known_version(transaction) == KNOWN:
            return
    with database.writing() as transaction:
        create_tables(transaction)
        # Another process may have done it while this one waited for the lock.
        upgrade(transaction, _known_version(transaction))


def found_version(transaction: StateTransaction) -> int | None:
    """Return the schema version of the database; 0 when it holds no state, None when it has lost its version."""
    if not transaction.has_table("lamina_store"):
        return 0
    row = transaction.execute("SELECT version FROM lamina_store").fetchone()
    return None if row is None else int(row[0])


def upgrade(transaction: StateTransaction, version: int) -> None:
    """Apply the steps after `version`, inside the caller's transaction."""
    for step in STEPS[version:]:
        for statement in step:
            transaction.execute(transaction.dialect.declared(statement))
    if version == 0:
        transaction.execute("INSERT INTO lamina_store (version, identity) VALUES (?, ?)", (KNOWN, uuid4().hex))
    else:
        transaction.execute("UPDATE lamina_store SET version = ?", (KNOWN,))


def _known_version(transaction: StateTransaction) -> int:
    version = found_version(transaction)
    if version is None:
        raise StateCorrupt(transaction.location, "it has lost its version")
    if version > KNOWN:
        raise StateTooNew(transaction.location, found=version, known=KNOWN)
    return version
