"""Where checksums of sources are kept: beside the lists of files, under the position whose rows they are of.

A position never means other rows, so nothing here belongs to a transaction: a run that dies leaves sums that are right,
and sums that are lost cost a rebuild of what may have changed.
"""

import os
from pathlib import Path

from lamina.project.source import SourceTable
from lamina.values import codec
from lamina.values.names import Position
from lamina.values.source_sums import FORM, SourceSums
from lamina.warehouse.files.manifest import write_whole
from lamina.warehouse.settings import WarehouseSettings

_MOST_KEPT = 10  # positions of one source


def load_sums(settings: WarehouseSettings, source: SourceTable, position: Position) -> SourceSums | None:
    """Return the checksums of a source at a position, if they are kept."""
    path = _path(settings, source, position)
    try:
        found = codec.from_json(path.read_bytes(), SourceSums)
        os.utime(path)  # what is still in use is not the oldest
    except (OSError, codec.DecodeError):
        return None
    return found if found.form == FORM else None


def store_sums(settings: WarehouseSettings, source: SourceTable, position: Position, sums: SourceSums) -> None:
    """Keep the checksums of a source at a position; those that were not used for the longest time are removed."""
    path = _path(settings, source, position)
    write_whole(path, codec.to_json(sums))
    others = sorted(path.parent.glob("*.json"), key=_last_used, reverse=True)
    for other in others[_MOST_KEPT:]:
        other.unlink(missing_ok=True)


def _last_used(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0  # another process removed it


def _path(settings: WarehouseSettings, source: SourceTable, position: Position) -> Path:
    return Path(settings.warehouse, "_lamina", "checksums", source.name, f"{position}.json")
