"""Rows and values that only a table holds: found before it is built again, and put beside what its query gives."""

from typing import TYPE_CHECKING

from lamina.compiler.graph import CompiledModel
from lamina.strategies.kept import held_columns
from lamina.strategies.traits import Upsert
from lamina.values.batch import Batch
from lamina.values.names import ColumnName, folded, folded_names
from lamina.values.schema import Column, Schema
from lamina.values.words import counted, listed
from lamina.warehouse.iceberg.metadata import Metadata
from lamina.warehouse.sources.table_frames import read_snapshot
from lamina.warehouse.spark.drift import DriftLosesHistory, KeptRowsCollide, KeptRowsMixed
from lamina.warehouse.spark.evolve import can_cast, evolve
from lamina.warehouse.spark.ranges import rows_inside
from lamina.warehouse.spark.writes import conform, same_keys
from lamina.warehouse.sql import quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_IS_HELD = "lamina__is_held"


class Carry:
    """What a rebuild of one table carries over; nothing where the batch says so."""

    def __init__(
        self, session: "SparkSession", *, stage: str, model: CompiledModel, batch: Batch, base: Metadata
    ) -> None:
        self._session = session
        self._stage = stage
        self._model = model
        self._batch = batch
        self._base = base
        self.rows: DataFrame | None = None
        self.count = 0
        self._former: set[str] = set()  # columns that left the query

    @property
    def can_matter(self) -> bool:
        """Return whether the table may hold something that its query does not give."""
        return self._model.traits.can_hold_more and bool(self._batch.carried) and self._base.position is not None

    def older(self) -> "DataFrame | None":
        """Return the table that rows are taken over from; None where nothing is."""
        return self._older() if self.can_matter else None

    def find(self, result: "DataFrame") -> None:
        """Find the rows of the table that a result has no successor for."""
        found = self._kept_rows(result) if self.can_matter else None
        # Cut off from the table, which is replaced before they are written.
        self.rows = None if found is None else found.localCheckpoint()
        self.count = 0 if self.rows is None else self.rows.count()

    def valued(self, columns: Schema) -> Schema:
        """Return those of some columns that left the query in which rows to carry over have values.

        All other rows are null there: a value of before would not belong to what the query gives.
        """
        self._former = {folded(column.name) for column in columns}
        if self.rows is None:
            return ()
        there = folded_names(self.rows.columns)
        held = tuple(column for column in columns if folded(column.name) in there)
        if not held:
            return ()
        (counts,) = self.rows.selectExpr(*(f"count({quote(column.name)})" for column in held)).collect()
        return tuple(column for column, count in zip(held, counts, strict=True) if count)

    def require_types(self, columns: Schema, given: tuple[ColumnName, ...]) -> None:
        """Raise where what is carried cannot take the types of the new table."""
        change = evolve(self._base.columns, columns)
        if not self.can_matter or can_cast(change.mismatched):
            return
        if self.count:
            rows = f"{counted(self.count, 'row')} that its query no longer gives"
            raise DriftLosesHistory(self._model.name, change.mismatched, held=rows)
        held = {folded(name) for name in self._held(columns, given)}
        lost = tuple(item for item in change.mismatched if folded(item.column) in held)
        if lost:
            values = f"values of {listed(item.column for item in lost)} that its query does not replace"
            raise DriftLosesHistory(self._model.name, lost, held=values)

    def beside(self, produced: "DataFrame", columns: Schema, given: tuple[ColumnName, ...]) -> "DataFrame":
        """Return the rows of a whole table: what was produced, with what the table holds of it and beside it."""
        held = self._held(columns, given) if self.can_matter else ()
        rows = self._with_held_values(produced, columns, held) if held else produced
        return rows.unionByName(conform(self.rows, columns)) if self.rows is not None and self.count else rows

    def _older(self) -> "DataFrame":
        """Return the table before the batch, and before any foreign write; raise where that version has expired."""
        own = self._batch.carried_from
        if own is not None and own not in self._base.snapshots:
            raise KeptRowsMixed(self._model.name)
        chosen = own or self._base.position
        assert chosen is not None, "asked only where there is a version"
        return read_snapshot(self._session, self._stage, chosen)

    def _kept_rows(self, result: "DataFrame") -> "DataFrame | None":
        traits = self._model.traits
        if traits.slices is None and not traits.kept_by:
            return None
        older = self._older()
        if traits.slices is not None:
            self._require_columns(older, (traits.slices.time_column,))
            return rows_inside(older, self._model, self._batch.carried)
        if traits.versions is not None and traits.versions.updated_at is None:
            return older  # without times of their own, rows stay as they were seen
        keys = self._require_columns(older, traits.kept_by if traits.versions is None else traits.telling)
        if not keys:
            return None
        from pyspark.sql import functions

        mine, theirs = older.alias("target"), result.alias("source")
        kept = mine.join(theirs, functions.expr(_same_rows(older, result, keys)), "left_anti")
        if traits.upsert is not None:
            self._require_one_per_key(kept, traits.upsert)
        return kept

    def _require_columns(self, older: "DataFrame", names: tuple[ColumnName, ...]) -> tuple[ColumnName, ...]:
        """Return those of the identifying columns that the table has; raise where it has none of them."""
        there = folded_names(older.columns)
        known = tuple(name for name in names if folded(name) in there)
        if names and not known and not older.isEmpty():
            raise KeptRowsCollide(self._model.name, f"they have no column {listed(names)}")
        return known

    def _require_one_per_key(self, kept: "DataFrame", upsert: Upsert) -> None:
        """Raise where rows to carry over would be one under the key, which may be another than they were kept by."""
        there = folded_names(kept.columns)
        keys = [name for name in upsert.key if folded(name) in there]
        twice = kept.groupBy(*(quote(name) for name in keys)).count().where("`count` > 1")
        if not twice.isEmpty():
            raise KeptRowsCollide(self._model.name, f"several of them have the same {listed(upsert.key)}")

    def _held(self, columns: Schema, given: tuple[ColumnName, ...]) -> tuple[ColumnName, ...]:
        there = {folded(column.name) for column in self._base.columns} - self._former
        names = tuple(column.name for column in columns if folded(column.name) in there)
        return held_columns(self._model.traits.upsert, names, given)

    def _with_held_values(self, produced: "DataFrame", columns: Schema, held: tuple[ColumnName, ...]) -> "DataFrame":
        from pyspark.sql import functions

        upsert = self._model.traits.upsert
        assert upsert is not None, "no other strategy holds values of rows that come again"
        older = self._older()
        keys = self._require_columns(older, upsert.key)
        if not keys:
            return produced
        marked = older.dropDuplicates(list(keys)).withColumn(_IS_HELD, functions.expr("true"))
        met = functions.expr(_same_rows(older, produced, keys))
        joined = produced.alias("source").join(marked.alias("target"), met, "left")
        return joined.selectExpr(*(_chosen(column, is_held=column.name in held) for column in columns))


def without(staged: "DataFrame", carried: "DataFrame", model: CompiledModel) -> "DataFrame":
    """Return the rows of a stage that its query gave: all but those of keys that were carried over."""
    from pyspark.sql import functions

    there = folded_names(carried.columns)
    keys = tuple(name for name in model.traits.kept_by if folded(name) in there)
    met = functions.expr(_same_rows(staged, carried, keys))
    return staged.alias("target").join(carried.alias("source"), met, "left_anti") if keys else staged


def _chosen(column: Column, *, is_held: bool) -> str:
    name = quote(column.name)
    held = f"CAST(target.{name} AS {column.type})"
    value = f"CASE WHEN target.{_IS_HELD} THEN {held} ELSE source.{name} END" if is_held else f"source.{name}"
    return f"{value} AS {name}"


def _same_rows(older: "DataFrame", result: "DataFrame", keys: tuple[ColumnName, ...]) -> str:
    """Compare the keys of two frames; as text where their types differ, since a cast could fail or join others."""
    before = {folded(name): kind for name, kind in older.dtypes}
    after = {folded(name): kind for name, kind in result.dtypes}
    return " AND ".join(
        same_keys((key,)) if before[folded(key)] == after[folded(key)] else _same_text(key) for key in keys
    )


def _same_text(key: str) -> str:
    return f"CAST(target.{quote(key)} AS STRING) <=> CAST(source.{quote(key)} AS STRING)"
