"""What a database refuses, by its SQLSTATE, in words without a secret."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from lamina.project.source import SourceTable
from lamina.warehouse.failure import FailureKind, WarehouseFailure
from lamina.warehouse.plain_sentence import plain_sentence

_DEEPEST = 12
_DRIVER_MISSING = "java.lang.ClassNotFoundException"


class DatabaseRefused(WarehouseFailure):
    """The database of a source cannot be reached, or does not let its table be read.

    Why: the server does not run or is not reachable from here, the user or password is wrong, or the table does not
    exist. Models that read the source wait; all others are built.
    Fix: follow the hint. `url`, `user` and `password` are in the block of the source; the password is the value of the
    variable that is named there.
    """

    code = "L654"

    def __init__(self, message: str, *, kind: FailureKind, hint: str) -> None:
        super().__init__(message, kind=kind, hint=hint)


class ColumnsDiffer(WarehouseFailure):
    """A table in a database does not have a column as it is declared, or as a setting of the source needs it.

    Why: models are compiled against the declared columns.
    Fix: declare the column as the message says, or change the table.
    """

    code = "L655"

    def __init__(self, source: str, detail: str) -> None:
        super().__init__(
            f"source `{source}` is not as declared: {detail}",
            kind="data_rejected",
            hint="declare the columns as the database has them, or leave `columns` out",
        )


class RowsMoved(WarehouseFailure):
    """Rows that were to be read from a database were added or removed meanwhile, before the last load time.

    Why: a database keeps no versions: rows that commit late, or with a load time that is there already, would be in one
    table and not in another that was built in the same run.
    Fix: run again: the rows are then part of what is read. Where it happens often, let `load_time` be the time of the
    commit, or as fine as possible.
    """

    code = "L656"

    def __init__(self, source: str, column: str, high: str | None) -> None:
        upto = f"without a `{column}`" if high is None else f"up to `{column}` {high}"
        super().__init__(
            f"the rows of source `{source}` {upto} are not as many as when they were counted",
            kind="conflict",
            hint="run again; nothing of this batch was published",
        )


@contextmanager
def asking(source: SourceTable) -> Iterator[None]:
    """Turn what a database, its driver or Spark says to a question about a source into one failure."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except (PySparkException, Py4JError) as error:
        raise _failure(source, error) from error


def _failure(source: SourceTable, error: BaseException) -> WarehouseFailure:
    state, classes, said = _facts(error)
    if _DRIVER_MISSING in classes:
        return DatabaseRefused(
            f"Spark has no driver for the database of source `{source.name}`",
            kind="not_found",
            hint="add the jar of the driver to `jars` under `[spark]`, or leave `jars` out",
        )
    return refused(source, state, said)


def refused(source: SourceTable, state: str | None, said: str) -> DatabaseRefused:
    """Return the failure that a SQLSTATE means."""
    connection = source.connection
    url, user, variable = (connection.url, connection.user, connection.password) if connection else ("", None, None)
    secret = f"the value of `{variable}`" if variable else "`password`"
    named = f"user `{user}`" if user else "a connection without `user`"
    state = state or ""
    if state == "42501":
        message = f"{named} may not read `{source.location}`, which is source `{source.name}`"
        return DatabaseRefused(message, kind="auth_failed", hint="grant `SELECT` on the table to the user")
    if state.startswith("28") or state == "08004":  # the driver's own, where a password is missing
        message = f"the database of source `{source.name}` refused {named}: `{url}`"
        return DatabaseRefused(message, kind="auth_failed", hint=f"check `user`, and {secret}")
    if state.startswith(("08", "57P", "53")):
        reason = said.partition(". ")[0].rstrip(".")
        message = f"the database of source `{source.name}` cannot be reached: `{url}` ({reason})"
        return DatabaseRefused(message, kind="connection_failed", hint="check that it is running, and `url`")
    if state.startswith("3D"):
        message = f"there is no such database, which source `{source.name}` is in: `{url}`"
        return DatabaseRefused(message, kind="not_found", hint="check `url`")
    if state in ("42P01", "3F000"):
        message = f"the database has no table `{source.location}`, which is source `{source.name}`"
        return DatabaseRefused(message, kind="not_found", hint="check `namespace` and the name of the table")
    message = f"source `{source.name}` cannot be read: {said}"
    return DatabaseRefused(message, kind="data_rejected", hint="check the table and the settings of the source")


def _facts(error: BaseException) -> tuple[str | None, list[str], str]:
    """Return the innermost SQLSTATE, the Java classes and the innermost message of an exception and its causes."""
    from py4j.protocol import Py4JError

    state: str | None = None
    classes: list[str] = []
    said = str(error)
    origin: Any = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    while origin is not None and len(classes) < _DEEPEST:
        classes.append(str(origin.getClass().getName()))
        with suppress(Py4JError):  # only exceptions of databases have a state
            state, said = origin.getSQLState() or state, origin.getMessage() or said
        origin = origin.getCause()
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return state, classes, plain_sentence(lines[0]) if lines else type(error).__name__
