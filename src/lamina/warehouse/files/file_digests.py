"""Digests of the files that batches read: they show whether a file whose ctime moved was rewritten."""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from lamina.project.source import SourceTable
from lamina.values.names import Position
from lamina.warehouse.files import manifest
from lamina.warehouse.files.last_look import load_last_look
from lamina.warehouse.files.manifest import FileEntry, HeldFile
from lamina.warehouse.settings import WarehouseSettings

_AT_ONCE = 4

# Batches of several models read the same files at once: the second finds what the first has made.
_one_at_a_time = threading.Lock()


def keep_digests(
    settings: WarehouseSettings, source: SourceTable, position: Position, entries: Iterable[FileEntry]
) -> None:
    """Add the digests of files that were just read to the manifest they were read by; only those that lack one."""
    with _one_at_a_time:
        pinned = manifest.load_manifest(settings, source, position)
        lacking = {item.file: item for item in pinned.files if not item.digest}
        wanted = [lacking[entry] for entry in entries if entry in lacking]
        if not wanted:
            return
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            made = pool.map(partial(_digest, manifest.locate(settings, source)), wanted)
            digests = {item.file: digest for item, digest in zip(wanted, made, strict=True) if digest}
        last = load_last_look(settings, source)
        # A newer list of the files may have been made meanwhile, and the next one is made from that.
        for kept in {position, position if last is None else last.position}:
            _add(settings, source, kept, digests)


def _add(settings: WarehouseSettings, source: SourceTable, position: Position, digests: dict[FileEntry, str]) -> None:
    if not manifest.is_stored(settings, position):
        return
    found = manifest.load_manifest(settings, source, position)
    files = tuple(item.replace(digest=item.digest or digests.get(item.file, "")) for item in found.files)
    if files != found.files:
        manifest.store_manifest(settings, found.replace(files=files))


def _digest(location: Path, item: HeldFile) -> str:
    """Return the digest of a file, or nothing if it is no longer as it was listed."""
    path = manifest.path_of(location, item.file)
    try:
        digest, found = manifest.digest_of(path), manifest.entry_of(item.file.path, path.stat())
    except OSError:
        return ""
    return digest if found == item.file.replace(changed_ns=item.last_ns) else ""
