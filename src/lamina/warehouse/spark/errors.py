"""Which kind of failure an exception is: by its class, Spark's error class and SQLSTATE, never by its words."""

import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lamina.errors import LaminaError
from lamina.values.diagnostic import Place
from lamina.warehouse.failure import FailureKind, WarehouseFailure
from lamina.warehouse.plain_sentence import plain_sentence

# With less free space than this, or than a hundredth, an I/O failure is put down to the disk: by the time it is looked
# at, Spark has removed the files it could not finish.
_ALMOST_FULL_BYTES = 64 * 2**20

# The deepest cause a Java exception is followed to.
_DEEPEST = 12

# Spark's error classes that say more than their SQLSTATE.
_BY_CONDITION: dict[str, FailureKind] = {
    "USER_RAISED_EXCEPTION": "data_rejected",
    "MALFORMED_RECORD_IN_PARSING": "data_rejected",
    "FAILED_READ_FILE": "data_rejected",
    "FAILED_READ_FILE.FILE_NOT_EXIST": "not_found",
    "FAILED_EXECUTE_UDF": "query_rejected",
    "MALFORMED_CSV_RECORD": "data_rejected",
    "MERGE_CARDINALITY_VIOLATION": "data_rejected",
    "PATH_NOT_FOUND": "not_found",
    "TABLE_OR_VIEW_NOT_FOUND": "not_found",
    "OPERATION_CANCELED": "interrupted",
    "SPARK_JOB_CANCELLED": "interrupted",
    "UNABLE_TO_ACQUIRE_MEMORY": "resources",
}

# The first characters of a SQLSTATE, longest first.
_BY_STATE: tuple[tuple[str, FailureKind], ...] = (
    ("42P01", "not_found"),
    ("42704", "not_found"),
    ("P0001", "data_rejected"),
    ("HY008", "interrupted"),
    ("42501", "auth_failed"),
    ("53300", "quota_exceeded"),
    ("53400", "quota_exceeded"),
    ("57014", "interrupted"),
    ("57P", "connection_failed"),
    ("08", "connection_failed"),
    ("0A", "query_rejected"),
    ("21", "query_rejected"),
    ("22", "data_rejected"),
    ("23", "data_rejected"),
    ("28", "auth_failed"),
    ("3D", "not_found"),
    ("40", "conflict"),
    ("42", "query_rejected"),
    ("53", "resources"),
    ("54", "resources"),
    ("82", "resources"),
    ("XX", "internal"),
)

_BY_JAVA_CLASS: dict[str, FailureKind] = {
    "java.lang.OutOfMemoryError": "resources",
    "org.apache.spark.memory.SparkOutOfMemoryError": "resources",
    "java.net.ConnectException": "connection_failed",
    "java.net.UnknownHostException": "connection_failed",
    "java.net.NoRouteToHostException": "connection_failed",
    "java.net.SocketTimeoutException": "transient",
    "java.net.SocketException": "transient",
    "java.io.FileNotFoundException": "not_found",
    "java.nio.file.NoSuchFileException": "not_found",
    "java.nio.file.AccessDeniedException": "resources",
    "org.apache.hadoop.security.AccessControlException": "auth_failed",
    "org.apache.iceberg.exceptions.CommitFailedException": "conflict",
    "org.apache.iceberg.exceptions.CommitStateUnknownException": "unknown",
    "org.apache.iceberg.exceptions.NoSuchTableException": "not_found",
    "org.apache.iceberg.exceptions.NotFoundException": "not_found",
    "org.apache.iceberg.exceptions.NotAuthorizedException": "auth_failed",
    "org.apache.iceberg.exceptions.ForbiddenException": "auth_failed",
    "org.apache.iceberg.exceptions.ServiceUnavailableException": "quota_exceeded",
    "org.apache.iceberg.exceptions.ValidationException": "conflict",
    "org.apache.parquet.io.ParquetDecodingException": "data_rejected",
    "org.apache.spark.SparkUpgradeException": "data_rejected",
    "org.apache.spark.sql.execution.datasources.SchemaColumnConvertNotSupportedException": "data_rejected",
    "java.sql.SQLTransientConnectionException": "transient",
    "java.sql.SQLNonTransientConnectionException": "connection_failed",
    "java.sql.SQLInvalidAuthorizationSpecException": "auth_failed",
}

_IO_CLASSES = ("java.io.IOException", "java.io.UncheckedIOException", "java.nio.file.FileSystemException")

_HINTS: dict[FailureKind, str] = {
    "data_rejected": "fix the rows, or the query that reads them; nothing of this batch was published",
    "query_rejected": "fix the query",
    "resources": "check memory, and the free space and permissions of the warehouse folder",
    "conflict": "another writer changed the table at the same time; run again",
    "connection_failed": "check that the endpoint is reachable",
    "not_found": "check that the files and tables the query reads are still there",
}

# Where in the text that Spark was given something is; the reader knows another text.
_SPARK_PLACE = re.compile(r"(?:; line (\d+) pos \d+| \(line (\d+), pos \d+\))$")


def _nowhere(_: BaseException) -> None:
    """Know no place."""


@contextmanager
def translated(name: str, *, folder: Path, place: Callable[[BaseException], Place | None] = _nowhere) -> Iterator[None]:
    """Turn whatever Spark raises into a failure of one kind, in plain words, at the place its cause was written."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except LaminaError:
        raise
    except (PySparkException, Py4JError, OSError, sqlite3.Error, ArithmeticError, ValueError) as error:
        kind = failure_kind(error, folder=folder)
        found = place(error)
        message = f"`{name}`: {_placed(sentence_of(error), found)}"
        raise WarehouseFailure(
            message, kind=kind, error_class=_condition(error), hint=_hint(kind, name, place=found), place=found
        ) from error


def _hint(kind: FailureKind, name: str, *, place: Place | None) -> str | None:
    """Return the way out of a failure; a model's query can also be looked at as Spark gets it."""
    if kind != "query_rejected":
        return _HINTS.get(kind)
    if place is not None and place.file.endswith(".py"):
        return "fix the code"
    is_model = "." in name
    return f"{_HINTS[kind]}; `lamina render {name}` shows the query that Spark gets" if is_model else _HINTS[kind]


def failure_kind(error: BaseException, *, folder: Path) -> FailureKind:
    """Return the kind of a failure; `folder` is where a full disk would show."""
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, MemoryError):
        return "resources"
    if isinstance(error, sqlite3.OperationalError):
        return "resources" if _is_almost_full(folder) else "transient"
    if isinstance(error, OSError):
        return _io_kind(folder)
    if _is_of_worker(error):
        return "query_rejected"
    causes = _causes(error)
    kinds = [_kind_of(condition, state, name) for condition, state, name in causes]
    found = next((kind for kind in reversed(kinds) if kind is not None), None)
    if found in (None, "internal") and any(name in _IO_CLASSES for _, _, name in causes):
        return _io_kind(folder)
    return found or "unknown"


def _kind_of(condition: str | None, state: str | None, java_class: str | None) -> FailureKind | None:
    if java_class in _BY_JAVA_CLASS:
        return _BY_JAVA_CLASS[java_class]
    if condition is not None:
        kind = _BY_CONDITION.get(condition) or _BY_CONDITION.get(condition.partition(".")[0])
        if kind is not None:
            return kind
    return next((kind for start, kind in _BY_STATE if state is not None and state.startswith(start)), None)


def _causes(error: BaseException) -> list[tuple[str | None, str | None, str | None]]:
    """Return error class, SQLSTATE and Java class of an exception and of what caused it, outermost first."""
    found: list[tuple[str | None, str | None, str | None]] = [(_condition(error), _state(error), None)]
    origin: Any = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    while origin is not None and len(found) < _DEEPEST:
        name = str(origin.getClass().getName())
        state = _asked(origin, "getSqlState") or _asked(origin, "getSQLState")  # of Spark, and of a database
        found.append((_asked(origin, "getCondition"), state, name))
        origin = origin.getCause()
    # Under Connect the cause is given by name.
    reason = getattr(error, "_reason", None)
    if reason:
        found.append((None, None, str(reason)))
    return found


def _asked(origin: Any, method: str) -> str | None:
    """Return what a Java exception answers, if it is one that has an answer."""
    from py4j.protocol import Py4JError

    try:
        answer = getattr(origin, method)()
    except Py4JError:
        return None
    return None if answer is None else str(answer)


def _is_of_worker(error: BaseException) -> bool:
    """Return whether a user's function failed in a Python worker."""
    from pyspark.errors import PythonException

    return isinstance(error, PythonException)


def _condition(error: BaseException) -> str | None:
    from pyspark.errors import PySparkException

    return error.getCondition() if isinstance(error, PySparkException) else None


def _state(error: BaseException) -> str | None:
    from pyspark.errors import PySparkException

    return error.getSqlState() if isinstance(error, PySparkException) else None


def sentence_of(error: BaseException) -> str:
    """Return the innermost message that says something, without stack and query plan."""
    origin: Any = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    message, file = str(error), ""
    for _ in range(_DEEPEST):
        if origin is None:
            break
        message = origin.getMessage() or message
        file = file or _file_read(origin)
        origin = origin.getCause()
    lines = [line.strip() for line in str(message).splitlines()]
    kept = [line for line in lines if line and not line.startswith(("at ", "==", "JVM stacktrace"))]
    if not kept:
        return type(error).__name__
    # What a Python worker raised comes as its traceback, whose last line says what happened.
    said = kept[-1] if _is_of_worker(error) else plain_sentence(kept[0])
    return said.rstrip(";") + (f", in `{file}`" if file else "")


def _file_read(origin: Any) -> str:
    """Return the file that could not be read, which only the outer exception of several knows."""
    if not (_asked(origin, "getCondition") or "").startswith("FAILED_READ_FILE"):
        return ""
    return str(origin.getMessageParameters().get("path") or "").removeprefix("file://")


def _placed(sentence: str, place: Place | None) -> str:
    """Take Spark's own place from a sentence where a better one is known, and else say what its lines count."""
    if place is not None:
        return _SPARK_PLACE.sub("", sentence)
    return _SPARK_PLACE.sub(lambda found: f" (line {found[1] or found[2]} of the rendered query)", sentence)


def _io_kind(folder: Path) -> FailureKind:
    return "resources" if _is_almost_full(folder) or not _can_write(folder) else "transient"


def _is_almost_full(folder: Path) -> bool:
    place = next((parent for parent in (folder, *folder.parents) if parent.exists()), None)
    if place is None:
        return False
    usage = shutil.disk_usage(place)
    return usage.free < max(_ALMOST_FULL_BYTES, usage.total // 100)


def _can_write(folder: Path) -> bool:
    return not folder.exists() or os.access(folder, os.W_OK)
