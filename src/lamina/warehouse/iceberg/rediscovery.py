"""Find the tables that a warehouse folder holds, without a catalog: their files show which version was published."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from lamina.planner.heads import Kind, MetadataFile, published_head, quarantine_head
from lamina.values.coverage import Mark
from lamina.values.names import Position, TableName, quarantine_of
from lamina.values.value import Value
from lamina.warehouse.iceberg.ancestry import walk
from lamina.warehouse.iceberg.metadata import Metadata, MetadataUnreadable, read_metadata

SUFFIX = ".metadata.json"
NONE_DROPPED: Mapping[TableName, int] = {}


class FoundTable(Value, frozen=True):
    """A table as its folder shows it, which has the name that the table was created with."""

    table: TableName
    pointer: str
    location: str  # as its metadata names it, which is elsewhere when the folder was moved
    mark: Mark | None
    updated: int = 0  # when its head was written, in milliseconds


def has_tables(warehouse: Path) -> bool:
    """Return whether a warehouse holds anything that looks like a table."""
    return next(_folders(warehouse), None) is not None


def find_tables(warehouse: Path, *, dropped: Mapping[TableName, int] = NONE_DROPPED) -> tuple[FoundTable, ...]:
    """Return every table of a warehouse at its published head, without those that were dropped."""
    names = table_names(warehouse)
    found = (find_table(warehouse, name, known=None, dropped=dropped.get(name)) for name in names)
    return tuple(table for table in found if table is not None)


def table_names(warehouse: Path) -> tuple[TableName, ...]:
    """Return the names of the tables that a warehouse has folders of."""
    return tuple(TableName(".".join(folder.relative_to(warehouse).parts)) for folder in _folders(warehouse))


def find_table(
    warehouse: Path, table: TableName, *, known: str | None, dropped: int | None = None
) -> FoundTable | None:
    """Return a table at its published head, at or after the version that `known` points at; None if it was dropped."""
    read = _files(warehouse, table)
    name = None if known is None else known.rpartition("/")[2]
    return _found(table, read, published_head(map(_file, read.values()), known=name, dropped=dropped))


def find_quarantine(warehouse: Path, of: FoundTable) -> FoundTable | None:
    """Return the quarantine of a table at the version that belongs to it, as its mark says; None if it has none."""
    if of.mark is None or of.mark.coverage.quarantine is None:
        return None
    table = quarantine_of(of.table)
    read = _files(warehouse, table)
    return _found(table, read, quarantine_head(map(_file, read.values()), commit=of.mark.coverage.quarantine))


def _files(warehouse: Path, table: TableName) -> dict[str, Metadata]:
    """Return the metadata files of a table that can be read, by their names."""
    folder = warehouse.joinpath(*table.split("."), "metadata")
    return {path.name: found for path in sorted(folder.glob(f"*{SUFFIX}")) if (found := _read(path)) is not None}


def _found(table: TableName, read: dict[str, Metadata], head: MetadataFile | None) -> FoundTable | None:
    if head is None:
        return None
    metadata = read[head.name]
    return FoundTable(
        table=table,
        pointer=metadata.pointer,
        location=metadata.location,
        mark=metadata.mark,
        updated=metadata.updated,
    )


def kind_of(metadata: Metadata) -> Kind:
    """Say who wrote a metadata file last: a batch of ours that was finished, a stage under way, or others."""
    snapshot, touch = metadata.snapshot, metadata.touch
    if snapshot is None:
        return "unfinished"
    if touch is not None and touch.position == metadata.position:
        return "sealed"
    if snapshot.mark is None:
        return "foreign"
    if touch is None:
        return "unfinished"
    return "foreign" if _is_rolled_back(metadata, touch.position) else "unfinished"


def _is_rolled_back(metadata: Metadata, published: Position) -> bool:
    """Say whether others made an older version current than the one that was published last; a stage's is newer."""
    listed = list(metadata.snapshots)  # in the order they were made
    if published in metadata.snapshots and metadata.position is not None:
        return listed.index(metadata.position) < listed.index(published)
    if metadata.snapshot is not None and metadata.snapshot.sequence < metadata.sequence:
        return True  # what was published expired since
    steps, is_linked = walk(metadata, published)
    return not is_linked and bool(steps) and metadata.parent(steps[0].position) is None


def _file(metadata: Metadata) -> MetadataFile:
    mark = metadata.mark
    return MetadataFile(
        name=metadata.pointer.rpartition("/")[2],
        log=tuple(name.rpartition("/")[2] for name in metadata.log),
        kind=kind_of(metadata),
        token=0 if mark is None else mark.token,
        updated=metadata.updated,
        commit="" if mark is None else mark.commit,
    )


def _read(path: Path) -> Metadata | None:
    """Read a metadata file; one that cannot be read was never published, or is as good as gone."""
    try:
        return read_metadata(f"file:{path}")
    except MetadataUnreadable:
        return None


def _folders(warehouse: Path) -> Iterator[Path]:
    """Yield the folders of tables, which lie in a folder for each part of their names."""
    if not warehouse.is_dir():
        return
    for folder in sorted(path for path in warehouse.iterdir() if path.is_dir() and not path.name.startswith("_")):
        if any((folder / "metadata").glob(f"*{SUFFIX}")):
            yield folder
        else:
            yield from _folders(folder)
