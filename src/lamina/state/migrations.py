"""The tables of the state, as numbered steps; a file is brought from its version to ours, one step at a time."""

import json
from collections.abc import Callable
from uuid import uuid4

from lamina.state.dialect import StateDatabase, StateTransaction
from lamina.state.errors import StateCorrupt, StateTooNew
from lamina.warehouse.catalog.jdbc import create_tables


def _remade(table: str, columns: str, key: str, kept: str) -> tuple[str, ...]:
    """Return what makes a table again whose key begins with the project; rows without one wait for their project."""
    named = ", ".join(part.split()[0] for part in columns.split(", "))
    return (
        f"ALTER TABLE {table} RENAME TO {table}_before",
        f"CREATE TABLE {table} (project TEXT NOT NULL, environment TEXT NOT NULL, {columns},"
        f" PRIMARY KEY (project, environment{key})){{keyed}}",
        f"INSERT INTO {table} (project, environment, {named}) SELECT '', environment, {kept} FROM {table}_before",
        f"DROP TABLE {table}_before",
    )


def _split_graphs(transaction: StateTransaction) -> None:
    """Give each model of a promoted project a row of its own; its text was not kept, nor who compiled it."""
    rows = transaction.execute("SELECT project, environment, graph FROM lamina_graph").fetchall()
    for project, environment, text in rows:
        try:
            graph = json.loads(text)
            # A compiled model is an array that begins with its name; the fingerprint is inside, and not looked for.
            models = [(str(model[0]), json.dumps(model)) for model in graph["models"]]
        except (ValueError, LookupError, TypeError):
            # Of an earlier form, or damaged: the next run promotes what there is.
            transaction.execute(
                "DELETE FROM lamina_graph WHERE project = ? AND environment = ?", (project, environment)
            )
            continue
        transaction.executemany(
            "INSERT INTO lamina_promoted (project, environment, model, fingerprint, compiler, compiled, hash,"
            " text, run_id) VALUES (?, ?, ?, '', '', ?, '', '', '')",
            [(project, environment, name, compiled) for name, compiled in models],
        )
        transaction.execute(
            "UPDATE lamina_graph SET graph = ?, hash = '' WHERE project = ? AND environment = ?",
            (json.dumps({**graph, "models": []}), project, environment),
        )


Step = tuple[str | Callable[[StateTransaction], None], ...]

# Each step is applied once, in order, and never edited after a release; words in braces are those of the dialect.
STEPS: tuple[Step, ...] = (
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
    (
        # Several projects and environments share the tables; every row says which run wrote it. Until now there was
        # one project, whose name was not recorded, and the environment `prod`.
        "ALTER TABLE lamina_store ADD COLUMN owner TEXT",
        "ALTER TABLE lamina_store ADD COLUMN former TEXT",
        *_remade(
            "lamina_lease",
            "name TEXT NOT NULL, token {integer} NOT NULL, holder TEXT, process TEXT NOT NULL DEFAULT '',"
            " taken_at TEXT, expires_at TEXT",
            ", name",
            "'', token, holder, process, taken_at, expires_at",
        ),
        *_remade(
            "lamina_model",
            "model TEXT NOT NULL, record TEXT NOT NULL, run_id TEXT NOT NULL",
            ", model",
            "model, record, ''",
        ),
        *_remade(
            "lamina_cursor",
            "input TEXT NOT NULL, model TEXT NOT NULL, sequence {integer} NOT NULL, run_id TEXT NOT NULL",
            ", input, model",
            "input, model, sequence, ''",
        ),
        *_remade(
            "lamina_touch",
            "input TEXT NOT NULL, sequence {integer} NOT NULL, touch TEXT NOT NULL, run_id TEXT NOT NULL",
            ", input, sequence",
            "input, sequence, touch, ''",
        ),
        *_remade(
            "lamina_request",
            "model TEXT NOT NULL, intervals TEXT NOT NULL, run_id TEXT NOT NULL",
            ", model",
            "model, intervals, ''",
        ),
        *_remade("lamina_graph", "hash TEXT NOT NULL, graph TEXT NOT NULL", "", "hash, graph"),
        "ALTER TABLE lamina_failure ADD COLUMN project TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE lamina_failure ADD COLUMN run_id TEXT NOT NULL DEFAULT ''",
        "DROP INDEX lamina_failure_model",
        "CREATE INDEX lamina_failure_model ON lamina_failure (project, environment, model)",
        "ALTER TABLE lamina_intent ADD COLUMN project TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE lamina_intent ADD COLUMN run_id TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE lamina_batch ADD COLUMN project TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE lamina_batch ADD COLUMN run_id TEXT NOT NULL DEFAULT ''",
        "DROP INDEX lamina_batch_model",
        "CREATE INDEX lamina_batch_model ON lamina_batch (project, environment, model, number)",
        "ALTER TABLE lamina_run ADD COLUMN project TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE lamina_run ADD COLUMN environment TEXT NOT NULL DEFAULT 'prod'",
        "CREATE INDEX lamina_run_scope ON lamina_run (project, environment, number)",
        "ALTER TABLE lamina_plan RENAME TO lamina_plan_before",
        "CREATE TABLE lamina_plan (project TEXT NOT NULL, environment TEXT NOT NULL, plan_id TEXT NOT NULL,"
        " plan TEXT NOT NULL, run_id TEXT{numbered}, PRIMARY KEY (project, environment, plan_id))",
        "INSERT INTO lamina_plan (project, environment, plan_id, plan)"
        " SELECT '', 'prod', plan_id, plan FROM lamina_plan_before",
        "DROP TABLE lamina_plan_before",
        # The promoted version of each model, with the text of the project that it was compiled from.
        "CREATE TABLE lamina_promoted (project TEXT NOT NULL, environment TEXT NOT NULL, model TEXT NOT NULL,"
        " fingerprint TEXT NOT NULL, compiler TEXT NOT NULL, compiled TEXT NOT NULL, hash TEXT NOT NULL,"
        " text TEXT NOT NULL, run_id TEXT NOT NULL, former TEXT NOT NULL DEFAULT '[]',"
        " PRIMARY KEY (project, environment, model)){keyed}",
        "CREATE TABLE lamina_text (hash TEXT PRIMARY KEY, files TEXT NOT NULL){keyed}",
        "CREATE TABLE lamina_file (hash TEXT PRIMARY KEY, content TEXT NOT NULL){keyed}",
        # What checks said of each batch, published or not.
        "CREATE TABLE lamina_check (number {serial}, project TEXT NOT NULL, environment TEXT NOT NULL,"
        " model TEXT NOT NULL, name TEXT NOT NULL, result TEXT NOT NULL, run_id TEXT NOT NULL)",
        "CREATE INDEX lamina_check_name ON lamina_check (project, environment, model, name, number)",
        _split_graphs,
    ),
)

KNOWN = len(STEPS)
COUNTING = 2  # the first version that counts publications


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
        for part in step:
            if isinstance(part, str):
                transaction.execute(transaction.dialect.declared(part))
            else:
                part(transaction)
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
