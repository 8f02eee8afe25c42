"""Compare a source at two positions by checksums; each position is read at most once, by whoever needs it first."""

import threading
from collections.abc import Iterable
from typing import Protocol

from lamina.project.source import SourceTable
from lamina.values.batch import DiffQuestion
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Position, folded_names
from lamina.values.result import Detection
from lamina.values.schema import Schema
from lamina.values.source_sums import FORM, Grouping, SourceSums
from lamina.values.touch import Extent, Nothing
from lamina.values.words import counted, listed
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.port import SourceComparison
from lamina.warehouse.spark.checksum import is_hashable
from lamina.warehouse.spark.compared_sums import PartitionChanges, partition_changes, refinements_of
from lamina.warehouse.spark.source_sums import (
    SumsPlan,
    carry_over,
    is_enough,
    joined_plan,
    partitioned_by,
    plan_sums,
    touched_spans,
)

Questions = tuple[DiffQuestion, ...]


class SummableRows(Protocol):
    """The rows of a source at one position, as its kind offers them; nothing is read before they are summed."""

    @property
    def columns(self) -> Schema:
        """Return all columns, with names in lower case."""

    def sum(self, plan: SumsPlan, spans: tuple[Interval, ...] | None) -> tuple[Grouping, ...]:
        """Return checksums of the rows, of some ranges and of those without a time, or of all; raise if they moved."""


class SourceSumming(Protocol):
    """What a comparison needs of the tables: checksums that are kept by position, and rows where there are none."""

    def load(self, source: SourceTable, position: Position, /) -> SourceSums | None:
        """Return the checksums of a position, if they are kept."""

    def store(self, source: SourceTable, position: Position, sums: SourceSums, /) -> None:
        """Keep the checksums of a position."""

    def read(self, source: SourceTable, position: Position, /) -> SummableRows:
        """Return the rows at a position; raise a `WarehouseFailure` where they cannot be read as they were."""


class SourceComparer:
    """Compares sources, one after another: batches of several models may have read the same one at once."""

    def __init__(self, summing: SourceSumming) -> None:
        self._summing = summing
        self._one_at_a_time = threading.Lock()

    def keep(self, source: SourceTable, position: Position, questions: Questions) -> None:
        """Keep the checksums of what a batch has read, so that a later position can be compared with it."""
        self._tried(source, position, questions)

    def compare(
        self, source: SourceTable, since: Position, *, until: Position, extent: Extent, questions: Questions
    ) -> SourceComparison:
        """Return where rows differ for each question; without sums of both positions nothing is proven."""
        if isinstance(extent, Nothing):
            # The same rows in other files.
            if (same := self._summing.load(source, since)) is not None:
                self._summing.store(source, until, same)
            return SourceComparison()
        # Where it can still be read, an earlier position is summed late, as for a reader of other columns.
        earlier, _ = self._tried(source, since, questions)
        before = earlier or self._summing.load(source, since)
        after, fault = self._tried(source, until, questions, before=before, extent=extent)
        if after is None:
            return SourceComparison(note=f"not compared: {fault}")
        changes = partition_changes(before, after, partitioned_by(source)) if source.detect == "checksum" else None
        return SourceComparison(
            refinements=() if before is None else refinements_of(before, after, questions),
            detection=None if changes is None else _detection(source, changes),
            note=_note(changes, _uncomparable(after.columns, questions), is_known=before is not None),
        )

    def _tried(
        self,
        source: SourceTable,
        position: Position,
        questions: Questions,
        *,
        before: SourceSums | None = None,
        extent: Extent | None = None,
    ) -> tuple[SourceSums | None, str]:
        """Return the sums at a position, or why there are none: a batch that reads the rows meets what is wrong."""
        try:
            with self._one_at_a_time:
                return self._sums_at(source, position, questions, before=before, extent=extent), ""
        except WarehouseFailure as error:
            if error.kind == "interrupted":
                raise
            return None, error.message

    def _sums_at(
        self,
        source: SourceTable,
        position: Position,
        questions: Questions,
        *,
        before: SourceSums | None,
        extent: Extent | None,
    ) -> SourceSums:
        kept = self._summing.load(source, position)
        if kept is not None and is_enough(kept, plan_sums(source, kept.columns, questions)):
            return kept
        rows = self._summing.read(source, position)
        plan = joined_plan(plan_sums(source, rows.columns, questions), kept)
        spans = None if before is None or extent is None else touched_spans(plan, before, extent)
        groupings = rows.sum(plan, spans)
        if before is not None and spans is not None:
            groupings = carry_over(before, groupings[0], plan, spans)
        sums = SourceSums(form=FORM, columns=plan.columns, sets=plan.sets, groupings=groupings)
        self._summing.store(source, position, sums)
        return sums


def _detection(source: SourceTable, changes: PartitionChanges) -> Detection:
    return Detection(
        input=source.name,
        detector="checksum",
        changed=changes.changed,
        added=changes.added,
        removed=changes.removed,
        unchanged=changes.unchanged,
    )


def _uncomparable(columns: Schema, questions: Iterable[DiffQuestion]) -> tuple[ColumnName, ...]:
    """Return the columns that are read and cannot be compared."""
    asked = tuple(questions)
    read = folded_names(name for question in asked for name in question.columns or ())
    nested = (column.name for column in columns if not is_hashable(column.type))
    return tuple(name for name in nested if name in read or any(question.columns is None for question in asked))


def _note(changes: PartitionChanges | None, nested: tuple[ColumnName, ...], *, is_known: bool) -> str:
    """Say what was seen, and what could not be seen."""
    if not is_known:
        return "nothing to compare with yet, so every partition counts as changed"
    found = changes or PartitionChanges()
    counts = (("changed", found.changed), ("added", found.added), ("removed", found.removed))
    seen = ", ".join(f"{counted(len(names), 'partition')} {word}" for word, names in counts if names)
    if not nested:
        return seen
    return f"{seen or 'rows changed'}; {listed(nested)} cannot be compared, so any change reaches its readers"
