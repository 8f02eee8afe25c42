"""Files that are written again so that size and mtime stay, as `cp -p` and `rsync -t` do."""

import os
from pathlib import Path


def rewrite(path: Path, data: bytes) -> None:
    """Replace the bytes of a file by as many others, keeping its mtime; its ctime moves by itself."""
    before = path.stat()
    assert len(data) == before.st_size, f"{path}: {len(data)} bytes in place of {before.st_size}"
    while path.stat().st_ctime_ns == before.st_ctime_ns:  # the clock of a file system has coarse ticks
        path.write_bytes(data)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def move_ctime(path: Path) -> None:
    """Change only the rights of a file, until its ctime shows it."""
    before = path.stat()
    while path.stat().st_ctime_ns == before.st_ctime_ns:
        path.chmod(0o600 if path.stat().st_mode & 0o040 else 0o640)
