"""The SQLite file that holds the catalog: every process that shares it, here and in the state, opens it in this way."""

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

from lamina.values.names import TableName
from lamina.warehouse.catalog.file_lock import beside_others
from lamina.warehouse.catalog.jdbc import JdbcCatalog, create_tables
from lamina.warehouse.catalog.port import Transaction

_PATIENCE = 30.0  # seconds to wait for other processes
Begin = Literal["BEGIN", "BEGIN IMMEDIATE"]  # to read; to write, waiting for other writers first


def connect(path: Path) -> sqlite3.Connection:
    """Open the shared file for transactions that begin and end explicitly; see `file_lock` for who may do so when."""
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False)
    try:
        _write_ahead(connection)
        connection.execute("PRAGMA schema_version").fetchone()  # reads the file, and so opens the log beside it
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _write_ahead(connection: sqlite3.Connection) -> None:
    """Let readers and the one writer not wait for each other, here and in the JVM, and make every commit durable."""
    until = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # Of processes that open a new file at once, one switches it over; the others are refused without a wait.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)
    connection.execute("PRAGMA synchronous = FULL")


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Open a file that belongs to another project, and leave it as it is."""
    return sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, isolation_level=None)


@contextmanager
def transaction(connection: sqlite3.Connection, begin: Begin) -> Iterator[sqlite3.Connection]:
    """Give a transaction that is committed whole, or not at all when the block raises."""
    connection.execute(begin)
    try:
        yield connection
        connection.execute("COMMIT")
    finally:
        # Not after a commit: then an error, or a kill by a test, left the transaction open.
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def has_catalog(connection: Transaction) -> bool:
    """Return whether a file has the tables of a catalog."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'iceberg_tables'")
    return found.fetchone() is not None


def read_pointers(path: Path, catalog: JdbcCatalog) -> dict[TableName, str]:
    """Return where the metadata of every table is; a file that is not there, or holds no catalog, names none."""
    if not path.exists():
        return {}
    with beside_others(path), closing(connect(path)) as connection:
        return catalog.pointers(connection) if has_catalog(connection) else {}


class CatalogFile:
    """A connection to the file, opened when it is first needed; safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    @contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Give the tables for one question."""
        with self._lock:
            yield self._open()

    @contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Give a transaction that is committed whole, or not at all when the block raises."""
        with self._lock, transaction(self._open(), "BEGIN IMMEDIATE") as opened:
            yield opened

    def close(self) -> None:
        """Close the connection; it is opened again when it is needed."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with beside_others(self.path):
                self._connection = connect(self.path)
            create_tables(self._connection)
        return self._connection
