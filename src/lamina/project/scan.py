"""A project folder's own files, listed and read once: text, content hash, and what cannot be read."""

import os
from collections.abc import Iterator
from hashlib import blake2b
from stat import S_ISREG

from lamina.project.rules import (
    invalid_utf8,
    large_file,
    nul_byte,
    outside_symlink,
    repeated_folder,
    unreadable_file,
)
from lamina.values.diagnostic import Diagnostic, sort_diagnostics
from lamina.values.value import Value

FILE_LIMIT = 1_000_000
SEED_LIMIT = 5_000_000  # a seed is small and static; larger data is a source
SOURCE_LIMIT = 5_000_000  # one source is one file, and may declare thousands of tables
PROJECT_FILE = "lamina.toml"
SUFFIXES = {"models": (".sql", ".py", ".toml"), "sources": (".toml",), "seeds": (".csv", ".toml"), "tests": (".toml",)}
FIRST_CHUNK = 8_192  # nearly every file is smaller, and asking for more costs time
CHUNK = 65_536


class ScannedFile(Value, frozen=True):
    """One file of the project; `path` is relative, with forward slashes."""

    path: str
    content: bytes
    hash: str

    def text(self) -> str:
        """Return the content as text; scanning has proved that it is UTF-8."""
        return self.content.decode().removeprefix("\ufeff")


class Scan(Value, frozen=True):
    """Every readable file of the project that lamina cares about, sorted by path."""

    root: str
    files: tuple[ScannedFile, ...]
    diagnostics: tuple[Diagnostic, ...] = ()


def scan_project(root: str) -> Scan:
    """List and read the files of the project at `root`."""
    scanner = _Scanner(os.path.realpath(root))
    scanner.run()
    files = sorted(scanner.files, key=lambda file: file.path)
    return Scan(root=scanner.root, files=tuple(files), diagnostics=sort_diagnostics(scanner.found))


def scan_project_file(root: str) -> Scan:
    """Read the project file alone: settings can be requested without reading every model."""
    scanner = _Scanner(os.path.realpath(root))
    scanner.run_shallow()
    return Scan(root=scanner.root, files=tuple(scanner.files), diagnostics=sort_diagnostics(scanner.found))


class _Scanner:
    """Own the memory of one walk: what was read, what was wrong, which folders were entered."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.files: list[ScannedFile] = []
        self.found: list[Diagnostic] = []
        self.entered: set[tuple[int, int]] = set()

    def run(self) -> None:
        """Read the project file and the modules beside it, then the folders of the project."""
        pending: list[tuple[str, tuple[str, ...]]] = []
        for entry in self._entries("", (".py", PROJECT_FILE)):
            suffixes = SUFFIXES.get(entry.name) or ((".py",) if self._holds_modules(entry) else None)
            if suffixes:
                pending.append((entry.name, suffixes))
        while pending:
            folder, suffixes = pending.pop()
            pending.extend((f"{folder}/{entry.name}", suffixes) for entry in self._entries(folder, suffixes))

    def run_shallow(self) -> None:
        """Read the project file, and enter no folder."""
        for _ in self._entries("", (PROJECT_FILE,)):
            pass

    def _holds_modules(self, entry: os.DirEntry[str]) -> bool:
        """Return whether a folder beside `models` is a Python package of the project; others may be vast data."""
        if not os.path.realpath(entry.path).startswith(self.root + os.sep):
            return False
        try:
            with os.scandir(entry.path) as inside:
                return any(item.name.endswith(".py") for item in inside)
        except OSError:
            return False

    def _entries(self, folder: str, suffixes: tuple[str, ...]) -> Iterator[os.DirEntry[str]]:
        """Read the files of one folder and yield the folders in it that may be entered."""
        try:
            handle = os.open(os.path.join(self.root, folder), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            self.found.append(unreadable_file.finding(_printable(folder), reason=error.strerror or "cannot be opened"))
            return
        try:
            if not self._enter(folder, os.fstat(handle)):
                return
            with os.scandir(os.path.join(self.root, folder)) as entries:
                for entry in sorted(entries, key=lambda item: item.name):
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if entry.name.startswith(".") or entry.name == "__pycache__" or not self._is_inside(entry, path):
                        continue
                    if entry.is_dir():
                        yield entry
                    elif entry.name.endswith(suffixes):
                        self._read(entry.name, path, handle=handle)
        except OSError as error:
            self.found.append(unreadable_file.finding(_printable(folder), reason=error.strerror or "cannot be listed"))
        finally:
            os.close(handle)

    def _enter(self, folder: str, status: os.stat_result) -> bool:
        """Record a folder; a second way into it would make the walk endless, or read every model twice."""
        identity = (status.st_dev, status.st_ino)
        if identity in self.entered:
            self.found.append(repeated_folder.finding(_printable(folder)))
            return False
        self.entered.add(identity)
        return True

    def _is_inside(self, entry: os.DirEntry[str], path: str) -> bool:
        if not entry.is_symlink():
            return True
        real = os.path.realpath(entry.path)
        if real == self.root or real.startswith(self.root + os.sep):
            return True
        if path.partition("/")[0] in SUFFIXES or path == PROJECT_FILE:
            self.found.append(outside_symlink.finding(_printable(path)))
        return False

    def _read(self, name: str, path: str, *, handle: int) -> None:
        limit = _limit(path)
        try:
            content = _read_file(name, handle, limit=limit)
        except OSError as error:
            self.found.append(unreadable_file.finding(_printable(path), reason=error.strerror or "cannot be read"))
            return
        if len(content) > limit:
            self.found.append(large_file.finding(_printable(path), limit=limit))
        elif (problem := _text_problem(path, content)) is not None:
            self.found.append(problem)
        else:
            self.files.append(ScannedFile(path, content, blake2b(content, digest_size=16).hexdigest()))


def _limit(path: str) -> int:
    if path.startswith("seeds/") and path.endswith(".csv"):
        return SEED_LIMIT
    return SOURCE_LIMIT if path.startswith("sources/") else FILE_LIMIT


def _read_file(name: str, folder: int, *, limit: int) -> bytes:
    """Read at most one byte more than the limit; a pipe or device is refused, not waited for."""
    handle = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK, dir_fd=folder)
    try:
        content = os.read(handle, FIRST_CHUNK)
        if 0 < len(content) < FIRST_CHUNK:
            return content
        if not S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "not a regular file")
        parts = [content]
        size = len(content)
        while size <= limit and (more := os.read(handle, CHUNK)):
            parts.append(more)
            size += len(more)
        return b"".join(parts)
    finally:
        os.close(handle)


def _text_problem(path: str, content: bytes) -> Diagnostic | None:
    if content.isascii() and path.isascii() and b"\0" not in content:
        return None  # as nearly always
    if _printable(path) != path:
        return unreadable_file.finding(_printable(path), reason="its name is not UTF-8")
    if b"\0" in content:
        return nul_byte.finding(path, line=content.count(b"\n", 0, content.index(b"\0")) + 1)
    try:
        content.decode()
    except UnicodeDecodeError as error:
        start = content.rfind(b"\n", 0, error.start) + 1
        column = len(content[start : error.start].decode()) + 1
        return invalid_utf8.finding(path, line=content.count(b"\n", 0, error.start) + 1, column=column)
    return None


def _printable(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
