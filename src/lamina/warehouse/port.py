"""The port to the tables: few operations, no SQL text; Spark implements it, and rows in memory do for simulation."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Protocol

from lamina.compiler.graph import CompiledModel
from lamina.project.model import CheckSettings
from lamina.project.source import SourceTable
from lamina.values.batch import Batch, CheckResult, Diff, DiffQuestion, Move, RowsQuestion, Staged
from lamina.values.coverage import Mark
from lamina.values.facts import CatalogView, Head, Version
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, CommitId, Position, TableName
from lamina.values.result import Detection
from lamina.values.touch import Extent, Refinement, Touch
from lamina.values.value import Value

Pins = Mapping[TableName, Position]  # versions that inputs are to be read at
NO_PINS: Pins = MappingProxyType({})


class History(Value, frozen=True):
    """A managed table's main ancestry after a recorded version, oldest first.

    `is_linked` is false when the recorded version is not an ancestor of the head: then all known versions are listed.
    """

    versions: tuple[Version, ...]
    is_linked: bool
    mark: "Mark | None"  # the newest mark in the ancestry, also when its snapshot expired


class Comparison(Value, frozen=True):
    """A table's slices against a recompute over pinned inputs, as multisets."""

    rows_expected: int
    rows_actual: int
    missing: int
    extra: int
    retained: int = 0
    examples: tuple[str, ...] = ()  # differing rows, readable
    unverifiable: str | None = None  # why the inputs cannot be read as they were
    notes: tuple[str, ...] = ()  # what was left out, and why that is no difference


class SourceComparison(Value, frozen=True):
    """The rows of a source at two positions, compared by checksums for what its readers read."""

    refinements: tuple[Refinement, ...] = ()
    detection: Detection | None = None  # of partitions, where a source is detected by them
    note: str = ""  # what was seen in words, and why something could not be compared


class Warehouse(Protocol):
    """What the executor asks of the tables; looking must not start a JVM, unless rows of a source are compared."""

    def heads(self, tables: Sequence[TableName]) -> dict[TableName, Head]:
        """Return the current heads of managed tables, cheaply."""

    def source_heads(self, sources: Sequence[SourceTable], pins: Pins = NO_PINS) -> dict[TableName, Head]:
        """Return the current heads of sources; a pinned one as of its pin, if it can still be read like that."""

    def changes(
        self, source: SourceTable, since: Position, *, columns: tuple[ColumnName, ...], until: Position | None = None
    ) -> tuple[Touch, ...]:
        """Return what changed in a source after `since`, with ranges of the named time columns where they show.

        Changes after `until`, a head of the source, are left for later; None is the head as it is now.
        """

    def compare_source(
        self,
        source: SourceTable,
        since: Position,
        *,
        until: Position,
        extent: Extent,
        questions: tuple[DiffQuestion, ...],
    ) -> SourceComparison:
        """Compare the rows of a source at two positions, between which at most `extent` changed.

        Rows of a position are read once, and not at all where its checksums are kept already.
        """

    def detection(self, source: SourceTable, since: Position | None, *, until: Position) -> Detection:
        """Return which files or versions of a source are new, changed or removed since one; None: all are new."""

    def is_emptied(self, source: SourceTable, since: Position, *, until: Position) -> bool:
        """Return whether a listing of a source is empty that was not, or is not known, at an earlier position.

        A version of a table is what its owner committed: it may have no rows, and is never emptied in this sense.
        """

    def may_hold(self, question: RowsQuestion) -> bool:
        """Return whether a version of an input may have rows in a range; so it may where its files do not say."""

    def newest(self, name: TableName, column: ColumnName, *, zone: str) -> datetime | None:
        """Return the latest time in a column of a model or source as it is now; None where no row has one.

        A date is the midnight it begins with in the zone. Rows are read only where files do not say it.
        """

    def pointers(self) -> dict[TableName, str]:
        """Return where the metadata of every table of the catalog is."""

    def history(self, table: TableName, since: Position | None, *, model: CompiledModel | None = None) -> History:
        """Return the ancestry of a managed table after a recorded version; `model` is whose it is."""

    def lost_file(self, table: TableName) -> str | None:
        """Return a file of a managed table's current version that is missing or damaged; None if there is none.

        This looks at every file, so it is asked where reading failed, or where it failed before.
        """

    def left_mark(self, table: TableName, pointer: str | None) -> "Mark | None":
        """Return the mark of a table without a row in the catalog, if its files are there; `pointer` was its row's."""

    def home_of(self, pointer: str) -> TableName:
        """Return the name of the folder that a table's files are in: the name that the table was created with."""

    def mark_again(self, table: TableName, *, token: int) -> tuple[str, str] | None:
        """Write metadata in which the mark of a table has the names that models have now; nothing points at it yet.

        It gets the token of the run: an earlier table of that name that was dropped is older then. Return where the
        table is and where the new metadata is; None where its mark has these names, or cannot be read.
        """

    def remove_files(self, table: TableName, pointer: str) -> None:
        """Remove the files of a table that was just dropped, as far as no other table has them."""

    def open(self) -> None:
        """Get ready to write, which may take seconds; looking needs none of it."""

    def stage(self, batch: Batch, model: CompiledModel, mark: Mark) -> Staged:
        """Write a batch aside on its base, with the mark in its snapshot; readers see nothing."""

    def check(
        self,
        staged: Staged,
        model: CompiledModel,
        *,
        outdated: tuple[Interval, ...],
        unproven: tuple[CheckSettings, ...],
        execution_time: datetime,
    ) -> tuple[CheckResult, ...]:
        """Run the model's checks over the staged rows; rows of `outdated` slices will be replaced and do not stay.

        A key of the table is looked up for new rows only, that of an `unproven` check for all rows that stay.
        """

    def check_table(self, model: CompiledModel, *, execution_time: datetime) -> tuple[CheckResult, ...]:
        """Run the model's checks over all rows of its published table."""

    def diff(self, staged: Staged, questions: tuple[DiffQuestion, ...]) -> Diff:
        """Compare the slices of the base with the staged ones."""

    def prepare_publish(self, staged: Staged, mark: Mark, touch: Touch) -> Move:
        """Write the late facts onto the stage and return the pointer move that publishes it."""

    def prepare_beside(self, staged: Staged, mark: Mark, touch: Touch) -> tuple[Move, ...]:
        """Write the late facts onto what is staged beside a batch, and return the pointer moves that publish it.

        Called before the batch itself is prepared: its finished stage shows that those beside it are finished too.
        """

    def prepare_mark(self, staged: Staged, mark: Mark, touch: Touch) -> tuple[Staged, Move]:
        """Stage a snapshot without files in place of an equal result, and return the pointer move that publishes it."""

    def views(self, tables: Sequence[TableName] | None = None) -> dict[TableName, CatalogView]:
        """Return the views of the catalog among some names, or all of them."""

    def stage_view(self, model: CompiledModel, commit: CommitId, *, base: str | None, view: CatalogView) -> Move:
        """Define a view aside, for the tables as they are; return the pointer move that puts it in its place."""

    def discard(self, commit: CommitId) -> None:
        """Forget an abandoned stage, and what is staged beside it; their files are orphans, shared ones stay."""

    def compare(
        self, model: CompiledModel, slices: tuple[Interval, ...], pins: dict[TableName, Position]
    ) -> Comparison:
        """Recompute slices over pinned inputs and compare them with the table."""

    def close(self) -> None:
        """Release what is held, such as a Spark session."""
