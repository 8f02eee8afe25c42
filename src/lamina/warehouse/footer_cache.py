"""The columns of Parquet files that were read before: only new and changed files are opened again."""

from importlib.util import find_spec
from pathlib import Path

from lamina.project.cache_file import cache_path, code_of, read_cached, write_cached
from lamina.values import schema
from lamina.values.schema import Schema
from lamina.values.value import Value
from lamina.warehouse import footers
from lamina.warehouse.spark.manifest import FileEntry


class KeptFooters(Value, frozen=True, array_like=True):
    """What is kept of one source; files share the few layouts they have."""

    location: str
    layouts: tuple[Schema, ...]
    files: tuple[tuple[FileEntry, int], ...]  # with the place of its layout


class FooterCache:
    """Owns the kept footers of the files under one location."""

    def __init__(self, root: Path, *, name: str, location: Path) -> None:
        self._path = cache_path(root, "footers", f"{name}.msgpack")
        self._location = location
        library = find_spec("pyarrow")
        self._code = code_of((footers.__file__, schema.__file__, library.origin if library is not None else None))
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
        """Keep what was asked for, unless nothing of it is new."""
        if self._asked.keys() <= self._known.keys():
            return
        layouts = tuple(dict.fromkeys(self._asked.values()))
        places = {layout: place for place, layout in enumerate(layouts)}
        kept = KeptFooters(
            location=str(self._location),
            layouts=layouts,
            files=tuple((entry, places[layout]) for entry, layout in self._asked.items()),
        )
        write_cached(self._path, kept, written_by=self._code)

    def _load(self) -> dict[FileEntry, Schema]:
        kept = read_cached(self._path, KeptFooters, written_by=self._code)
        if kept is None or kept.location != str(self._location):
            return {}
        return {entry: kept.layouts[place] for entry, place in kept.files}
