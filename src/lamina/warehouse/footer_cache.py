"""The columns of Parquet files that were read before: only new and changed files are opened again.

One file of the project's cache for each source, read whole and replaced whole; losing it costs time only.
"""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

from lamina.values import codec, schema
from lamina.values.schema import Schema
from lamina.values.value import Value
from lamina.version import VERSION
from lamina.warehouse import footers
from lamina.warehouse.spark.faults import WarehouseNotWritable
from lamina.warehouse.spark.manifest import FileEntry, write_whole

_CHECKSUM = 4  # bytes before the content


class StoredFooters(Value, frozen=True, array_like=True):
    """What is kept of one source; files share the few layouts they have."""

    version: str
    location: str
    layouts: tuple[Schema, ...]
    files: tuple[tuple[FileEntry, int], ...]  # with the place of its layout


class FooterCache:
    """Owns the kept footers of the files under one location."""

    def __init__(self, root: Path, *, name: str, location: Path) -> None:
        self._path = root / ".lamina" / "cache" / "footers" / f"{name}.msgpack"
        self._location = location
        self._version = _version()
        self._known = self._load()
        self._asked: dict[FileEntry, Schema] = {}

    def columns(self, entry: FileEntry) -> Schema:
        """Return the columns of a file as it was listed, opening it if it was not seen like that before."""
        found = self._known.get(entry)
        if found is None:
            path = self._location if entry.path == "." else self._location / entry.path
            found, after = footers.read_footer(path), path.stat()
            if (after.st_size, after.st_mtime_ns) != (entry.size, entry.modified_ns):
                return found  # it changed since it was listed: these are the columns of another file
        self._asked[entry] = found
        return found

    def keep(self) -> None:
        """Keep what was asked for, unless nothing is new; a project that cannot be written to is read each time."""
        if self._asked.keys() <= self._known.keys():
            return
        layouts = tuple(dict.fromkeys(self._asked.values()))
        places = {layout: place for place, layout in enumerate(layouts)}
        stored = StoredFooters(
            version=self._version,
            location=str(self._location),
            layouts=layouts,
            files=tuple((entry, places[layout]) for entry, layout in self._asked.items()),
        )
        data = codec.to_pack(stored)
        with suppress(WarehouseNotWritable):
            write_whole(self._path, crc32(data).to_bytes(_CHECKSUM, "big") + data)

    def _load(self) -> dict[FileEntry, Schema]:
        try:
            data = memoryview(self._path.read_bytes())
            if crc32(data[_CHECKSUM:]).to_bytes(_CHECKSUM, "big") != data[:_CHECKSUM]:
                return {}
            stored = codec.from_pack(data[_CHECKSUM:], StoredFooters)
        except (OSError, ValueError):
            return {}
        if (stored.version, stored.location) != (self._version, str(self._location)):
            return {}
        return {entry: stored.layouts[place] for entry, place in stored.files}


def _version() -> str:
    """Return what identifies the code that reads footers: our own, and the library's."""
    library = find_spec("pyarrow")
    files = (footers.__file__, schema.__file__, library.origin if library is not None else None)
    stamps = [(found.st_mtime_ns, found.st_size) for found in (Path(file).stat() for file in files if file)]
    return f"{VERSION} {stamps}"
