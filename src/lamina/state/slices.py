"""Failures and requests of slices: kept until the slice is built, and cut where only a part of it was."""

import sqlite3

from lamina.values.codec import from_json, to_json
from lamina.values.facts import Failure
from lamina.values.interval import Interval, intersect, merge, subtract
from lamina.values.names import EnvironmentName, ModelName


def read_failures(connection: sqlite3.Connection, environment: EnvironmentName) -> tuple[Failure, ...]:
    """Return every failure, by model and interval."""
    rows = connection.execute("SELECT failure FROM lamina_failure WHERE environment = ?", (environment,))
    return tuple(sorted((from_json(row[0], Failure) for row in rows), key=lambda item: (item.model, item.interval)))


def add_failures(connection: sqlite3.Connection, environment: EnvironmentName, failures: tuple[Failure, ...]) -> None:
    """Record failures in place of what was known of the same slices; the first of a row of failures is remembered."""
    known = read_failures(connection, environment)
    for failure in failures:
        seen = (item.first_seen for item in known if _is_again(item, failure))
        clear_failures(connection, environment, model=failure.model, built=(failure.interval,))
        _insert_failure(connection, environment, failure.replace(first_seen=min((failure.first_seen, *seen))))


def clear_failures(
    connection: sqlite3.Connection, environment: EnvironmentName, *, model: ModelName, built: tuple[Interval, ...]
) -> None:
    """Forget failures where slices were built."""
    rows = connection.execute(
        "SELECT rowid, failure FROM lamina_failure WHERE environment = ? AND model = ?", (environment, model)
    ).fetchall()
    for number, text in rows:
        failure = from_json(text, Failure)
        left = subtract((failure.interval,), built)
        if left == (failure.interval,):
            continue
        connection.execute("DELETE FROM lamina_failure WHERE rowid = ?", (number,))
        for part in left:
            _insert_failure(connection, environment, failure.replace(interval=part))


def forget_failures(connection: sqlite3.Connection, environment: EnvironmentName, model: ModelName) -> None:
    """Forget every failure of a model."""
    connection.execute("DELETE FROM lamina_failure WHERE environment = ? AND model = ?", (environment, model))


def read_requests(
    connection: sqlite3.Connection, environment: EnvironmentName
) -> dict[ModelName, tuple[Interval, ...]]:
    """Return the requested ranges of every model."""
    rows = connection.execute(
        "SELECT model, intervals FROM lamina_request WHERE environment = ? ORDER BY model", (environment,)
    )
    return {ModelName(name): from_json(text, tuple[Interval, ...]) for name, text in rows}


def add_request(
    connection: sqlite3.Connection, environment: EnvironmentName, *, model: ModelName, asked: tuple[Interval, ...]
) -> None:
    """Request ranges of a model beside those already requested."""
    before = read_requests(connection, environment).get(model, ())
    _store_request(connection, environment, model=model, ranges=merge((*before, *asked)))


def clear_requests(
    connection: sqlite3.Connection, environment: EnvironmentName, *, model: ModelName, built: tuple[Interval, ...]
) -> None:
    """Forget requests where slices were built."""
    before = read_requests(connection, environment).get(model, ())
    if before:
        _store_request(connection, environment, model=model, ranges=subtract(before, built))


def _is_again(before: Failure, now: Failure) -> bool:
    is_same = (before.model, before.fingerprint, before.kind) == (now.model, now.fingerprint, now.kind)
    return is_same and bool(intersect((before.interval,), (now.interval,)))


def _insert_failure(connection: sqlite3.Connection, environment: EnvironmentName, failure: Failure) -> None:
    connection.execute(
        "INSERT INTO lamina_failure (environment, model, failure) VALUES (?, ?, ?)",
        (environment, failure.model, to_json(failure).decode()),
    )


def _store_request(
    connection: sqlite3.Connection, environment: EnvironmentName, *, model: ModelName, ranges: tuple[Interval, ...]
) -> None:
    connection.execute("DELETE FROM lamina_request WHERE environment = ? AND model = ?", (environment, model))
    if ranges:
        connection.execute(
            "INSERT INTO lamina_request (environment, model, intervals) VALUES (?, ?, ?)",
            (environment, model, to_json(ranges).decode()),
        )
