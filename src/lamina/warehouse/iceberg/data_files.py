"""The data files of one version of an Iceberg table, and its columns with their ids, without a JVM."""

import struct
import zlib
from collections.abc import Iterator
from typing import Any

from lamina.values.value import Value
from lamina.warehouse.avro import read_records
from lamina.warehouse.iceberg.metadata import Metadata, Snapshot, load_parts, local_path, part_of

# What it ends in to read a file that is missing or damaged: what the decoders raise depends on the bytes they meet.
UNREADABLE = (OSError, EOFError, ValueError, LookupError, TypeError, AssertionError, zlib.error, struct.error)

DATA = 0  # the content of a manifest that lists files with rows

# The status of a file in a manifest: it came, or left the table, with the version that wrote the manifest.
_ADDED, _DELETED = 1, 2


class DataFile(Value, frozen=True):
    """One file with rows."""

    path: str
    rows: int


class FilesOfStep(Value, frozen=True):
    """The entries of the data files that one step removed from a table and added to it."""

    removed: tuple[Any, ...]
    added: tuple[Any, ...]


def current_fields(pointer: str) -> list[dict[str, Any]]:
    """Return the columns of a table as its metadata writes them."""
    parts = load_parts(pointer)
    current = part_of(parts, "current-schema-id", int, 0)
    found: list[dict[str, Any]] = next(
        schema["fields"] for schema in part_of(parts, "schemas", list[Any], []) if schema["schema-id"] == current
    )
    return found


def data_files(metadata: Metadata) -> tuple[DataFile, ...] | None:
    """Return the files of the current version in order; None where rows are deleted aside, or files are not Parquet."""
    snapshot = metadata.snapshot
    if snapshot is None:
        return () if metadata.position is None else None
    found: list[DataFile] = []
    for manifest in records_of(snapshot.manifest_list):
        if manifest.get("content", DATA) != DATA:
            return None
        for file in files_in(manifest):
            if file["file_format"].upper() != "PARQUET":
                return None
            found.append(DataFile(path=file["file_path"], rows=file["record_count"]))
    return tuple(found)


def changed_files(step: Snapshot) -> tuple[Any, ...]:
    """Return what manifests say of each file that a step added or removed: with rows, or with deletes of rows."""
    return tuple(entry["data_file"] for manifest in _manifests_of(step) for entry in _entries_of(step, manifest))


def added_files(step: Snapshot) -> tuple[str, ...]:
    """Return the data files that a step added."""
    return _files_of_step(step, (_ADDED,))


def files_in(manifest: Any) -> Iterator[Any]:
    """Yield the files that a manifest of a list holds, without those that left the table with it."""
    for entry in records_of(manifest["manifest_path"]):
        if entry["status"] != _DELETED:
            yield entry["data_file"]


def records_of(location: str) -> list[Any]:
    """Read a manifest, or a list of them; raise OSError where it is missing, ValueError where it is damaged.

    PyIceberg takes a location for a URL, and finds no file in a folder with a space or a `#` in its name.
    """
    try:
        return list(read_records(local_path(location).read_bytes()))
    except (zlib.error, struct.error, LookupError, TypeError) as error:
        raise ValueError(f"`{location}` is damaged: {error}") from error


def files_of_step(step: Snapshot, *, most: int) -> FilesOfStep | None:
    """Return what a step's manifests say of the files it changed; None where they may list more than `most`."""
    manifests = _manifests_of(step)
    keys = ("added_files_count", "existing_files_count", "deleted_files_count")
    counts = [manifest.get(key) for manifest in manifests for key in keys]
    if None in counts or sum(counts) > most:
        return None
    entries = [entry for manifest in manifests for entry in _entries_of(step, manifest)]
    return FilesOfStep(
        removed=tuple(entry["data_file"] for entry in entries if entry["status"] == _DELETED),
        added=tuple(entry["data_file"] for entry in entries if entry["status"] == _ADDED),
    )


def _files_of_step(step: Snapshot, statuses: tuple[int, ...]) -> tuple[str, ...]:
    return tuple(
        entry["data_file"]["file_path"]
        for manifest in _manifests_of(step)
        for entry in _entries_of(step, manifest)
        if entry["status"] in statuses
    )


def _manifests_of(step: Snapshot) -> list[Any]:
    position = int(step.position)
    return [manifest for manifest in records_of(step.manifest_list) if manifest["added_snapshot_id"] == position]


def _entries_of(step: Snapshot, manifest: Any) -> Iterator[Any]:
    """Yield what a manifest says of files that came or left with a step."""
    for entry in records_of(manifest["manifest_path"]):
        # An entry without a version of its own is of the version that wrote the manifest.
        if entry["status"] in (_ADDED, _DELETED) and entry.get("snapshot_id") in (None, int(step.position)):
            yield entry
