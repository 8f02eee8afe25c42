"""An Iceberg table's metadata file read as plain JSON: versions, schema, layout and marks, without a JVM."""

import gzip
import os
import time
import uuid
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from lamina.values import codec
from lamina.values.coverage import Mark
from lamina.values.names import Position
from lamina.values.schema import Schema
from lamina.values.touch import Touch
from lamina.values.value import Value
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.iceberg.iceberg_types import to_schema
from lamina.warehouse.iceberg.layout import PartitionField
from lamina.warehouse.plain_sentence import system_words

MARK = "lamina.mark"
TOUCH = "lamina.touch"
# Replacing a table's schema starts a new ancestry in Iceberg; this property ties it to the old one.
PREDECESSOR = "lamina.predecessor"
# A table with this property set removes the oldest metadata files it knows with each commit.
DELETES_METADATA = "write.metadata.delete-after-commit.enabled"

# How many older metadata files a table remembers, Iceberg's own default.
_KEPT_LOG = 100

T = TypeVar("T")

Parts = dict[str, codec.Packed]


class MetadataUnreadable(WarehouseFailure):
    """A table's metadata file is gone or damaged.

    Why: the catalog names a file that cannot be read, so nothing is known about the table.
    Fix: restore the file from a backup, or build the table again with `lamina run -s MODEL --full-refresh`.
    """

    code = "L620"

    def __init__(self, pointer: str, detail: str) -> None:
        super().__init__(
            f"the table metadata cannot be read: `{pointer}` ({detail})",
            kind="not_found",
            hint="restore the file, or build the table again with `lamina run -s MODEL --full-refresh`",
        )
        self.fault = f"`{local_path(pointer)}` cannot be read"


class ListedSnapshot(Value, frozen=True, rename="kebab", forbid_unknown_fields=False):
    """A snapshot as a metadata file lists it, as far as it is looked at."""

    snapshot_id: int
    parent_snapshot_id: int | None = None
    summary: dict[str, str] | None = None
    manifest_list: str = ""
    sequence_number: int = 0


class Snapshot(Value, frozen=True):
    """One version of a table, with what its commit did."""

    position: Position
    parent: Position | None
    summary: dict[str, str]
    manifest_list: str
    sequence: int = 0  # the count of the commit that made it, over all of the table's; 0: not known

    def count(self, key: str) -> int:
        """Return a number of the summary, zero where it is not known."""
        return int(self.summary.get(key, "0"))

    @property
    def has_added(self) -> bool:
        """Return whether data was added."""
        return self.count("added-data-files") > 0

    @property
    def has_removed(self) -> bool:
        """Return whether data was removed: by whole files, or by files that delete single rows."""
        return self.count("deleted-data-files") > 0 or self.count("added-delete-files") > 0

    @property
    def is_append(self) -> bool:
        """Return whether rows were only added, in the one form that Iceberg's append scan does not pass over."""
        is_labelled = self.summary.get("operation") == "append"
        return is_labelled and self.parent is not None and not self.has_removed

    @property
    def is_content_preserving(self) -> bool:
        """Return whether the rows are the same as before: no file was added or removed, or the same rows rewritten."""
        if not self.has_added and not self.has_removed and not self.count("removed-delete-files"):
            return True
        return self.summary.get("operation") == "replace"

    @property
    def mark(self) -> Mark | None:
        """Return the mark the snapshot was written with."""
        text = self.summary.get(MARK)
        return None if text is None else codec.from_json(text, Mark)


class Metadata(Value, frozen=True):
    """What one metadata file says."""

    pointer: str
    location: str
    position: Position | None
    snapshots: dict[Position, Snapshot]
    columns: Schema
    schemas: dict[int, Schema]
    layout: tuple[PartitionField, ...]
    layouts: int  # how many layouts the table has ever had
    sorting: tuple[str, ...]
    properties: dict[str, str]
    log: tuple[str, ...] = ()  # pointers to the metadata before it, oldest first
    updated: int = 0  # in milliseconds
    sequence: int = 0  # the count of the table's last commit, of any version; 0: not known

    @property
    def snapshot(self) -> Snapshot | None:
        """Return the current snapshot."""
        return None if self.position is None else self.snapshots.get(self.position)

    @property
    def rows(self) -> int | None:
        """Return how many rows the current version has; None where files that delete single rows leave it open."""
        found = self.snapshot
        if found is None or found.count("total-delete-files") or "total-records" not in found.summary:
            return None
        return found.count("total-records")

    def parent(self, position: Position) -> Position | None:
        """Return the version before one, across a replacement that names its predecessor."""
        found = self.snapshots.get(position)
        if found is None:
            return None
        named = found.summary.get(PREDECESSOR)
        return found.parent or (Position(named) if named else None)

    @property
    def mark(self) -> Mark | None:
        """Return the table's newest mark, late facts included, also when its snapshot expired."""
        text = self.properties.get(MARK)
        return None if text is None else codec.from_json(text, Mark)

    @property
    def touch(self) -> Touch | None:
        """Return what the newest marked batch touched."""
        text = self.properties.get(TOUCH)
        return None if text is None else codec.from_json(text, Touch)


@lru_cache(maxsize=512)
def read_metadata(pointer: str) -> Metadata:
    """Read one metadata file; it never changes, so it is read once."""
    parts = load_parts(pointer)
    try:
        return _metadata(pointer, parts)
    except (ValueError, KeyError) as error:
        raise MetadataUnreadable(pointer, system_words(error)) from error


def _metadata(pointer: str, parts: Parts) -> Metadata:
    schemas = {schema["schema-id"]: schema["fields"] for schema in part_of(parts, "schemas", list[Any], [])}
    fields = schemas[part_of(parts, "current-schema-id", int, 0)]
    names = {field["id"]: field["name"] for every in schemas.values() for field in every}
    names |= {field["id"]: field["name"] for field in fields}
    current = part_of(parts, "current-snapshot-id", int, -1)
    specs = {spec["spec-id"]: spec["fields"] for spec in part_of(parts, "partition-specs", list[Any], [])}
    orders = {order["order-id"]: order["fields"] for order in part_of(parts, "sort-orders", list[Any], [])}
    snapshots = (_snapshot(item) for item in part_of(parts, "snapshots", list[ListedSnapshot], []))
    return Metadata(
        pointer=pointer,
        location=part_of(parts, "location", str, ""),
        position=None if current == -1 else Position(str(current)),
        snapshots={item.position: item for item in snapshots},
        columns=to_schema(fields),
        schemas={key: to_schema(value) for key, value in schemas.items()},
        layout=tuple(
            PartitionField(column=names.get(field["source-id"], "?"), transform=field["transform"])
            for field in specs[part_of(parts, "default-spec-id", int, 0)]
            if field["transform"] != "void"
        ),
        layouts=len(specs),
        sorting=tuple(
            names.get(field["source-id"], "?")
            for field in orders.get(part_of(parts, "default-sort-order-id", int, 0), ())
        ),
        properties=part_of(parts, "properties", dict[str, str], {}),
        log=tuple(item["metadata-file"] for item in part_of(parts, "metadata-log", list[Any], [])),
        updated=part_of(parts, "last-updated-ms", int, 0),
        sequence=part_of(parts, "last-sequence-number", int, 0),
    )


def forget_metadata() -> None:
    """Read every metadata file again: they were rewritten in place."""
    read_metadata.cache_clear()


def write_properties(pointer: str, properties: dict[str, str]) -> str:
    """Write the next metadata file of a table with more properties, and return where it is.

    The same through Spark takes a tenth of a second for each batch.
    """
    parts = load_parts(pointer)
    updated = part_of(parts, "last-updated-ms", int, 0)
    log = [*part_of(parts, "metadata-log", list[Any], []), {"timestamp-ms": updated, "metadata-file": pointer}]
    document = {
        **parts,
        "properties": {**part_of(parts, "properties", dict[str, str], {}), **properties},
        "metadata-log": log[-_KEPT_LOG:],
        "last-updated-ms": max(int(time.time() * 1000), updated),
    }
    folder, _, name = pointer.rpartition("/")
    version = int(name.partition("-")[0]) + 1
    written = f"{folder}/{version:05d}-{uuid.uuid4()}.metadata.json"
    _write_durably(local_path(written), codec.to_json(document))
    return written


def local_path(location: str) -> Path:
    """Return the path of a location: the JVM writes `file:/x`, PyIceberg `file:///x`."""
    return Path("/" + location[5:].lstrip("/")) if location.startswith("file:") else Path(location)


def _snapshot(item: ListedSnapshot) -> Snapshot:
    parent = item.parent_snapshot_id
    return Snapshot(
        position=Position(str(item.snapshot_id)),
        parent=None if parent is None else Position(str(parent)),
        summary=item.summary or {},
        manifest_list=item.manifest_list,
        sequence=item.sequence_number,
    )


def load_parts(pointer: str) -> Parts:
    """Return a file's top level, with all below it left as text: most of it is history, which grows with every run."""
    try:
        data = local_path(pointer).read_bytes()
        if pointer.endswith(".gz.metadata.json"):
            data = gzip.decompress(data)
        return codec.from_json(data, Parts)
    except (OSError, ValueError) as error:
        raise MetadataUnreadable(pointer, system_words(error)) from error


def part_of(parts: Parts, key: str, kind: type[T], default: T) -> T:
    """Return one part of a metadata file, or the default where it has none."""
    text = bytes(parts.get(key, b"null"))
    return default if text == b"null" else codec.from_json(text, kind)


def _write_durably(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
