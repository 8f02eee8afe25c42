"""The files that were added to a source after a list of them was made, and were never loaded before."""

from lamina.project.source import SourceTable
from lamina.values.batch import Pin
from lamina.values.names import Position, TableName
from lamina.warehouse.failure import NotAppended
from lamina.warehouse.files import manifest
from lamina.warehouse.files.manifest import FileEntry, HeldFile
from lamina.warehouse.settings import WarehouseSettings


def appended_files(
    settings: WarehouseSettings, source: SourceTable, *, since: Position, pin: Pin
) -> tuple[FileEntry, ...]:
    """Return the files that were added after one manifest, but for those that were loaded before and have come back.

    Raise if old ones changed or were removed, unless that is allowed.
    """
    for position in (since, *pin.loaded):
        if not manifest.is_stored(settings, position):
            raise NotAppended(TableName(source.name), position)
    before = set(manifest.load_manifest(settings, source, since).entries)
    after = manifest.load_manifest(settings, source, pin.position).entries
    if not pin.is_past_changes and not before <= set(after):
        raise NotAppended(TableName(source.name), since)
    known = {entry.path for entry in before}
    came = tuple(entry for entry in after if entry.path not in known)
    return _never_loaded(settings, source, came, loaded=pin.loaded) if came and pin.loaded else came


def _never_loaded(
    settings: WarehouseSettings, source: SourceTable, came: tuple[FileEntry, ...], *, loaded: tuple[Position, ...]
) -> tuple[FileEntry, ...]:
    """Return the files that are none of those which earlier manifests list."""
    location, paths = manifest.locate(settings, source), {entry.path for entry in came}
    earlier: dict[str, list[HeldFile]] = {}
    for position in loaded:
        for item in manifest.load_manifest(settings, source, position).files:
            if item.file.path in paths:
                earlier.setdefault(item.file.path, []).append(item)
    try:
        return tuple(
            entry for entry in came if not any(item.is_back(entry, location) for item in earlier.get(entry.path, ()))
        )
    except OSError as error:
        raise manifest.SourceChanged(source.name, str(error.filename)) from error
