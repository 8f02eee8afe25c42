"""Copies of the state file on SQLite: a few are kept beside it, and a damaged file is put aside under another name."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path

from lamina.state.sqlite_words import sqlite_words

FOLDER = "backup"
KEPT = 3
COMPANIONS = ("", "-wal", "-shm")  # SQLite's own files beside the database


def keep_copy(connection: sqlite3.Connection, path: Path, *, at: datetime) -> Path:
    """Copy a database that may be in use, whole as of one moment, and remove the oldest copies."""
    folder = path.parent / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"{path.stem}-{at:%Y%m%dT%H%M%S%f}.db"
    scratch = copy.with_suffix(f".{os.getpid()}.new")
    try:
        with closing(sqlite3.connect(scratch, isolation_level=None)) as target:
            connection.backup(target)
            # A copy is one file: it must not need a log beside it.
            target.execute("PRAGMA journal_mode = DELETE")
        _flush(scratch)
        scratch.replace(copy)
    finally:
        scratch.unlink(missing_ok=True)
    for old in _newest_first(path)[KEPT:]:
        old.unlink(missing_ok=True)
    return copy


def newest_good_copy(path: Path) -> Path | None:
    """Return the newest copy that is whole."""
    return next((copy for copy in _newest_first(path) if damage_of(copy) is None), None)


def damage_of(path: Path) -> str | None:
    """Say what is wrong with a state file; None for a whole one."""
    try:
        if path.stat().st_size == 0:
            return "it is empty"
        # Not made where it is missing: the file may be put in place by another process.
        uri = f"{path.absolute().as_uri()}?mode=rw"
        with closing(sqlite3.connect(uri, uri=True, timeout=30, isolation_level=None)) as connection:
            # Most of the time goes into indexes that this leaves out.
            found = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:
        return None  # a lock or missing permissions: not damage, and explained when it is opened next
    except sqlite3.DatabaseError as error:
        return sqlite_words(error)
    return None if found[0] == "ok" else "it is damaged"


def put_aside(path: Path, *, at: datetime) -> Path | None:
    """Rename a damaged database and its companions, and return its new name; nothing is deleted."""
    aside = path.with_name(f"{path.name}.damaged-{at:%Y%m%dT%H%M%S%f}")
    found = [end for end in COMPANIONS if os.path.exists(f"{path}{end}")]
    # The log goes first: it must never meet the next database of that name.
    for end in sorted(found, reverse=True):
        os.replace(f"{path}{end}", f"{aside}{end}")
    return aside if "" in found else None


@contextlib.contextmanager
def put_in_place(copy: Path | None, path: Path) -> Iterator[Path]:
    """Give a scratch file with a copy, or nothing, and make it the database when the caller is done with it."""
    scratch = path.with_name(f"{path.name}.restoring")
    for end in COMPANIONS:
        Path(f"{scratch}{end}").unlink(missing_ok=True)
    if copy is not None:
        scratch.write_bytes(copy.read_bytes())
    yield scratch
    with closing(sqlite3.connect(scratch, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    _flush(scratch)
    for end in COMPANIONS[1:]:
        # Of a program that knows nothing of the lock: its log is of another file.
        Path(f"{path}{end}").unlink(missing_ok=True)
    os.replace(scratch, path)


def _newest_first(path: Path) -> list[Path]:
    return sorted((path.parent / FOLDER).glob(f"{path.stem}-*.db"), reverse=True)


def _flush(path: Path) -> None:
    with path.open("rb+") as file:
        os.fsync(file.fileno())
