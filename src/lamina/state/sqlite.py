"""The state's database on SQLite, in the same file as the Iceberg catalog; the only place that knows the driver."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock

from lamina.errors import LaminaError
from lamina.state.errors import StateCorrupt, StateReplaced, StateTooNew, StateUnavailable
from lamina.state.migrations import KNOWN, found_version, upgrade
from lamina.values.codec import DecodeError
from lamina.warehouse.catalog.sqlite import connect, create_tables

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Database:
    """One connection shared by the threads of a process, one transaction at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = RLock()
        with self._explained():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = connect(path)
            self._file = _file_at(path)
        try:
            self._bring_up_to_date()
        except LaminaError:
            self._connection.close()
            raise

    def _bring_up_to_date(self) -> None:
        with self.reading() as connection:
            if self._version(connection) == KNOWN:
                return
        with self.writing() as connection:
            create_tables(connection)
            # Another process may have done it while this one waited for the lock.
            upgrade(connection, self._version(connection))

    def _version(self, connection: sqlite3.Connection) -> int:
        version = found_version(connection)
        if version is None:
            raise StateCorrupt(str(self.path), "it has lost its version")
        if version > KNOWN:
            raise StateTooNew(str(self.path), found=version, known=KNOWN)
        return version

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Give one consistent view of the file."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Give a transaction that is committed whole, or not at all when the block raises."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            if _file_at(self.path) != self._file:
                raise StateReplaced(str(self.path))
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock, self._explained():
            self._connection.execute(begin)
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            finally:
                # Not after a commit: then an error, or a kill by a test, left the transaction open.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn what the driver and the codec raise into the state's own errors."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in _DAMAGED:
                raise StateCorrupt(str(self.path), str(error)) from error
            raise StateUnavailable(str(self.path), str(error)) from error
        except DecodeError as error:
            raise StateCorrupt(str(self.path), str(error)) from error
        except OSError as error:
            raise StateUnavailable(str(self.path), str(error)) from error

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _file_at(path: Path) -> tuple[int, int] | None:
    """Return what tells the file at a path from another one of that name."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
