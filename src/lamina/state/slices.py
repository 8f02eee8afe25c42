"""Failures and requests of slices: kept until the slice is built, and cut where only a part of it was."""

from lamina.state.dialect import StateTransaction
from lamina.values.codec import from_json, to_json
from lamina.values.facts import Failure
from lamina.values.interval import Interval, merge, subtract
from lamina.values.names import EnvironmentName, ModelName


def read_failures(transaction: StateTransaction, environment: EnvironmentName) -> tuple[Failure, ...]:
    """Return every failure, by model and interval."""
    rows = transaction.execute("SELECT failure FROM lamina_failure WHERE environment = ?", (environment,))
    return tuple(sorted((from_json(row[0], Failure) for row in rows), key=lambda item: (item.model, item.interval)))


def add_failures(transaction: StateTransaction, environment: EnvironmentName, failures: tuple[Failure, ...]) -> None:
    """Record failures in place of what was known of the same slices."""
    for failure in failures:
        clear_failures(transaction, environment, model=failure.model, built=(failure.interval,))
        _insert_failure(transaction, environment, failure)


def clear_failures(
    transaction: StateTransaction, environment: EnvironmentName, *, model: ModelName, built: tuple[Interval, ...]
) -> None:
    """Forget failures where slices were built."""
    rows = transaction.execute(
        "SELECT failure FROM lamina_failure WHERE environment = ? AND model = ?", (environment, model)
    ).fetchall()
    for (text,) in rows:
        failure = from_json(text, Failure)
        left = subtract((failure.interval,), built)
        if left == (failure.interval,):
            continue
        transaction.execute(
            "DELETE FROM lamina_failure WHERE environment = ? AND model = ? AND failure = ?", (environment, model, text)
        )
        for part in left:
            _insert_failure(transaction, environment, failure.replace(interval=part))


def forget_failures(transaction: StateTransaction, environment: EnvironmentName, model: ModelName) -> None:
    """Forget every failure of a model."""
    transaction.execute("DELETE FROM lamina_failure WHERE environment = ? AND model = ?", (environment, model))


def release_failures(transaction: StateTransaction, environment: EnvironmentName, model: ModelName) -> None:
    """Let the next pass try what failed of a model: how often it failed is remembered, lost files are not."""
    failed = tuple(item for item in read_failures(transaction, environment) if item.model == model)
    forget_failures(transaction, environment, model)
    for failure in failed:
        if failure.lost_file is None:
            _insert_failure(transaction, environment, failure.replace(next_try=None))


def read_requests(transaction: StateTransaction, environment: EnvironmentName) -> dict[ModelName, tuple[Interval, ...]]:
    """Return the requested ranges of every model."""
    rows = transaction.execute(
        "SELECT model, intervals FROM lamina_request WHERE environment = ? ORDER BY model", (environment,)
    )
    return {ModelName(name): from_json(text, tuple[Interval, ...]) for name, text in rows}


def add_request(
    transaction: StateTransaction, environment: EnvironmentName, *, model: ModelName, asked: tuple[Interval, ...]
) -> None:
    """Request ranges of a model beside those already requested."""
    before = read_requests(transaction, environment).get(model, ())
    _store_request(transaction, environment, model=model, ranges=merge((*before, *asked)))


def clear_requests(
    transaction: StateTransaction, environment: EnvironmentName, *, model: ModelName, built: tuple[Interval, ...]
) -> None:
    """Forget requests where slices were built."""
    before = read_requests(transaction, environment).get(model, ())
    if before:
        _store_request(transaction, environment, model=model, ranges=subtract(before, built))


def _insert_failure(transaction: StateTransaction, environment: EnvironmentName, failure: Failure) -> None:
    transaction.execute(
        "INSERT INTO lamina_failure (environment, model, failure) VALUES (?, ?, ?)",
        (environment, failure.model, to_json(failure).decode()),
    )


def _store_request(
    transaction: StateTransaction, environment: EnvironmentName, *, model: ModelName, ranges: tuple[Interval, ...]
) -> None:
    transaction.execute("DELETE FROM lamina_request WHERE environment = ? AND model = ?", (environment, model))
    if ranges:
        transaction.execute(
            "INSERT INTO lamina_request (environment, model, intervals) VALUES (?, ?, ?)",
            (environment, model, to_json(ranges).decode()),
        )
