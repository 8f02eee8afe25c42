"""Failures and requests of slices: kept until the slice is built, and cut where only a part of it was."""

from lamina.state.dialect import StateTransaction
from lamina.state.scope import OURS, Scope
from lamina.values.codec import from_json, to_json
from lamina.values.facts import Failure
from lamina.values.interval import Interval, merge, subtract
from lamina.values.names import ModelName, RunId


def read_failures(transaction: StateTransaction, scope: Scope) -> tuple[Failure, ...]:
    """Return every failure, by model and interval."""
    rows = transaction.execute(f"SELECT failure FROM lamina_failure WHERE {OURS}", scope.key)
    return tuple(sorted((from_json(row[0], Failure) for row in rows), key=lambda item: (item.model, item.interval)))


def add_failures(transaction: StateTransaction, scope: Scope, failures: tuple[Failure, ...]) -> None:
    """Record failures in place of what was known of the same slices."""
    for failure in failures:
        clear_failures(transaction, scope, model=failure.model, built=(failure.interval,))
        _insert_failure(transaction, scope, failure)


def clear_failures(
    transaction: StateTransaction, scope: Scope, *, model: ModelName, built: tuple[Interval, ...]
) -> None:
    """Forget failures where slices were built."""
    rows = transaction.execute(
        f"SELECT failure FROM lamina_failure WHERE {OURS} AND model = ?", (*scope.key, model)
    ).fetchall()
    for (text,) in rows:
        failure = from_json(text, Failure)
        left = subtract((failure.interval,), built)
        if left == (failure.interval,):
            continue
        transaction.execute(
            f"DELETE FROM lamina_failure WHERE {OURS} AND model = ? AND failure = ?", (*scope.key, model, text)
        )
        for part in left:
            _insert_failure(transaction, scope, failure.replace(interval=part))


def forget_failures(transaction: StateTransaction, scope: Scope, model: ModelName) -> None:
    """Forget every failure of a model."""
    transaction.execute(f"DELETE FROM lamina_failure WHERE {OURS} AND model = ?", (*scope.key, model))


def release_failures(transaction: StateTransaction, scope: Scope, model: ModelName) -> None:
    """Let the next pass try what failed of a model: how often it failed is remembered, lost files are not."""
    rows = transaction.execute(
        f"SELECT failure FROM lamina_failure WHERE {OURS} AND model = ?", (*scope.key, model)
    ).fetchall()
    failed = tuple(from_json(row[0], Failure) for row in rows)
    forget_failures(transaction, scope, model)
    for failure in failed:
        if failure.lost_file is None:
            _insert_failure(transaction, scope, failure.replace(next_try=None))


def read_requests(transaction: StateTransaction, scope: Scope) -> dict[ModelName, tuple[Interval, ...]]:
    """Return the requested ranges of every model."""
    rows = transaction.execute(f"SELECT model, intervals FROM lamina_request WHERE {OURS} ORDER BY model", scope.key)
    return {ModelName(name): from_json(text, tuple[Interval, ...]) for name, text in rows}


def add_request(
    transaction: StateTransaction, scope: Scope, *, model: ModelName, asked: tuple[Interval, ...], run_id: RunId
) -> None:
    """Request ranges of a model beside those already requested."""
    ranges = merge((*_request(transaction, scope, model), *asked))
    if ranges:
        key = {**scope.columns, "model": model}
        transaction.put("lamina_request", key, intervals=to_json(ranges).decode(), run_id=run_id)


def clear_requests(
    transaction: StateTransaction, scope: Scope, *, model: ModelName, built: tuple[Interval, ...]
) -> None:
    """Forget requests where slices were built."""
    before = _request(transaction, scope, model)
    left, key = subtract(before, built), (*scope.key, model)
    if left:
        transaction.execute(
            f"UPDATE lamina_request SET intervals = ? WHERE {OURS} AND model = ?", (to_json(left).decode(), *key)
        )
    elif before:
        transaction.execute(f"DELETE FROM lamina_request WHERE {OURS} AND model = ?", key)


def _request(transaction: StateTransaction, scope: Scope, model: ModelName) -> tuple[Interval, ...]:
    statement = f"SELECT intervals FROM lamina_request WHERE {OURS} AND model = ?"
    row = transaction.execute(statement, (*scope.key, model)).fetchone()
    return () if row is None else from_json(row[0], tuple[Interval, ...])


def _insert_failure(transaction: StateTransaction, scope: Scope, failure: Failure) -> None:
    transaction.execute(
        "INSERT INTO lamina_failure (project, environment, model, failure, run_id) VALUES (?, ?, ?, ?, ?)",
        (*scope.key, failure.model, to_json(failure).decode(), failure.run_id),
    )
