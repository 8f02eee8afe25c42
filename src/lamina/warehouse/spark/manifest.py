"""The files of a source at one moment: which they are, and which times each one holds.

A manifest's position is the hash of its files; it is stored once, under the warehouse, for as long as it is needed.
"""

import os
import threading
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from lamina.project.source import SourceTable
from lamina.values import codec
from lamina.values.names import ColumnName, Position
from lamina.values.touch import ColumnRanges
from lamina.values.value import Value
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.spark.faults import WarehouseNotWritable
from lamina.warehouse.spark.settings import SparkSettings


class SourceGone(WarehouseFailure):
    """A source's folder is not there: that is an error, never an empty table.

    Why: taken as empty, a missing mount or a typing error would delete rows downstream.
    Fix: put the folder back or change `path` of the source; make an empty folder if there are no rows.
    """

    code = "L621"

    def __init__(self, source: str, folder: str) -> None:
        super().__init__(
            f"the folder of source `{source}` does not exist: `{folder}`",
            kind="not_found",
            hint="put the folder back, or change `path` of the source; an empty folder means a table without rows",
        )


class SourceUnreadable(WarehouseFailure):
    """A source's files cannot be listed or read.

    Why: a result that leaves files out would be wrong without saying so.
    Fix: check the rights of the file that is named, and that it is whole.
    """

    code = "L622"

    def __init__(self, source: str, path: str, detail: str) -> None:
        super().__init__(
            f"source `{source}` cannot be read: `{path}` ({detail})",
            kind="not_found",
            hint="check the rights of the file and that it is whole",
        )


class ManifestGone(WarehouseFailure):
    """The list of files a table was built from is no longer kept.

    Why: without the list, what has changed since cannot be told.
    Fix: rebuild the models that read the source with `lamina run --full-refresh -s MODEL`.
    """

    code = "L623"

    def __init__(self, source: str, position: Position) -> None:
        super().__init__(
            f"the file list `{position}` of source `{source}` is not in the warehouse",
            kind="not_found",
            hint="rebuild the models that read it with `--full-refresh`",
        )


class SourceChanged(WarehouseFailure):
    """A file changed after it was pinned for this run.

    Why: the result would be made of two versions of the source.
    Fix: run again; write new files under another name and move them into the folder when they are whole.
    """

    code = "L624"

    def __init__(self, source: str, path: str) -> None:
        super().__init__(
            f"a file of source `{source}` changed while it was read: `{path}`",
            kind="conflict",
            hint="run again; nothing of this batch was published",
        )


class FileEntry(Value, frozen=True):
    """One file as it was: a change of size or time is another file."""

    path: str  # relative to the source's location
    size: int
    modified_ns: int


class HeldFile(Value, frozen=True):
    """A file and the times it holds, for each column this could be told of."""

    file: FileEntry
    held: tuple[ColumnRanges, ...] = ()


class Manifest(Value, frozen=True):
    """All files of a source, sorted by path."""

    source: str
    files: tuple[HeldFile, ...]
    asked: tuple[ColumnName, ...] = ()  # the columns that files were looked at for
    reading: str = ""  # how the files are to be read: other options make other rows of the same bytes

    @property
    def entries(self) -> tuple[FileEntry, ...]:
        """The files without what they hold."""
        return tuple(item.file for item in self.files)

    @property
    def size(self) -> int:
        """The bytes of all files."""
        return sum(item.file.size for item in self.files)


def locate(settings: SparkSettings, source: SourceTable) -> Path:
    """Return the folder or file of a source."""
    return Path(settings.root, source.location)


def list_files(source: SourceTable, location: Path) -> tuple[FileEntry, ...]:
    """List a source's files, sorted; hidden ones are left out, as Spark does."""
    try:
        if location.is_file():
            found = location.stat()
            return (FileEntry(path=".", size=found.st_size, modified_ns=found.st_mtime_ns),)
        entries = list(_walk(location, ""))
    except FileNotFoundError as error:
        if not location.exists():
            raise SourceGone(source.name, str(location)) from error
        raise SourceUnreadable(source.name, str(error.filename), "it vanished while it was listed") from error
    except OSError as error:
        raise SourceUnreadable(source.name, str(error.filename), error.strerror or str(error)) from error
    return tuple(sorted(entries, key=lambda entry: entry.path))


def position_of(entries: tuple[FileEntry, ...], reading: str) -> Position:
    """Return the position that names exactly these files, read in this way."""
    return Position(codec.content_hash((entries, reading)))


def reading_of(source: SourceTable) -> str:
    """Return the hash of all that decides which rows the files of a source hold, beside their bytes."""
    columns = [] if source.is_inferred else [(column.name, column.type) for column in source.columns]
    return codec.content_hash((source.format, columns, sorted(source.options.items())))


def load_manifest(settings: SparkSettings, source: SourceTable, position: Position) -> Manifest:
    """Return a stored manifest."""
    path = _stored_at(settings, position)
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise ManifestGone(source.name, position) from error
    return _read(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4)
def _read(path: Path, _modified_ns: int, _size: int) -> Manifest:
    """Read a manifest once for the several who ask in a run; it may be stored again with more told of its files."""
    return codec.from_json(path.read_bytes(), Manifest)


def is_stored(settings: SparkSettings, position: Position) -> bool:
    """Tell whether a manifest is kept."""
    return _stored_at(settings, position).is_file()


def store_manifest(settings: SparkSettings, manifest: Manifest) -> Position:
    """Keep a manifest under its position; a reader sees no file or a whole one."""
    position = position_of(manifest.entries, manifest.reading)
    path = _stored_at(settings, position)
    write_whole(path, codec.to_json(manifest))
    return position


def write_whole(path: Path, data: bytes) -> None:
    """Write a file of ours under the warehouse: a reader sees none or a whole one."""
    scratch = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch.write_bytes(data)
        scratch.replace(path)
    except OSError as error:
        raise WarehouseNotWritable(str(path.parent), error.strerror or str(error)) from error


def recheck(source: SourceTable, location: Path, manifest: Manifest) -> None:
    """Raise if a file is not the one that was pinned, or is not read as it was then."""
    if manifest.reading != reading_of(source):
        raise WarehouseFailure(
            f"source `{source.name}` was read with other options or columns then",
            kind="conflict",
            hint="run again to read it as it is declared now",
        )
    for entry in manifest.entries:
        path = str(location) if entry.path == "." else f"{location}/{entry.path}"
        try:
            found = os.stat(path)
        except OSError as error:
            raise SourceChanged(source.name, path) from error
        if (found.st_size, found.st_mtime_ns) != (entry.size, entry.modified_ns):
            raise SourceChanged(source.name, path)


def _walk(folder: str | Path, inside: str) -> Iterator[FileEntry]:
    """Yield the files of a folder, named from where the walk began; paths are put together, which is the cheapest."""
    with os.scandir(folder) as items:
        for item in items:
            if item.name.startswith((".", "_")):
                continue
            if item.is_dir():
                yield from _walk(item.path, f"{inside}{item.name}/")
            else:
                found = item.stat()
                path = f"{inside}{item.name}"
                yield FileEntry(path=path, size=found.st_size, modified_ns=found.st_mtime_ns)


def _stored_at(settings: SparkSettings, position: Position) -> Path:
    return Path(settings.warehouse, "_lamina", "manifests", f"{position}.json")
