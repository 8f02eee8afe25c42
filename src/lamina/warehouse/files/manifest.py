"""The files of a source at one moment: which they are, and which times each one holds.

A manifest's position is the hash of its files; it is stored once, under the warehouse, for as long as it is needed.
"""

import hashlib
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
from lamina.warehouse.failure import SourceUnreadable, WarehouseFailure, WarehouseNotWritable
from lamina.warehouse.files.partition_folders import require_alike_folders
from lamina.warehouse.files.reading import reading_of
from lamina.warehouse.plain_sentence import system_words
from lamina.warehouse.settings import WarehouseSettings


class SourceGone(WarehouseFailure):
    """A source's folder does not exist: that is an error, never an empty table.

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


class FileNameRefused(WarehouseFailure):
    """The name of a source's file has a colon.

    Why: Hadoop, by which Spark opens files, takes what is before the colon for the scheme of an address.
    Fix: rename the file; names of folders may have colons. A name that begins with `.` or `_` is left out of the
    source.
    """

    code = "L636"

    def __init__(self, source: str, path: str) -> None:
        super().__init__(
            f"source `{source}` has a file that Spark cannot open, because its name has a colon: `{path}`",
            kind="data_rejected",
            hint="rename the file; one whose name begins with `.` or `_` is left out of the source",
        )


class ManifestGone(WarehouseFailure):
    """The list of files a table was built from is no longer kept.

    Why: without the list, what has changed since is not known.
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
    Fix: run again; write new files under another name and move them into the folder when they are complete.
    """

    code = "L624"

    def __init__(self, source: str, path: str) -> None:
        super().__init__(
            f"a file of source `{source}` is not as it was when it was looked at: `{path}`",
            kind="conflict",
            hint="run again; nothing of this batch was published",
        )


class FileEntry(Value, frozen=True, omit_defaults=True):
    """One file as it was when its content was first seen: a change of size or times is another file."""

    path: str  # relative to the source's location
    size: int
    modified_ns: int
    changed_ns: int = 0  # its ctime, which programs cannot set back; 0: listed before ctimes were kept


class HeldFile(Value, frozen=True, omit_defaults=True):
    """A file and the times it holds, for each column this is known of."""

    file: FileEntry
    held: tuple[ColumnRanges, ...] = ()
    seen_ns: int = 0  # the ctime it was last seen with; 0: that of the file
    digest: str = ""  # of its bytes; empty until a batch has read it

    @property
    def last_ns(self) -> int:
        """The ctime to expect; 0 if none was ever noted."""
        return self.seen_ns or self.file.changed_ns

    def settled(self, found: FileEntry, location: Path) -> "HeldFile | None":
        """Return the file as it is found now, or None if it is another one; bytes decide where only its ctime moved."""
        if (self.file.size, self.file.modified_ns) != (found.size, found.modified_ns):
            return None
        if self.last_ns == found.changed_ns:
            return self
        # Without a digest the bytes may have been others: a rebuild too many is better than one too few.
        is_same = self.last_ns == 0 or (self.digest != "" and self.digest == digest_of(path_of(location, found)))
        return self.replace(seen_ns=found.changed_ns) if is_same else None

    def is_back(self, found: FileEntry, location: Path) -> bool:
        """Return whether a file that was away has come back with the same bytes, whatever its times are now."""
        if self.settled(found, location) is not None:
            return True
        is_alike = self.digest != "" and self.file.size == found.size
        return is_alike and self.digest == digest_of(path_of(location, found))


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


def locate(settings: WarehouseSettings, source: SourceTable) -> Path:
    """Return the folder or file of a source."""
    return Path(settings.root, source.location)


def list_files(source: SourceTable, location: Path) -> tuple[FileEntry, ...]:
    """List a source's files, sorted; hidden ones are left out, and those that Spark would pass over are refused."""
    try:
        entries = [entry_of(".", location.stat())] if location.is_file() else list(_walk(location, ""))
    except FileNotFoundError as error:
        if not location.exists():
            raise SourceGone(source.name, str(location)) from error
        raise SourceUnreadable(source.name, str(error.filename), "it disappeared while it was listed") from error
    except OSError as error:
        raise SourceUnreadable(source.name, str(error.filename), system_words(error)) from error
    entries.sort(key=lambda entry: entry.path)
    for entry in entries:
        if ":" in (location.name if entry.path == "." else entry.path.rpartition("/")[2]):
            raise FileNameRefused(source.name, str(path_of(location, entry)))
    require_alike_folders(source.name, (entry.path for entry in entries))
    return tuple(entries)


def entry_of(path: str, found: os.stat_result) -> FileEntry:
    """Return a file as it is now."""
    return FileEntry(path=path, size=found.st_size, modified_ns=found.st_mtime_ns, changed_ns=found.st_ctime_ns)


def path_of(location: Path, entry: FileEntry) -> Path:
    """Return where a file of a source is."""
    return location if entry.path == "." else location / entry.path


def digest_of(path: Path) -> str:
    """Return the digest of a file's bytes; processors help with this one: a busy one does 500 MB in about a second."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def position_of(entries: tuple[FileEntry, ...], reading: str) -> Position:
    """Return the position that names exactly these files, read in this way."""
    return Position(codec.content_hash((entries, reading)))


def load_manifest(settings: WarehouseSettings, source: SourceTable, position: Position) -> Manifest:
    """Return a stored manifest."""
    path = _stored_at(settings, position)
    try:
        found = path.stat()
    except FileNotFoundError as error:
        raise ManifestGone(source.name, position) from error
    return _read(path, found.st_mtime_ns, found.st_ino)


@lru_cache(maxsize=4)
def _read(path: Path, _modified_ns: int, _inode: int) -> Manifest:
    """Read a manifest once for all who need it in a run; it may be stored again with more known of its files."""
    return codec.from_json(path.read_bytes(), Manifest)


def is_stored(settings: WarehouseSettings, position: Position) -> bool:
    """Return whether a manifest is kept."""
    return _stored_at(settings, position).is_file()


def store_manifest(settings: WarehouseSettings, manifest: Manifest) -> Position:
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
        raise WarehouseNotWritable(str(path.parent), system_words(error)) from error


def recheck(source: SourceTable, location: Path, manifest: Manifest) -> None:
    """Raise if a file is not the one that was pinned, or is not read as it was then."""
    if manifest.reading != reading_of(source):
        raise WarehouseFailure(
            f"source `{source.name}` was read with different options or columns then",
            kind="conflict",
            hint="run again to read it as it is declared now",
        )
    for item in manifest.files:
        path = str(location) if item.file.path == "." else f"{location}/{item.file.path}"
        try:
            is_same = item.settled(entry_of(item.file.path, os.stat(path)), location) is not None
        except OSError as error:
            raise SourceChanged(source.name, path) from error
        if not is_same:
            raise SourceChanged(source.name, path)


def _walk(folder: str | Path, inside: str) -> Iterator[FileEntry]:
    """Yield the files of a folder, named from where the walk began; paths are put together, which is the cheapest."""
    with os.scandir(folder) as items:
        for item in items:
            if _is_hidden(item.name):
                continue
            if item.is_dir():
                yield from _walk(item.path, f"{inside}{item.name}/")
            else:
                yield entry_of(f"{inside}{item.name}", item.stat())


def _is_hidden(name: str) -> bool:
    """Return whether Spark leaves out a file or folder by its name: listed all the same, its rows would be missing."""
    return name.startswith(".") or name.endswith("._COPYING_") or (name.startswith("_") and "=" not in name)


def _stored_at(settings: WarehouseSettings, position: Position) -> Path:
    return Path(settings.warehouse, "_lamina", "manifests", f"{position}.json")
