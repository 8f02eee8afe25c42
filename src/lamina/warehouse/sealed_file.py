"""Files of the project's cache: replaced whole, believed only as the same code wrote them; losing one costs time."""

from collections.abc import Iterable
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from lamina.values import codec
from lamina.version import VERSION
from lamina.warehouse.spark.faults import WarehouseNotWritable
from lamina.warehouse.spark.manifest import write_whole

_SEAL = 16  # bytes before the content

T = TypeVar("T")


def read_sealed(path: Path, kind: type[T], *, written_by: str) -> T | None:
    """Return what a file keeps, or None if there is none, it is damaged, or other code wrote it."""
    try:
        data = memoryview(path.read_bytes())
        if _seal(data[_SEAL:], written_by) != data[:_SEAL]:
            return None
        return codec.from_pack(data[_SEAL:], kind)
    except (OSError, ValueError):
        return None


def write_sealed(path: Path, value: object, *, written_by: str) -> None:
    """Keep a value in a file; in a project that cannot be written to, nothing is kept."""
    data = codec.to_pack(value)
    with suppress(WarehouseNotWritable):
        write_whole(path, _seal(data, written_by) + data)


def code_of(files: Iterable[str | None]) -> str:
    """Return what identifies the code in some files, as they are installed."""
    stamps = [(found.st_mtime_ns, found.st_size) for found in (Path(file).stat() for file in files if file)]
    return f"{VERSION} {stamps}"


def _seal(data: bytes | memoryview, written_by: str) -> bytes:
    return blake2b(data, digest_size=_SEAL, key=blake2b(written_by.encode(), digest_size=_SEAL).digest()).digest()
