"""What was done: runs, batches, plans and the intents of batches under way."""

from lamina.compiler.graph import Graph
from lamina.state.dialect import StateTransaction
from lamina.state.port import BatchRecord, RunRecord
from lamina.values.codec import content_hash, from_json, to_json
from lamina.values.facts import Intent
from lamina.values.names import CommitId, EnvironmentName, ModelName, PlanId, RunId
from lamina.values.plan import Plan

# Each run closes those before it, so that open ones are among the latest; other environments have theirs in between.
_MAYBE_OPEN = 50


def put_run(transaction: StateTransaction, run: RunRecord) -> None:
    """Record a run, or what became of it."""
    transaction.put("lamina_run", {"run_id": run.run_id}, run=to_json(run).decode())


def close_runs(transaction: StateTransaction, environment: EnvironmentName) -> None:
    """Record the runs of an environment that are still open as interrupted: the holder of the lease is alone."""
    rows = transaction.execute("SELECT run FROM lamina_run ORDER BY number DESC LIMIT ?", (_MAYBE_OPEN,)).fetchall()
    for (text,) in rows:
        run = from_json(text, RunRecord)
        if run.environment == environment and run.status == "running":
            put_run(transaction, run.replace(status="interrupted"))


def latest_runs(transaction: StateTransaction, limit: int) -> tuple[RunRecord, ...]:
    """Return the latest runs, newest first."""
    rows = transaction.execute("SELECT run FROM lamina_run ORDER BY number DESC LIMIT ?", (limit,))
    return tuple(from_json(row[0], RunRecord) for row in rows)


def find_run(transaction: StateTransaction, run_id: RunId) -> RunRecord | None:
    """Return one run."""
    row = transaction.execute("SELECT run FROM lamina_run WHERE run_id = ?", (run_id,)).fetchone()
    return None if row is None else from_json(row[0], RunRecord)


def add_batch(transaction: StateTransaction, environment: EnvironmentName, batch: BatchRecord) -> None:
    """Record a published batch."""
    transaction.execute(
        "INSERT INTO lamina_batch (environment, model, commit_id, batch) VALUES (?, ?, ?, ?)",
        (environment, batch.model, batch.commit, to_json(batch).decode()),
    )


def latest_batches(
    transaction: StateTransaction, environment: EnvironmentName, *, model: ModelName, limit: int
) -> tuple[BatchRecord, ...]:
    """Return the latest batches of a model, newest first."""
    rows = transaction.execute(
        "SELECT batch FROM lamina_batch WHERE environment = ? AND model = ? ORDER BY number DESC LIMIT ?",
        (environment, model, limit),
    )
    return tuple(from_json(row[0], BatchRecord) for row in rows)


def add_intent(transaction: StateTransaction, environment: EnvironmentName, intent: Intent) -> None:
    """Record a batch about to be staged."""
    drop_intent(transaction, intent.commit)
    transaction.execute(
        "INSERT INTO lamina_intent (commit_id, environment, intent) VALUES (?, ?, ?)",
        (intent.commit, environment, to_json(intent).decode()),
    )


def drop_intent(transaction: StateTransaction, commit: CommitId) -> None:
    """Forget an intent."""
    transaction.execute("DELETE FROM lamina_intent WHERE commit_id = ?", (commit,))


def read_intents(transaction: StateTransaction, environment: EnvironmentName) -> tuple[Intent, ...]:
    """Return the intents that are left, oldest first."""
    rows = transaction.execute(
        f"SELECT intent FROM lamina_intent WHERE environment = ? ORDER BY {transaction.dialect.row_number}",
        (environment,),
    )
    return tuple(from_json(row[0], Intent) for row in rows)


def all_intents(transaction: StateTransaction) -> tuple[CommitId, ...]:
    """Return the commits of the intents of every environment."""
    return tuple(CommitId(row[0]) for row in transaction.execute("SELECT commit_id FROM lamina_intent"))


def put_plan(transaction: StateTransaction, plan: Plan) -> None:
    """Keep a plan, as the latest one."""
    transaction.execute("DELETE FROM lamina_plan WHERE plan_id = ?", (plan.plan_id,))
    transaction.execute("INSERT INTO lamina_plan (plan_id, plan) VALUES (?, ?)", (plan.plan_id, to_json(plan).decode()))


def find_plan(transaction: StateTransaction, plan_id: PlanId) -> Plan | None:
    """Return a plan by its id, or by a beginning that only one plan has."""
    rows = transaction.execute(
        "SELECT plan_id, plan FROM lamina_plan WHERE substr(plan_id, 1, ?) = ? ORDER BY plan_id LIMIT 2",
        (len(plan_id), plan_id),
    ).fetchall()
    exact = [text for name, text in rows if name == plan_id]
    found = exact or [text for _, text in rows]
    return from_json(found[0], Plan) if len(found) == 1 and plan_id else None


def put_graph(transaction: StateTransaction, environment: EnvironmentName, graph: Graph) -> None:
    """Keep the compiled project that an environment was last run with."""
    text = to_json(graph).decode()
    transaction.put("lamina_graph", {"environment": environment}, hash=content_hash(graph), graph=text)


def graph_hash(transaction: StateTransaction, environment: EnvironmentName) -> str | None:
    """Return the hash of the kept project."""
    row = transaction.execute("SELECT hash FROM lamina_graph WHERE environment = ?", (environment,)).fetchone()
    return None if row is None else str(row[0])


def find_graph(transaction: StateTransaction, environment: EnvironmentName) -> Graph | None:
    """Return the kept project."""
    row = transaction.execute("SELECT graph FROM lamina_graph WHERE environment = ?", (environment,)).fetchone()
    return None if row is None else from_json(row[0], Graph)
