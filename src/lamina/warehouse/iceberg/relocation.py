"""Rewrite the paths that tables name, after their warehouse was moved or copied to another folder.

Each file is replaced whole, in the folder it is in now, and one that is already done is left alone: a relocation that
was killed is simply done again. Files are replaced by renaming, so that links to those of an original are broken first.
"""

import gzip
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from lamina.values import codec
from lamina.values.names import TableName
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.iceberg.avro_paths import DeletesByPosition, rewrite_paths
from lamina.warehouse.iceberg.metadata import local_path
from lamina.warehouse.iceberg.rediscovery import table_names

Moved = Callable[[str], str]

PATH_KEYS = frozenset(
    [
        *("location", "manifest-list", "metadata-file", "statistics-path"),
        *("write.data.path", "write.metadata.path", "write.object-storage.path", "write.folder-storage.path"),
    ]
)


class CannotRelocate(WarehouseFailure):
    """A table cannot follow its project to another folder.

    Why: a file that it needs was not moved along, or names other files in a way that cannot be rewritten.
    Fix: copy the whole `.lamina` folder, or do what the hint says in the original place and copy again.
    """

    code = "L711"

    def __init__(self, message: str, *, hint: str) -> None:
        super().__init__(message, kind="not_found", hint=hint)


def mover(old: Iterable[str], new: str) -> Moved:
    """Return a function that moves a path from one of the old folders to the new one, keeping how it is written.

    >>> mover(["/a/lake"], "/b/lake")("file:/a/lake/sales/orders")
    'file:/b/lake/sales/orders'
    """
    folders = sorted((folder for folder in old if folder != new), key=len, reverse=True)

    def moved(text: str) -> str:
        path = str(local_path(text))
        for folder in folders:
            if path == folder or path.startswith(f"{folder}/"):
                return text[: text.index(folder)] + new + path[len(folder) :]
        return text

    return moved


def relocate_tables(warehouse: Path, moved: Moved) -> tuple[TableName, ...]:
    """Rewrite every path in the metadata of the tables of a warehouse; return the tables that had one to rewrite."""
    names = table_names(warehouse)
    folders = {name: warehouse.joinpath(*name.split("."), "metadata") for name in names}
    for name, folder in folders.items():
        for path in _manifests(folder):
            _rewritten_avro(name, path, moved)  # raises before anything is changed
    done = tuple(name for name, folder in folders.items() if _relocate_table(name, folder, moved))
    os.sync()
    return done


def _relocate_table(table: TableName, folder: Path, moved: Moved) -> bool:
    """Rewrite manifests, then the lists with their lengths, then the metadata; say whether any file changed."""
    avro = _manifests(folder)
    lists = [path for path in avro if path.name.startswith("snap-")]
    changed = [replace_file(path, _rewritten_avro(table, path, moved)) for path in avro if path not in lists]
    changed += [replace_file(path, _rewritten_avro(table, path, moved)) for path in lists]
    changed += [replace_file(path, _rewritten_json(path, moved)) for path in sorted(folder.glob("*.metadata.json"))]
    return any(changed)


def _manifests(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.avro") if not path.name.startswith("."))


def _rewritten_avro(table: TableName, path: Path, moved: Moved) -> bytes:
    try:
        return rewrite_paths(path.read_bytes(), moved=moved, length_of=_length_of)
    except DeletesByPosition as error:
        raise CannotRelocate(
            f"table `{table}` has files that delete single rows, and these name other files inside",
            hint=f"in the original place, let Spark run `CALL lake.system.rewrite_data_files('{table}')` with"
            " `delete-file-threshold` 1 and expire the snapshots before it; then copy again",
        ) from error
    except ValueError as error:
        raise CannotRelocate(
            f"`{path}` cannot be read: {error}", hint="copy the file from the original again"
        ) from error


def _length_of(manifest: str) -> int | None:
    try:
        return local_path(manifest).stat().st_size
    except OSError:
        return None


def _rewritten_json(path: Path, moved: Moved) -> bytes:
    data = path.read_bytes()
    is_packed = path.name.endswith(".gz.metadata.json")
    try:
        document = codec.from_json(gzip.decompress(data) if is_packed else data, Any)
    except (OSError, ValueError):
        return data  # it was cut off while it was written, so nothing names it
    changed = _moved_inside(document, moved)
    if changed == document:
        return data
    text = codec.to_json(changed)
    return gzip.compress(text) if is_packed else text


def _moved_inside(value: Any, moved: Moved) -> Any:
    if isinstance(value, dict):
        return {
            key: moved(item) if key in PATH_KEYS and isinstance(item, str) else _moved_inside(item, moved)
            for key, item in value.items()
        }
    return [_moved_inside(item, moved) for item in value] if isinstance(value, list) else value


def replace_file(path: Path, data: bytes) -> bool:
    """Put new contents in the place of a file, whole or not at all."""
    if data == path.read_bytes():
        return False
    # Hadoop keeps a checksum beside each file; without it, the file is believed.
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    scratch = path.with_name(f".{path.name}.new")
    scratch.write_bytes(data)
    scratch.replace(path)
    return True
