"""What was done: runs, batches, plans and the intents of batches under way."""

import sqlite3

from lamina.compiler.graph import Graph
from lamina.state.port import BatchRecord, RunRecord
from lamina.values.codec import content_hash, from_json, to_json
from lamina.values.facts import Intent
from lamina.values.names import CommitId, EnvironmentName, ModelName, PlanId, RunId
from lamina.values.plan import Plan

# Each run closes those before it, so that open ones are among the latest; other environments have theirs in between.
_MAYBE_OPEN = 50


def put_run(connection: sqlite3.Connection, run: RunRecord) -> None:
    """Record a run, or what became of it."""
    connection.execute(
        "INSERT INTO lamina_run (run_id, run) VALUES (:run_id, :run)"
        " ON CONFLICT (run_id) DO UPDATE SET run = excluded.run",
        {"run_id": run.run_id, "run": to_json(run).decode()},
    )


def close_runs(connection: sqlite3.Connection, environment: EnvironmentName) -> None:
    """Record the runs of an environment that are still open as interrupted: whoever holds the lease is alone."""
    rows = connection.execute("SELECT run FROM lamina_run ORDER BY number DESC LIMIT ?", (_MAYBE_OPEN,)).fetchall()
    for (text,) in rows:
        run = from_json(text, RunRecord)
        if run.environment == environment and run.status == "running":
            put_run(connection, run.replace(status="interrupted"))


def latest_runs(connection: sqlite3.Connection, limit: int) -> tuple[RunRecord, ...]:
    """Return the latest runs, newest first."""
    rows = connection.execute("SELECT run FROM lamina_run ORDER BY number DESC LIMIT ?", (limit,))
    return tuple(from_json(row[0], RunRecord) for row in rows)


def find_run(connection: sqlite3.Connection, run_id: RunId) -> RunRecord | None:
    """Return one run."""
    row = connection.execute("SELECT run FROM lamina_run WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None else from_json(row[0], RunRecord)


def add_batch(connection: sqlite3.Connection, environment: EnvironmentName, batch: BatchRecord) -> None:
    """Record a published batch."""
    connection.execute(
        "INSERT INTO lamina_batch (environment, model, commit_id, batch) VALUES (?, ?, ?, ?)",
        (environment, batch.model, batch.commit, to_json(batch).decode()),
    )


def latest_batches(
    connection: sqlite3.Connection, environment: EnvironmentName, *, model: ModelName, limit: int
) -> tuple[BatchRecord, ...]:
    """Return the latest batches of a model, newest first."""
    rows = connection.execute(
        "SELECT batch FROM lamina_batch WHERE environment = ? AND model = ? ORDER BY number DESC LIMIT ?",
        (environment, model, limit),
    )
    return tuple(from_json(row[0], BatchRecord) for row in rows)


def add_intent(connection: sqlite3.Connection, environment: EnvironmentName, intent: Intent) -> None:
    """Record a batch about to be staged."""
    connection.execute(
        "INSERT OR REPLACE INTO lamina_intent (commit_id, environment, intent) VALUES (?, ?, ?)",
        (intent.commit, environment, to_json(intent).decode()),
    )


def drop_intent(connection: sqlite3.Connection, commit: CommitId) -> None:
    """Forget an intent."""
    connection.execute("DELETE FROM lamina_intent WHERE commit_id = ?", (commit,))


def read_intents(connection: sqlite3.Connection, environment: EnvironmentName) -> tuple[Intent, ...]:
    """Return the intents that are left, oldest first."""
    rows = connection.execute("SELECT intent FROM lamina_intent WHERE environment = ? ORDER BY rowid", (environment,))
    return tuple(from_json(row[0], Intent) for row in rows)


def all_intents(connection: sqlite3.Connection) -> tuple[CommitId, ...]:
    """Return the commits of the intents of every environment."""
    return tuple(CommitId(row[0]) for row in connection.execute("SELECT commit_id FROM lamina_intent"))


def put_plan(connection: sqlite3.Connection, plan: Plan) -> None:
    """Keep a plan."""
    connection.execute(
        "INSERT OR REPLACE INTO lamina_plan (plan_id, plan) VALUES (?, ?)", (plan.plan_id, to_json(plan).decode())
    )


def find_plan(connection: sqlite3.Connection, plan_id: PlanId) -> Plan | None:
    """Return a plan by its id, or by a beginning that only one plan has."""
    rows = connection.execute(
        "SELECT plan_id, plan FROM lamina_plan WHERE substr(plan_id, 1, length(?1)) = ?1 ORDER BY plan_id LIMIT 2",
        (plan_id,),
    ).fetchall()
    exact = [text for name, text in rows if name == plan_id]
    found = exact or [text for _, text in rows]
    return from_json(found[0], Plan) if len(found) == 1 and plan_id else None


def put_graph(connection: sqlite3.Connection, environment: EnvironmentName, graph: Graph) -> None:
    """Keep the compiled project that an environment was last run with."""
    connection.execute(
        "INSERT OR REPLACE INTO lamina_graph (environment, hash, graph) VALUES (?, ?, ?)",
        (environment, content_hash(graph), to_json(graph).decode()),
    )


def graph_hash(connection: sqlite3.Connection, environment: EnvironmentName) -> str | None:
    """Return the hash of the kept project."""
    row = connection.execute("SELECT hash FROM lamina_graph WHERE environment = ?", (environment,)).fetchone()
    return None if row is None else str(row[0])


def find_graph(connection: sqlite3.Connection, environment: EnvironmentName) -> Graph | None:
    """Return the kept project."""
    row = connection.execute("SELECT graph FROM lamina_graph WHERE environment = ?", (environment,)).fetchone()
    return None if row is None else from_json(row[0], Graph)
