"""What survives a crash in the simulation: tables as chains of snapshots, and folders of files, all in memory.

The place of each table's metadata is in a catalog of its own, which the real state store publishes into.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal

from tests.simulation.algebra import Relation, Row
from tests.simulation.memory_catalog import VIEW, MemoryCatalog, Pointers

from lamina.api.custody import paired
from lamina.planner.heads import Kind, MetadataFile, published_head, quarantine_head
from lamina.values.codec import content_hash
from lamina.values.coverage import Mark
from lamina.values.facts import CatalogView
from lamina.values.names import CommitId, Position, TableName, is_quarantine, quarantine_of
from lamina.values.plan import Mode
from lamina.values.source_sums import SourceSums
from lamina.values.touch import Touch
from lamina.warehouse.catalog.port import stage_of
from lamina.warehouse.iceberg.rediscovery import FoundTable

Operation = Literal["append", "overwrite", "replace", "mark"]
# What of a source cannot be read; for want of memory it fails like that while its rows are read.
Fault = Literal["listing", "types", "changes", "rows", "memory"]


@dataclass(frozen=True)
class Snapshot:
    """One version of a table's rows; `replace` is compaction, `mark` adds and removes nothing."""

    number: int
    parent: int | None
    relation: Relation
    operation: Operation
    mark: Mark | None = None
    layout: str = ""

    @property
    def position(self) -> Position:
        """The snapshot's id as a position."""
        return Position(str(self.number))


@dataclass(frozen=True)
class Metadata:
    """What a pointer names; the mark and touch of the newest publish are properties and survive expiry."""

    current: int
    snapshots: tuple[Snapshot, ...]
    mark: Mark | None = None
    touch: Touch | None = None

    def snapshot(self, number: int) -> Snapshot | None:
        """Return a snapshot that has not expired."""
        return next((item for item in reversed(self.snapshots) if item.number == number), None)

    @property
    def head(self) -> Snapshot:
        """The snapshot readers see."""
        found = self.snapshot(self.current)
        assert found is not None, "the current snapshot never expires"
        return found

    def ancestry(self) -> tuple[Snapshot, ...]:
        """Return the kept main ancestry, newest first."""
        chain = [self.head]
        while chain[-1].parent is not None and (parent := self.snapshot(chain[-1].parent)) is not None:
            chain.append(parent)
        return tuple(chain)


@dataclass
class Lake:
    """All durable things beside the state: metadata, files, and the catalog they are found by."""

    catalog: MemoryCatalog = field(default_factory=MemoryCatalog)
    metadata: dict[str, Metadata] = field(default_factory=dict)
    folders: dict[str, dict[str, int]] = field(default_factory=dict)  # location: file name, version of its content
    contents: dict[int, Relation] = field(default_factory=dict)
    manifests: dict[Position, dict[str, int]] = field(default_factory=dict)
    lost: dict[str, Literal["metadata", "rows"]] = field(default_factory=dict)  # pointers whose files are lost
    sums: dict[tuple[str, Position], SourceSums] = field(default_factory=dict)  # of sources, by location and position
    broken: dict[str, Fault] = field(default_factory=dict)  # locations of sources that cannot be read
    archive: dict[int, Relation] = field(default_factory=dict)  # every snapshot ever, for the oracle only
    writes: dict[str, int] = field(default_factory=dict)  # how often each file was written, for the oracle only
    modes: dict[CommitId, Mode] = field(default_factory=dict)  # how each batch wrote, for the oracle only
    numbers: "count[int]" = field(default_factory=lambda: count(1))
    written: dict[str, tuple[TableName, str | None]] = field(default_factory=dict)  # pointer: its folder, and its base
    renamed: dict[str, str] = field(default_factory=dict)  # names that models had: what they are called now
    definitions: dict[str, CatalogView] = field(default_factory=dict)  # of views, by their pointers
    purged: set[str] = field(default_factory=set)  # pointers of tables that were dropped with their files

    # Tables

    def pointers(self) -> Pointers:
        """Return where every table is."""
        with self.catalog.reading() as transaction:
            return self.catalog.pointers(transaction)

    def pointer(self, table: TableName) -> str | None:
        """Return the pointer of a table or a stage."""
        with self.catalog.reading() as transaction:
            return self.catalog.pointer(transaction, table)

    def views(self) -> dict[TableName, CatalogView]:
        """Return every view of the catalog."""
        with self.catalog.reading() as transaction:
            found = self.catalog.views(transaction)
        return {name: self.definitions[pointer] for name, pointer in found.items()}

    def define(self, commit: CommitId, view: CatalogView) -> str:
        """Write the definition of a view aside, and return its pointer."""
        pointer = f"{VIEW}{next(self.numbers)}"
        self.definitions[pointer] = view.replace(pointer=pointer)
        self.set_stage(commit, pointer)
        return pointer

    def set_stage(self, commit: CommitId, pointer: str) -> TableName:
        """Make the stage of a batch point at some metadata."""
        stage = stage_of(commit)
        self._register(stage, pointer)
        return stage

    def stages(self) -> tuple[CommitId, ...]:
        """Return the batches that have a stage."""
        with self.catalog.reading() as transaction:
            return self.catalog.stages(transaction)

    def _register(self, table: TableName, pointer: str) -> None:
        with self.catalog.writing() as transaction:
            self.catalog.register(transaction, table, pointer=pointer)

    def table(self, table: TableName) -> Metadata | None:
        """Return the metadata of a table."""
        pointer = self.pointer(table)
        return None if pointer is None else self.metadata[pointer]

    def home_of(self, pointer: str) -> TableName:
        """Return the folder of a table, which has the name that the table was created with."""
        return self.written[pointer][0]

    def free_home(self, table: TableName, mark: Mark) -> TableName:
        """Return a folder for a new table: its own name, unless a table that was renamed has that folder."""
        rows = self.pointers()
        is_used = any(self.home_of(pointer) == table for name, pointer in rows.items() if name != table)
        left = next((item.mark for item in self.found({}, {}) if item.table == table), None)
        is_used |= left is not None and left.owner != mark.owner
        return TableName(f"{table}__{mark.commit}") if is_used else table

    def place(self, model: str, target: TableName) -> TableName:
        """Return the name that the table of a model has now, or will have: models of all projects differ in name.

        Where it has none, and another table has the name that it will have, no table has the name that is returned.
        """
        rows = self.pointers()
        marks = {table: self.metadata[pointer].mark for table, pointer in sorted(rows.items())}
        own = [table for table, mark in marks.items() if self.is_of(mark, model) and not is_quarantine(table)]
        if own:
            return target if target in own else max(own, key=lambda table: _token(marks[table]))
        return target if marks.get(target) is None else TableName(f"nowhere.{model}")

    def is_of(self, mark: Mark | None, model: str) -> bool:
        """Return whether a mark was made by a model, under whatever name it had."""
        return mark is not None and self.renamed.get(mark.model, mark.model) == model

    def quarantine_place(self, model: str, target: TableName) -> TableName:
        """Return the name that the quarantine of a model's table has now; no table has it where there is none."""
        marks = {table: self.metadata[pointer].mark for table, pointer in self.pointers().items()}
        own = sorted(table for table, mark in marks.items() if self.is_of(mark, model) and is_quarantine(table))
        wanted = quarantine_of(self.place(model, target))
        return wanted if wanted in own else next(iter(own), quarantine_of(TableName(f"nowhere.{model}")))

    def write(self, metadata: Metadata, home: TableName, base: str | None) -> str:
        """Write a metadata object that follows another one of its table, and return its pointer."""
        pointer = f"mem:{next(self.numbers)}"
        self.written[pointer] = home, base
        self.metadata[pointer] = metadata
        self.archive[metadata.current] = metadata.head.relation
        return pointer

    def swing(self, table: TableName, metadata: Metadata) -> None:
        """Point a table at new metadata, as any other writer of the catalog would."""
        before = self.pointer(table)
        home = table if before is None else self.home_of(before)
        self._register(table, self.write(metadata, home, before))

    def commit(self, table: TableName, relation: Relation, operation: Operation) -> None:
        """Commit rows to a table from outside lamina."""
        metadata = self.table(table)
        parent = None if metadata is None else metadata.current
        layout = "" if metadata is None else metadata.head.layout
        snapshot = Snapshot(next(self.numbers), parent, relation, operation, layout=layout)
        kept = () if metadata is None else metadata.snapshots
        before = Metadata(snapshot.number, ()) if metadata is None else metadata
        self.swing(table, replace(before, current=snapshot.number, snapshots=(*kept, snapshot)))

    def set_property(self, table: TableName) -> None:
        """Move a table's pointer without a new version."""
        metadata = self.table(table)
        if metadata is not None:
            self.swing(table, metadata)

    def compact(self, table: TableName) -> None:
        """Rewrite a table's files and keep its rows."""
        metadata = self.table(table)
        if metadata is not None:
            rows = tuple(sorted(metadata.head.relation.rows, key=repr))
            self.commit(table, Relation(metadata.head.relation.columns, rows), "replace")

    def roll_back(self, table: TableName, steps: int) -> None:
        """Make an older snapshot the current one, as an operator would; properties stay."""
        metadata = self.table(table)
        if metadata is not None:
            chain = metadata.ancestry()
            self.swing(table, replace(metadata, current=chain[min(steps, len(chain) - 1)].number))

    def expire(self, table: TableName, keep: int) -> None:
        """Forget all but the newest snapshots of the main ancestry."""
        metadata = self.table(table)
        if metadata is not None:
            self.swing(table, replace(metadata, snapshots=tuple(reversed(metadata.ancestry()[:keep]))))

    def is_lost(self, table: TableName) -> bool:
        """Return whether files of a table are lost."""
        return self.lost_file(table) is not None

    def lost_file(self, table: TableName) -> str | None:
        """Return the pointer of a table whose files are lost."""
        pointer = self.pointer(table)
        return pointer if pointer in self.lost else None

    def drop(self, table: TableName) -> None:
        """Drop a table or a stage, and leave its files."""
        with self.catalog.writing() as transaction:
            self.catalog.drop(transaction, table)

    def purge(self, table: TableName) -> None:
        """Drop a table with its files."""
        pointer = self.pointer(table)
        assert pointer is not None, "only a table that is there is purged"
        self.drop(table)
        gone = self.home_of(pointer)
        self.purged |= {pointer for pointer, (home, _) in self.written.items() if home == gone}

    # What is left without the catalog

    def line(self, pointer: str) -> tuple[str, ...]:
        """Return a pointer and all those before it, newest first."""
        line: list[str] = []
        at: str | None = pointer
        while at is not None:
            line.append(at)
            at = self.written[at][1]
        return tuple(line)

    def found(self, known: dict[TableName, str], dropped: dict[TableName, int]) -> tuple[FoundTable, ...]:
        """Return every table at its published head, as the files in its folder show it; all names are of folders."""
        files: dict[TableName, list[MetadataFile]] = {}
        for pointer, (home, _) in self.written.items():
            if pointer not in self.purged:
                files.setdefault(home, []).append(self._file(pointer))
        heads = {
            home: published_head(items, known=known.get(home), dropped=dropped.get(home))
            for home, items in files.items()
        }
        return paired((self._found(home, head) for home, head in heads.items()), self.quarantine)

    def quarantine(self, of: FoundTable) -> FoundTable | None:
        """Return the quarantine of a table at the version that belongs to it, both by their folders."""
        at, commit = quarantine_of(of.table), None if of.mark is None else of.mark.coverage.quarantine
        own = (pointer for pointer, (home, _) in self.written.items() if home == at and pointer not in self.purged)
        return self._found(at, quarantine_head(map(self._file, own), commit=commit))

    def _found(self, home: TableName, head: MetadataFile | None) -> FoundTable | None:
        if head is None:
            return None
        return FoundTable(home, head.name, location="", mark=self.metadata[head.name].mark, updated=head.updated)

    def finished(self, pointer: str) -> Iterator[tuple[str, str]]:
        """Yield the finished versions of a table up to one, with the commits that they carry, newest first."""
        for version in self.line(pointer):
            metadata = self.metadata[version]
            if metadata.mark is not None and _kind_of(metadata) != "unfinished":
                yield version, metadata.mark.commit

    def _file(self, pointer: str) -> MetadataFile:
        metadata = self.metadata[pointer]
        return MetadataFile(
            name=pointer,
            log=tuple(reversed(self.line(pointer)[1:])),
            kind=_kind_of(metadata),
            token=0 if metadata.mark is None else metadata.mark.token,
            updated=int(pointer.removeprefix("mem:")),
            commit="" if metadata.mark is None else metadata.mark.commit,
        )

    # Files

    def put_file(self, location: str, name: str, *, relation: Relation) -> None:
        """Write a file, or another version of it."""
        version = next(self.numbers)
        self.contents[version] = relation
        self.writes[name] = self.writes.get(name, 0) + 1
        self.folders.setdefault(location, {})[name] = version

    def remove_file(self, location: str, name: str) -> None:
        """Delete a file."""
        self.folders[location].pop(name, None)

    def manifest(self, location: str) -> Position:
        """Return the position of a folder: the hash of its list of files, which is remembered."""
        files = dict(self.folders.get(location, {}))
        position = Position(content_hash(files))
        self.manifests[position] = files
        return position

    def is_current(self, location: str, position: Position) -> bool:
        """Return whether every file of a manifest is still there, unchanged."""
        files = self.folders.get(location, {})
        return all(files.get(name) == version for name, version in self.manifests[position].items())

    def file_rows(self, versions: Iterable[int], *, columns: tuple[str, ...]) -> Relation:
        """Return the rows of files."""
        return Relation(columns, tuple(row for version in versions for row in self.contents[version].rows))


def _kind_of(metadata: Metadata) -> Kind:
    """Say who wrote a metadata object last: a finished batch, a stage under way, or others."""
    touch = metadata.touch
    if touch is not None and touch.position == metadata.head.position:
        return "sealed"
    if metadata.head.mark is None:
        return "foreign"
    if touch is None:
        return "unfinished"
    return "foreign" if _is_rolled_back(metadata, touch.position) else "unfinished"


def _is_rolled_back(metadata: Metadata, published: Position) -> bool:
    return metadata.head.number < int(published)


def bag(relation: Relation) -> Counter[Row]:
    """Return rows as a multiset."""
    return Counter(relation.rows)


def _token(mark: Mark | None) -> int:
    return -1 if mark is None else mark.token
