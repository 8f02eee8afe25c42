"""The lock beside the shared file: a process that replaces the file holds it alone, one that opens it shares it.

SQLite finds the log of a database by its name. A process that opens the file while another one takes its place could
leave its own log beside the new file, which the next reader would take for changes of that file.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Keep other processes from opening a file, to put it in order; of several processes, one does it at a time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(_lock_of(path), "wb") as file, _locked(file.fileno(), fcntl.LOCK_EX):
        yield


@contextmanager
def beside_others(path: Path) -> Iterator[None]:
    """Wait while a file is put in order, and keep it as it is while it is opened: up to the first read."""
    try:
        number = os.open(_lock_of(path), os.O_RDONLY | os.O_CREAT, 0o644)
    except OSError:
        # No folder yet, or one that may only be read: what is wrong shows when the file is opened.
        yield
        return
    try:
        with _locked(number, fcntl.LOCK_SH):
            yield
    finally:
        os.close(number)


def held(_path: Path) -> AbstractContextManager[None]:
    """Lock nothing: the caller has the file to itself."""
    return nullcontext()


@contextmanager
def _locked(number: int, kind: int) -> Iterator[None]:
    """Hold a lock; closing alone would leave it to a child process that was forked meanwhile."""
    fcntl.flock(number, kind)
    try:
        yield
    finally:
        fcntl.flock(number, fcntl.LOCK_UN)


def _lock_of(path: Path) -> str:
    return f"{path}.lock"
