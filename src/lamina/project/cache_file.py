"""Files that a compilation is remembered in: read whole, replaced whole, never needed."""

import contextlib
import os
from hashlib import blake2b
from importlib.util import find_spec
from zlib import crc32

from lamina.version import VERSION

FOLDER = ".lamina/cache"
CHECKSUM = 4  # bytes before the content


def read_cache_file(root: str, name: str) -> memoryview | None:
    """Return the bytes of a file as they were written, or None if there is none to read or it is damaged."""
    try:
        with open(os.path.join(root, FOLDER, name), "rb") as file:
            data = memoryview(file.read())
    except OSError:
        return None
    return data[CHECKSUM:] if crc32(data[CHECKSUM:]).to_bytes(CHECKSUM, "big") == data[:CHECKSUM] else None


def write_cache_file(root: str, name: str, data: bytes) -> None:
    """Replace a file in one step, so that another process sees the old one or the new one, both whole."""
    path = os.path.join(root, FOLDER, name)
    temporary = f"{path}.{os.getpid()}"
    # A project that cannot be written to is compiled from scratch each time.
    with contextlib.suppress(OSError):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(temporary, "wb") as file:
                file.write(crc32(data).to_bytes(CHECKSUM, "big"))
                file.write(data)
            os.replace(temporary, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def remove_cache_file(root: str, name: str) -> None:
    """Remove a file that nothing will believe any more."""
    with contextlib.suppress(OSError):
        os.unlink(os.path.join(root, FOLDER, name))


def code_version() -> str:
    """Return what identifies the code that compiles: lamina's and the parser's files as they are installed."""
    stamp = blake2b(VERSION.encode(), digest_size=16)
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folders = [os.path.join(package, name) for name in ("compiler", "project", "values")]
    folders += [os.path.join(folders[0], name) for name in ("rules", "functions")]
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
