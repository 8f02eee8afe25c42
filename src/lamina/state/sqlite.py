"""The state's database on SQLite, in the same file as the Iceberg catalog: its dialect, and what its driver raises."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from datetime import datetime
from pathlib import Path
from threading import RLock

from lamina.errors import LaminaError
from lamina.state import copies
from lamina.state.dialect import Dialect, StateTransaction
from lamina.state.errors import StateCorrupt, StateReplaced, StateUnavailable
from lamina.state.migrations import bring_up_to_date
from lamina.state.sqlite_words import sqlite_words
from lamina.values.codec import DecodeError
from lamina.warehouse.catalog.file_lock import alone, beside_others
from lamina.warehouse.catalog.sqlite import Begin, connect, transaction

SQLITE = Dialect(
    placeholder="?",
    find_table="SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?",
    row_number="rowid",
    integer="INTEGER",
    serial="INTEGER PRIMARY KEY AUTOINCREMENT",
    keyed=" WITHOUT ROWID",
    numbered="",  # every table has a `rowid`, unless it is declared without
)

Connect = Callable[[Path], sqlite3.Connection]
Lock = Callable[[Path], AbstractContextManager[None]]
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Database:
    """One connection shared by the threads of a process, one transaction at a time."""

    def __init__(
        self, path: Path, *, connect: Connect = connect, dialect: Dialect = SQLITE, lock: Lock = beside_others
    ) -> None:
        self.path = path
        self._dialect = dialect
        self._lock = RLock()
        with _explained(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            with lock(path):
                self._connection = connect(path)
                self._file = _file_at(path)
        try:
            bring_up_to_date(self)
        except LaminaError:
            self._connection.close()
            raise

    @contextmanager
    def reading(self) -> Iterator[StateTransaction]:
        """Give one consistent view of the file."""
        with self._transaction("BEGIN") as opened:
            yield opened

    @contextmanager
    def writing(self) -> Iterator[StateTransaction]:
        """Give a transaction that is committed whole, or not at all when the block raises."""
        with self._transaction("BEGIN IMMEDIATE") as opened:
            if _file_at(self.path) != self._file:
                raise StateReplaced(str(self.path))
            yield opened

    def keep_copy(self, *, at: datetime) -> None:
        """Copy the file to one beside it, whole as of one moment."""
        with self.reading():
            copies.keep_copy(self._connection, self.path, at=at)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    @contextmanager
    def _transaction(self, begin: Begin) -> Iterator[StateTransaction]:
        with self._lock, _explained(self.path), transaction(self._connection, begin) as driver:
            yield StateTransaction(driver, self._dialect, location=str(self.path))


@contextmanager
def putting_in_order(path: Path) -> Iterator[None]:
    """Keep other processes from opening the file meanwhile."""
    with _explained(path), alone(path):
        yield


@contextmanager
def looking(path: Path, *, connect: Connect = connect) -> Iterator[StateTransaction]:
    """Give a state file as it is, of whatever version."""
    with _explained(path), closing(connect(path)) as connection:
        yield StateTransaction(connection, SQLITE, location=str(path))


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what the driver and the codec raise into the state's own errors."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in _DAMAGED:
            raise StateCorrupt(str(path), sqlite_words(error)) from error
        raise StateUnavailable(str(path), sqlite_words(error)) from error
    except DecodeError as error:
        raise StateCorrupt(str(path), str(error)) from error
    except OSError as error:
        raise StateUnavailable(
            str(path), f"{error.strerror}: `{error.filename}`" if error.filename else str(error)
        ) from error


def _file_at(path: Path) -> tuple[int, int] | None:
    """Return what distinguishes the file at a path from another one of that name."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
