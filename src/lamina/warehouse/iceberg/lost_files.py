"""The files of one table, without a JVM: which are missing or damaged, and all of them removed."""

import os
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from lamina.warehouse.iceberg.data_files import UNREADABLE, files_in, records_of
from lamina.warehouse.iceberg.metadata import MetadataUnreadable, local_path, read_metadata


def lost_file(pointer: str) -> str | None:
    """Return a file of the current version that cannot be read, the first that is found."""
    if not _is_there(pointer):
        return pointer
    try:
        snapshot = read_metadata(pointer).snapshot
    except MetadataUnreadable:
        return pointer
    return None if snapshot is None else next(_lost(snapshot.manifest_list), None)


def is_short(pointer: str) -> bool:
    """Say whether a table's folder holds fewer files than its current version needs: a quick look, and never wrong.

    Files of older versions may hide what is missing; it is noticed when the rows are read.
    """
    metadata, folder = read_metadata(pointer), local_path(pointer).parent.parent / "data"
    if metadata.snapshot is None or not _is_local(pointer):
        return False
    needed = metadata.snapshot.count("total-data-files")
    names = (name for _, _, files in os.walk(folder) for name in files if not name.startswith("."))
    return sum(1 for _ in islice(names, needed)) < needed


def remove_folder(folder: Path, *, inside: Path, others: tuple[Path, ...]) -> None:
    """Remove a table's folder, its metadata first: what is left of an unfinished removal is not a table any more."""
    if inside not in folder.parents or any(folder in other.parents for other in others):
        return
    shutil.rmtree(folder / "metadata", ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


def _lost(manifest_list: str) -> Iterator[str]:
    """Yield what is wrong from the top down: a list that cannot be read hides what is below it."""
    if not _is_there(manifest_list):
        yield manifest_list
        return
    try:
        manifests = records_of(manifest_list)
    except UNREADABLE:
        yield manifest_list
        return
    for manifest in manifests:
        location = manifest["manifest_path"]
        if not _is_there(location, size=manifest["manifest_length"]):
            yield location
            continue
        try:
            files = tuple(files_in(manifest))
        except UNREADABLE:
            yield location
            continue
        for file in files:
            if not _is_there(file["file_path"], size=file["file_size_in_bytes"]):
                yield file["file_path"]


def _is_there(location: str, *, size: int | None = None) -> bool:
    """Say whether a local file is there, with its size where that is known; elsewhere it is taken to be there."""
    if not _is_local(location):
        return True
    try:
        found = local_path(location).stat()
    except OSError:
        return False
    return size is None or found.st_size == size


def _is_local(location: str) -> bool:
    return "://" not in location or location.startswith("file:")
