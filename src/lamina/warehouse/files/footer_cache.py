"""The columns of files that were looked into before: only new and changed files are opened again."""

import csv
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

from lamina.project.cache_file import cache_path, code_of, read_cached, write_cached
from lamina.project.source import SourceTable
from lamina.values import schema
from lamina.values.schema import Schema
from lamina.values.value import Value
from lamina.warehouse.files.formats import FORMATS, format_of
from lamina.warehouse.files.manifest import FileEntry, entry_of, path_of
from lamina.warehouse.files.reading import reading_of

# Opening a file is mostly waiting, the more so where it is far away.
_AT_ONCE = 8
_FEW = 32


class ColumnsUnreadable(Exception):
    """The columns of one file could not be read."""

    def __init__(self, path: str, cause: Exception) -> None:
        super().__init__(path)
        self.path = path
        self.cause = cause


class KeptFooters(Value, frozen=True, array_like=True):
    """What is kept of one source; files share the few layouts they have."""

    location: str
    reading: str  # how its files are read
    layouts: tuple[Schema, ...]
    files: tuple[tuple[FileEntry, int], ...]  # with the place of its layout


class FooterCache:
    """Owns the kept columns of the files of one source."""

    def __init__(self, root: Path, source: SourceTable) -> None:
        self._path = cache_path(root, "footers", f"{source.name}.msgpack")
        self._source = source
        self._location = root / source.location
        library = find_spec("pyarrow")
        formats = (item.code for item in FORMATS.values())
        self._code = code_of((*formats, schema.__file__, library.origin if library is not None else None))
        self._known = self._load()
        self._asked: dict[FileEntry, Schema] = {}

    def columns_of(self, entries: Sequence[FileEntry]) -> Iterator[tuple[FileEntry, Schema]]:
        """Yield files as they were listed with their columns, opening those that were not seen like that before."""
        new = [entry for entry in entries if entry not in self._known]
        pool = ThreadPoolExecutor(_AT_ONCE) if len(new) > _FEW else None
        try:
            opened = map(self._opened, new) if pool is None else pool.map(self._opened, new)
            for entry in entries:
                found, is_same = (self._known[entry], True) if entry in self._known else next(opened)
                if is_same:
                    self._asked[entry] = found
                yield entry, found
        finally:
            if pool is not None:
                pool.shutdown(cancel_futures=True)

    def keep(self) -> None:
        """Keep what was requested, unless nothing of it is new."""
        if self._asked.keys() <= self._known.keys():
            return
        layouts = tuple(dict.fromkeys(self._asked.values()))
        places = {layout: place for place, layout in enumerate(layouts)}
        kept = KeptFooters(
            location=str(self._location),
            reading=reading_of(self._source),
            layouts=layouts,
            files=tuple((entry, places[layout]) for entry, layout in self._asked.items()),
        )
        write_cached(self._path, kept, written_by=self._code)

    def _opened(self, entry: FileEntry) -> tuple[Schema, bool]:
        """Return the columns of a file, and whether it is the one that was listed: else they are not to be kept."""
        path = path_of(self._location, entry)
        try:
            return format_of(self._source).columns(path, self._source), entry_of(entry.path, path.stat()) == entry
        except (OSError, ValueError, TypeError, KeyError, EOFError, NotImplementedError, csv.Error) as error:
            raise ColumnsUnreadable(entry.path, error) from error

    def _load(self) -> dict[FileEntry, Schema]:
        kept = read_cached(self._path, KeptFooters, written_by=self._code)
        if kept is None or (kept.location, kept.reading) != (str(self._location), reading_of(self._source)):
            return {}
        return {entry: kept.layouts[place] for entry, place in kept.files}
