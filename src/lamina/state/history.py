"""What was done: runs, batches, plans and the intents of batches under way."""

from lamina.state.dialect import StateTransaction
from lamina.state.port import BatchRecord, CheckRecord, RunRecord
from lamina.state.scope import OURS, Scope
from lamina.values.codec import from_json, to_json
from lamina.values.facts import Intent
from lamina.values.names import CommitId, ModelName, PlanId, RunId
from lamina.values.plan import Plan

# Each run closes those before it, so that open ones are among the latest.
_MAYBE_OPEN = 50


def put_run(transaction: StateTransaction, scope: Scope, run: RunRecord) -> None:
    """Record a run, or what became of it."""
    transaction.put("lamina_run", {"run_id": run.run_id}, **scope.columns, run=to_json(run).decode())


def close_runs(transaction: StateTransaction, scope: Scope, *, held: frozenset[int]) -> None:
    """Record the open runs of an environment as interrupted, but for those whose lease is held."""
    for run in latest_runs(transaction, scope, _MAYBE_OPEN):
        if run.status == "running" and run.token not in held:
            put_run(transaction, scope, run.replace(status="interrupted"))


def latest_runs(transaction: StateTransaction, scope: Scope, limit: int) -> tuple[RunRecord, ...]:
    """Return the latest runs, newest first."""
    statement = f"SELECT run FROM lamina_run WHERE {OURS} ORDER BY number DESC LIMIT ?"
    return tuple(from_json(row[0], RunRecord) for row in transaction.execute(statement, (*scope.key, limit)))


def find_run(transaction: StateTransaction, scope: Scope, run_id: RunId) -> RunRecord | None:
    """Return one run."""
    statement = f"SELECT run FROM lamina_run WHERE {OURS} AND run_id = ?"
    row = transaction.execute(statement, (*scope.key, run_id)).fetchone()
    return None if row is None else from_json(row[0], RunRecord)


def add_batch(transaction: StateTransaction, scope: Scope, batch: BatchRecord) -> None:
    """Record a published batch."""
    transaction.execute(
        "INSERT INTO lamina_batch (project, environment, model, commit_id, batch, run_id) VALUES (?, ?, ?, ?, ?, ?)",
        (*scope.key, batch.model, batch.commit, to_json(batch).decode(), batch.run_id),
    )


def add_checks(transaction: StateTransaction, scope: Scope, records: tuple[CheckRecord, ...]) -> None:
    """Record what checks said of a batch."""
    transaction.executemany(
        "INSERT INTO lamina_check (project, environment, model, name, result, run_id) VALUES (?, ?, ?, ?, ?, ?)",
        [(*scope.key, item.result.model, item.result.name, to_json(item).decode(), item.run_id) for item in records],
    )


def latest_checks(
    transaction: StateTransaction, scope: Scope, *, model: ModelName, limit: int
) -> tuple[CheckRecord, ...]:
    """Return the latest results of each check of a model, by the checks' names, newest first."""
    of_model = (*scope.key, model)
    names = transaction.execute(
        f"SELECT DISTINCT name FROM lamina_check WHERE {OURS} AND model = ? ORDER BY name", of_model
    ).fetchall()
    statement = f"SELECT result FROM lamina_check WHERE {OURS} AND model = ? AND name = ? ORDER BY number DESC LIMIT ?"
    rows = (row for (name,) in names for row in transaction.execute(statement, (*of_model, name, limit)).fetchall())
    return tuple(from_json(row[0], CheckRecord) for row in rows)


def latest_batches(
    transaction: StateTransaction, scope: Scope, *, model: ModelName, limit: int
) -> tuple[BatchRecord, ...]:
    """Return the latest batches of a model, newest first."""
    rows = transaction.execute(
        f"SELECT batch FROM lamina_batch WHERE {OURS} AND model = ? ORDER BY number DESC LIMIT ?",
        (*scope.key, model, limit),
    )
    return tuple(from_json(row[0], BatchRecord) for row in rows)


def add_intent(transaction: StateTransaction, scope: Scope, intent: Intent) -> None:
    """Record a batch about to be staged."""
    drop_intent(transaction, intent.commit)
    transaction.execute(
        "INSERT INTO lamina_intent (commit_id, project, environment, intent, run_id) VALUES (?, ?, ?, ?, ?)",
        (intent.commit, *scope.key, to_json(intent).decode(), intent.run_id),
    )


def drop_intent(transaction: StateTransaction, commit: CommitId) -> None:
    """Forget an intent."""
    transaction.execute("DELETE FROM lamina_intent WHERE commit_id = ?", (commit,))


def read_intents(transaction: StateTransaction, scope: Scope) -> tuple[Intent, ...]:
    """Return the intents that are left, oldest first."""
    rows = transaction.execute(
        f"SELECT intent FROM lamina_intent WHERE {OURS} ORDER BY {transaction.dialect.row_number}", scope.key
    )
    return tuple(from_json(row[0], Intent) for row in rows)


def all_intents(transaction: StateTransaction) -> tuple[CommitId, ...]:
    """Return the commits of the intents of every project and environment."""
    return tuple(CommitId(row[0]) for row in transaction.execute("SELECT commit_id FROM lamina_intent"))


def put_plan(transaction: StateTransaction, scope: Scope, plan: Plan, *, run_id: RunId | None) -> None:
    """Keep a plan, as the latest one."""
    transaction.execute(f"DELETE FROM lamina_plan WHERE {OURS} AND plan_id = ?", (*scope.key, plan.plan_id))
    transaction.execute(
        "INSERT INTO lamina_plan (project, environment, plan_id, plan, run_id) VALUES (?, ?, ?, ?, ?)",
        (*scope.key, plan.plan_id, to_json(plan).decode(), run_id),
    )


def find_plan(transaction: StateTransaction, scope: Scope, plan_id: PlanId) -> Plan | None:
    """Return a plan by its id, or by a beginning that only one plan has."""
    rows = transaction.execute(
        f"SELECT plan_id, plan FROM lamina_plan WHERE {OURS} AND substr(plan_id, 1, ?) = ? ORDER BY plan_id LIMIT 2",
        (*scope.key, len(plan_id), plan_id),
    ).fetchall()
    exact = [text for name, text in rows if name == plan_id]
    found = exact or [text for _, text in rows]
    return from_json(found[0], Plan) if len(found) == 1 and plan_id else None
