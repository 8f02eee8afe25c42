"""How long history is kept: by age and by number, a little is removed at a time, so that no run waits for it."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from lamina.state.dialect import StateTransaction
from lamina.state.port import BatchRecord, RunRecord
from lamina.state.scope import OURS, Scope
from lamina.values.codec import from_json
from lamina.values.names import ModelName, TableName

KEPT_FOR = timedelta(days=90)
KEPT_RUNS = 5_000  # a loop that looks every minute makes a hundred thousand in that time
KEPT_PLANS = 200  # they do not say when they were made
_AT_ONCE = 500


def remove_runs(transaction: StateTransaction, before: datetime) -> None:
    """Remove the runs that began before a time, and those beyond the number that is kept."""
    transaction.execute("DELETE FROM lamina_run WHERE number <= (SELECT max(number) FROM lamina_run) - ?", (KEPT_RUNS,))
    rows = transaction.execute("SELECT number, run FROM lamina_run ORDER BY number LIMIT ?", (_AT_ONCE,))
    old = list(_while_older(((number, from_json(text, RunRecord).started_at) for number, text in rows), before))
    transaction.executemany("DELETE FROM lamina_run WHERE number = ?", old)


def remove_batches(transaction: StateTransaction, before: datetime) -> None:
    """Remove the batches that were published before a time, but the last one of each model."""
    rows = transaction.execute("SELECT number, batch FROM lamina_batch ORDER BY number LIMIT ?", (_AT_ONCE,))
    old = list(_while_older(((number, from_json(text, BatchRecord).published_at) for number, text in rows), before))
    transaction.executemany(
        "DELETE FROM lamina_batch WHERE number = ? AND EXISTS (SELECT 1 FROM lamina_batch AS later"
        " WHERE later.project = lamina_batch.project AND later.environment = lamina_batch.environment"
        " AND later.model = lamina_batch.model"
        " AND later.number > lamina_batch.number)",
        old,
    )


def remove_checks(transaction: StateTransaction) -> None:
    """Remove what checks said in runs that are not kept any more."""
    oldest = "SELECT number FROM lamina_check ORDER BY number LIMIT ?"
    transaction.execute(
        f"DELETE FROM lamina_check WHERE number IN ({oldest}) AND run_id NOT IN (SELECT run_id FROM lamina_run)",
        (_AT_ONCE,),
    )


def remove_plans(transaction: StateTransaction, scope: Scope) -> None:
    """Remove the plans beyond the number that is kept; those of runs do not count for those that wait for `apply`."""
    number = transaction.dialect.row_number
    for kind in ("run_id IS NULL", "run_id IS NOT NULL"):
        kept = f"SELECT {number} FROM lamina_plan WHERE {OURS} AND {kind} ORDER BY {number} DESC LIMIT ?"
        transaction.execute(
            f"DELETE FROM lamina_plan WHERE {OURS} AND {kind} AND {number} NOT IN ({kept})",
            (*scope.key, *scope.key, KEPT_PLANS),
        )


def forget_readers(transaction: StateTransaction, scope: Scope, models: frozenset[ModelName]) -> tuple[TableName, ...]:
    """Forget the cursors of models that are gone, and return the logs they held back.

    Their records stay: should such a model come back, a log that does not lead on from its cursor touches everything.
    """
    rows = transaction.execute(f"SELECT DISTINCT model FROM lamina_cursor WHERE {OURS}", scope.key)
    gone = [(*scope.key, name) for (name,) in rows.fetchall() if name not in models]
    inputs = [
        TableName(name)
        for key in gone
        for (name,) in transaction.execute(f"SELECT input FROM lamina_cursor WHERE {OURS} AND model = ?", key)
    ]
    transaction.executemany(f"DELETE FROM lamina_cursor WHERE {OURS} AND model = ?", gone)
    return tuple(inputs)


def _while_older(items: Iterator[tuple[int, datetime]], before: datetime) -> Iterator[tuple[int]]:
    """Yield the numbers of the first items, up to one that is not older."""
    for number, at in items:
        if at >= before:
            return
        yield (number,)
