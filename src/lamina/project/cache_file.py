"""Files of a project's cache: replaced whole, believed only as the same code wrote them; losing one costs time."""

import contextlib
import os
import threading
from collections.abc import Iterable
from hashlib import blake2b
from importlib.util import find_spec
from typing import TypeVar
from zlib import crc32

from lamina.values.codec import from_pack, to_pack
from lamina.version import VERSION

FOLDER = ".lamina/cache"
STAMP, CHECKSUM = 16, 4  # bytes before the content: who wrote it, and whether it is whole

T = TypeVar("T")


def cache_path(root: str | os.PathLike[str], *names: str) -> str:
    """Return where a project keeps a file of its cache."""
    return os.path.join(root, FOLDER, *names)


def read_cached(path: str, kind: type[T], *, written_by: str) -> T | None:
    """Return what a file keeps, or None if there is none to read, it is damaged, or other code wrote it."""
    try:
        with open(path, "rb") as file:
            data = memoryview(file.read())
    except OSError:
        return None
    content = data[STAMP + CHECKSUM :]
    if data[:STAMP] != _stamp(written_by) or data[STAMP : STAMP + CHECKSUM] != _checksum(content):
        return None
    try:
        return from_pack(content, kind)
    except (ValueError, RecursionError):
        return None


def write_cached(path: str, value: object, *, written_by: str) -> None:
    """Replace a file in one step, so that another process sees the old one or the new one, both whole."""
    data = to_pack(value)
    temporary = f"{path}.{os.getpid()}.{threading.get_ident()}"
    # In a project that cannot be written to, everything is worked out each time.
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(temporary, "wb") as file:
                file.writelines((_stamp(written_by), _checksum(data), data))
            os.replace(temporary, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def remove_cached(path: str) -> None:
    """Remove a file that nothing will believe any more."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def code_of(files: Iterable[str | None]) -> str:
    """Return what identifies the code in some files, as they are installed."""
    stamps = [(found.st_mtime_ns, found.st_size) for found in (os.stat(file) for file in files if file)]
    return f"{VERSION} {stamps}"


def _stamp(written_by: str) -> bytes:
    return blake2b(written_by.encode(), digest_size=STAMP).digest()


def _checksum(data: bytes | memoryview) -> bytes:
    return crc32(data).to_bytes(CHECKSUM, "big")


def compiler_version() -> str:
    """Return what identifies the code that makes fingerprints, by its content, wherever it is installed."""
    from importlib.metadata import version

    stamp = blake2b(VERSION.encode(), digest_size=16)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for name in ("compiler", "project", "strategies", "values"):
        for folder in sorted(_folders(os.path.join(package, name))):
            for file in sorted(entry for entry in os.listdir(folder) if entry.endswith((".py", ".so", ".pyd"))):
                with open(os.path.join(folder, file), "rb") as content:
                    stamp.update(content.read())
    return f"{VERSION} {stamp.hexdigest()} sqlglot {version('sqlglot')}"


def code_version() -> str:
    """Return what identifies the code that compiles: lamina's and the parser's files as they are installed."""
    stamp = blake2b(VERSION.encode(), digest_size=16)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [found for name in ("compiler", "project", "values") for found in _folders(os.path.join(package, name))]
    parser = find_spec("sqlglot")
    if parser is not None and parser.origin is not None:
        folders.append(os.path.dirname(parser.origin))
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda item: item.name):
                if entry.name.endswith((".py", ".so", ".pyd")):
                    status = entry.stat()
                    stamp.update(f"{entry.name}\0{status.st_mtime_ns}\0{status.st_size}\0".encode())
    return stamp.hexdigest()


def _folders(package: str) -> list[str]:
    """Return a folder of code and all those inside."""
    return sorted(folder for folder, _, _ in os.walk(package) if not folder.endswith("__pycache__"))
