"""Staging: a second catalog row for the same table, or the first one of a new table, written with ordinary Spark."""

import re
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from lamina.compiler.graph import CompiledModel
from lamina.strategies.traits import Slices
from lamina.values import codec
from lamina.values.batch import Batch, Counts
from lamina.values.coverage import Mark
from lamina.values.drift import Drift
from lamina.values.names import ColumnName, TableName, folded
from lamina.values.schema import Column, DataType, Schema
from lamina.warehouse.catalog.port import stage_of
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.iceberg.homes import free_home, home_of
from lamina.warehouse.iceberg.layout import wanted_layout
from lamina.warehouse.iceberg.metadata import (
    DELETES_METADATA,
    MARK,
    PREDECESSOR,
    Metadata,
    Snapshot,
    local_path,
    read_metadata,
    write_properties,
)
from lamina.warehouse.iceberg.tables import Tables
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.sources.table_frames import read_snapshot
from lamina.warehouse.spark import writes
from lamina.warehouse.spark.carry import Carry
from lamina.warehouse.spark.drift import DriftForbidden, DriftRefused, NeededColumnGone
from lamina.warehouse.spark.evolve import (
    Evolution,
    can_cast,
    cast_columns,
    drift_of,
    drifted_columns,
    evolve,
    ignored_drift_of,
    is_same,
    kept_columns,
    lacking,
    must_follow,
    own_columns,
    updating,
    without_former,
)
from lamina.warehouse.spark.history_table import history_properties, is_other_history, with_validity
from lamina.warehouse.spark.ranges import TimeRange, is_aligned, time_ranges
from lamina.warehouse.spark.version_events import Fold
from lamina.warehouse.spark.version_history import fold_history
from lamina.warehouse.spark.whole_columns import former_columns, is_same_code, whole_columns
from lamina.warehouse.sql import quote, quote_all, relation, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# Several processes may commit into one SQLite file at once.
_TABLE_PROPERTIES = {
    "commit.retry.num-retries": "20",
    "commit.retry.min-wait-ms": "50",
    DELETES_METADATA: "false",
}
# The type of a null without a type, also inside others; not a field of that name.
_VOID = re.compile(r"(^|[<:,])void($|[>,])")

Write = Callable[["DataFrame", str, dict[str, str]], None]


class Stage:
    """Writes one batch aside in one session."""

    def __init__(
        self,
        session: "SparkSession",
        *,
        settings: WarehouseSettings,
        tables: Tables,
        model: CompiledModel,
        batch: Batch,
        home: TableName | None = None,
        replaced: TimeRange | None = None,
    ) -> None:
        self._session = session
        self._settings = settings
        self._tables = tables
        self._model = model
        self._batch = batch
        self._home = home
        self._replaced = replaced  # rows at this one time, which an append puts new ones in the place of
        self._name = stage_of(batch.commit)
        self._relation = relation(settings.catalog, self._name)
        self.drift: tuple[Drift, ...] = ()
        self.retained: int | None = None  # rows that only the table holds, where the batch knows
        self.former: tuple[ColumnName, ...] = ()  # columns that left the query, kept for such rows
        self.is_relaid = False  # in another layout than the base
        self.carried: DataFrame | None = None  # rows that a rebuild carried over

    def write(self, result: "DataFrame", mark: Mark) -> Counts:
        """Write a result in the batch's mode and return what the commit counted."""
        base, properties = self._begin(mark)
        columns = with_validity(self._model, _columns(self._model, result))
        if gone := lacking(self._model.traits.telling, columns):
            raise NeededColumnGone(self._model.name, gone)
        if base is None:
            self._create(columns, "CREATE TABLE", location=self._location(mark))
            if self._model.traits.versions is not None:
                return self._write_history(None, result, properties, writes.append)
            self.retained = 0
            return self._write_whole(result, properties, writes.append)
        if self._batch.mode == "replace_all":
            return self._replace_all(result, base, columns, properties)
        self._evolve(base, columns, properties)
        return self._write_into(result, base, properties)

    def rewrite(self, mark: Mark) -> Counts:
        """Write the rows that are there in the layout that the model asks for, and nothing where they have it."""
        base, properties = self._begin(mark)
        if base is None or base.position is None:
            raise WarehouseFailure(f"`{self._model.name}` has no rows to write again", kind="internal")
        older = read_snapshot(self._session, self._relation, base.position)
        self.is_relaid = not self._has_layout(base, base.columns)
        if not self.is_relaid:
            writes.append(older.limit(0), self._relation, properties)
            return Counts()
        self._create(base.columns, "CREATE OR REPLACE TABLE")
        older = read_snapshot(self._session, self._relation, base.position)
        writes.append(writes.conform(older, self.metadata().columns), self._relation, properties)
        snapshot = self._snapshot()
        return Counts(copied=snapshot.count("added-records"), bytes_written=snapshot.count("added-files-size"))

    def _begin(self, mark: Mark) -> tuple[Metadata | None, dict[str, str]]:
        """Put the stage on its base; return that, and the properties of the commit."""
        pointer = None if self._batch.is_base_lost else self._batch.base
        base = None if pointer is None else read_metadata(pointer)
        if base is not None and base.properties.get(DELETES_METADATA, "false").lower() == "true":
            # A commit on the stage would delete old metadata files, and the live pointer names one of them.
            pointer = write_properties(base.pointer, {DELETES_METADATA: "false"})
        self._tables.set_stage(self._batch.commit, pointer)
        properties = {MARK: codec.to_json(mark).decode()}
        if base is not None and base.position is not None:
            properties[PREDECESSOR] = base.position
        return base, properties

    def metadata(self) -> Metadata:
        """Return the stage's metadata as it is now."""
        return self._tables.metadata(self._name)

    def _replace_all(self, result: "DataFrame", base: Metadata, columns: Schema, properties: dict[str, str]) -> Counts:
        is_other = is_other_history(self._model, base, is_carried=bool(self._batch.carried))
        batch = self._batch.replace(carried=()) if is_other else self._batch
        carry = Carry(self._session, stage=self._relation, model=self._model, batch=batch, base=base)
        if carry.can_matter and self._model.traits.kept_by:
            # Evaluated once: what it lacks and what it gives must be seen of the same rows.
            result = result.localCheckpoint()
        carry.find(result)
        given = tuple(column.name for column in columns)
        followed = whole_columns(
            self._model, base, columns, is_from_nothing=self._batch.is_from_nothing, valued=carry.valued
        )
        columns, self.drift, self.former = followed.columns, followed.drift, followed.former
        carry.require_types(columns, given)
        self.retained = carry.count if self._model.traits.kept_by else 0
        self.carried = carry.rows if carry.count else None
        self.is_relaid = not self._has_layout(base, columns)
        is_made_again = self.is_relaid or is_other or not is_same(base.columns, columns)
        if self._model.traits.versions is not None:
            if is_made_again:
                self._create(columns, "CREATE OR REPLACE TABLE")
            self.carried = None  # each row of a history is one of the batch
            write = writes.append if is_made_again else writes.overwrite_all
            return self._write_history(carry.older(), result, properties, write)
        if is_made_again:
            self._create(columns, "CREATE OR REPLACE TABLE")
            return self._write_whole(result, properties, writes.append, carry)
        return self._write_whole(result, properties, writes.overwrite_all, carry)

    def _has_layout(self, base: Metadata, columns: Schema) -> bool:
        """Return whether a table is laid out as the model asks for."""
        return base.layout == wanted_layout(self._model, columns) and base.sorting == self._model.settings.sorted_by

    def _write_whole(
        self, result: "DataFrame", properties: dict[str, str], write: Write, carry: Carry | None = None
    ) -> Counts:
        """Write all rows of a table that is built from nothing, as its strategy keeps them."""
        upsert, columns = self._model.traits.upsert, self.metadata().columns
        frame = writes.conform(self._guarded(result), columns)
        carried = 0 if carry is None else carry.count

        def put(rows: "DataFrame") -> None:
            given = tuple(ColumnName(name) for name in result.columns)
            write(rows if carry is None else carry.beside(rows, columns, given), self._relation, properties)

        if upsert is None:
            put(frame)
            return _plain_counts(self._snapshot(), 0, carried)
        if not upsert.order_by:
            put(writes.one_per_key(frame, upsert))
            return _plain_counts(self._snapshot(), 0, carried)
        # Kept, so that the rows which another one of their key outdoes are counted without asking the query twice.
        produced = frame.persist()
        try:
            rows = produced.count()
            put(writes.one_per_key(produced, upsert))
        finally:
            produced.unpersist()
        snapshot = self._snapshot()
        return _plain_counts(snapshot, rows + carried - snapshot.count("added-records"), carried)

    def _write_into(self, result: "DataFrame", base: Metadata, properties: dict[str, str]) -> Counts:
        columns = self.metadata().columns
        frame = writes.conform(result, columns)
        traits = self._model.traits
        match self._batch.mode:
            case "append" if self._replaced is not None:
                writes.replace_range(self._session, frame, self._relation, properties, ranges=(self._replaced,))
                return _range_counts(self._snapshot())
            case "append":
                writes.append(self._guarded(frame), self._relation, properties)
                return _plain_counts(self._snapshot(), 0)
            case "replace_slices" if traits.slices is not None:
                return self._replace_slices(frame, base, properties, traits.slices)
            case "merge" if traits.upsert is not None:
                merge = writes.merge_new if self._is_partial() else writes.merge_all
                own = own_columns(columns, result.columns)
                chosen = updating(traits.upsert, own, columns, former=self.former)
                # Of a whole source a row is written again also to take a value away that is not the query's.
                compared = own if self._is_partial() else (*own, *self.former)
                source = merge(self._session, frame, self._relation, properties, upsert=chosen, own=compared)
                if not self._is_partial():
                    self.retained = self._snapshot().count("total-records") - source.produced + source.duplicates
                return _merge_counts(self._snapshot(), source)
            case "snapshot" if traits.versions is not None:
                return self._merge_history(result, properties)
            case "delete_insert" if traits.partition_by:
                writes.delete_insert(self._session, frame, self._relation, properties, keys=traits.partition_by)
                counts = _range_counts(self._snapshot())
                self.retained = self._snapshot().count("total-records") - counts.inserted
                return counts
        raise WarehouseFailure(f"`{self._model.name}` cannot be written by {self._batch.mode}", kind="internal")

    def _write_history(
        self, older: "DataFrame | None", result: "DataFrame", properties: dict[str, str], write: Write
    ) -> Counts:
        """Write all rows of a history; `older` is what the table held of it."""
        columns = self.metadata().columns
        table = None if older is None else writes.conform(older, columns)
        history = fold_history(self._fold(columns), table, result)
        write(history.rows(), self._relation, properties)
        self.retained = history.retained
        snapshot = self._snapshot()
        counts = history.counts.replace(bytes_written=snapshot.count("added-files-size"))
        if table is None:
            return counts.replace(deleted=snapshot.count("deleted-records"))
        return counts.replace(carried=history.retained)

    def _merge_history(self, result: "DataFrame", properties: dict[str, str]) -> Counts:
        """Write what changes of a history."""
        metadata = self.metadata()
        table = None if metadata.position is None else self._read(metadata)
        history = fold_history(self._fold(metadata.columns), table, result)
        names = tuple(column.name for column in metadata.columns)
        key = self._model.traits.row_key
        writes.merge_changes(self._session, history.changes(), self._relation, properties, key=key, columns=names)
        self.retained = history.retained
        return history.counts.replace(bytes_written=self._snapshot().count("added-files-size"))

    def _read(self, metadata: Metadata) -> "DataFrame":
        assert metadata.position is not None, "asked only where there is a version"
        return writes.conform(read_snapshot(self._session, self._relation, metadata.position), metadata.columns)

    def _fold(self, columns: Schema) -> Fold:
        versions = self._model.traits.versions
        assert versions is not None, "asked only of a model that keeps versions"
        at = datetime.fromisoformat(self._batch.parameters["execution_time"])
        return Fold(model=self._model.name, versions=versions, columns=columns, at=at, former=self.former)

    def _replace_slices(self, frame: "DataFrame", base: Metadata, properties: dict[str, str], slices: Slices) -> Counts:
        kinds = {folded(column.name): column.type for column in base.columns}
        ranges = time_ranges(
            slices.time_column,
            kinds.get(folded(slices.time_column), "timestamp"),
            self._batch.slices,
            zone=self._model.settings.timezone,
        )
        guarded = writes.guard_range(frame, ranges)
        # Files written under another layout may cross any bound.
        if base.layouts == 1 and is_aligned(ranges, base.layout):
            writes.overwrite_range(guarded, self._relation, properties, ranges=ranges)
            return _plain_counts(self._snapshot(), 0)
        writes.replace_range(self._session, guarded, self._relation, properties, ranges=ranges)
        return _range_counts(self._snapshot())

    def _guarded(self, frame: "DataFrame") -> "DataFrame":
        slices = self._model.traits.slices
        if slices is None:
            return frame
        kinds = {folded(name): kind for name, kind in frame.dtypes}
        kind, zone = kinds[folded(slices.time_column)], self._model.settings.timezone
        return writes.guard_range(frame, time_ranges(slices.time_column, kind, self._batch.slices, zone=zone))

    def _create(self, columns: Schema, verb: str, *, location: str | None = None) -> None:
        """Create the table under the stage's name with its final location, without rows; in place, it has one."""
        if not columns:
            raise WarehouseFailure(f"the result of `{self._model.name}` has no columns", kind="query_rejected")
        self._tables.make_stage_namespace()
        layout = ", ".join(field.sql() for field in wanted_layout(self._model, columns))
        known = _TABLE_PROPERTIES | history_properties(self._model)
        properties = ", ".join(f"{text(key)} = {text(value)}" for key, value in known.items())
        description = self._model.settings.description
        statement = f"""
            {verb} {self._relation} ({", ".join(_definition(column) for column in columns)}) USING iceberg
            {f"PARTITIONED BY ({layout})" if layout else ""}
            {f"COMMENT {text(description)}" if description else ""}
            {f"LOCATION {text(location)}" if location is not None else ""}
            TBLPROPERTIES ({properties})"""
        self._session.sql(statement).collect()
        if self._model.settings.sorted_by:
            self._session.sql(
                f"ALTER TABLE {self._relation} WRITE ORDERED BY {quote_all(self._model.settings.sorted_by)}"
            ).collect()

    def home(self, mark: Mark) -> TableName:
        """Return the name of the folder that the table is in, or is created in."""
        warehouse, target = local_path(self._settings.warehouse), self._model.target
        if self._batch.base is not None and not self._batch.is_base_lost:
            return home_of(self._batch.base, warehouse)
        others = (pointer for table, pointer in self._tables.pointers().items() if table != target)
        return self._home or free_home(target, mark, warehouse=warehouse, others=others)

    def _location(self, mark: Mark) -> str:
        return str(local_path(self._settings.warehouse).joinpath(*self.home(mark).split(".")))

    def _evolve(self, base: Metadata, columns: Schema, properties: dict[str, str]) -> None:
        change = evolve(base.columns, columns)
        # New code has the columns it asks for: the policy is about an input that drifts under unchanged code.
        is_drift = base.mark is None or is_same_code(base.mark, self._model)
        policy = self._model.settings.on_drift if is_drift else "evolve"
        former = former_columns(base, change)
        self.former, change = tuple(column.name for column in former), without_former(change, former)
        if policy == "fail" and (drifted := drifted_columns(change)):
            raise DriftForbidden(self._model.name, drifted)
        describe = ignored_drift_of if policy == "ignore" else drift_of
        self.drift = describe(self._model.name, change, base.columns)
        change = must_follow(change) if policy == "ignore" else change
        if change.mismatched and not self._can_recast(change):
            raise DriftRefused(self._model.name, change.mismatched)
        if change.mismatched:
            followed = (*columns, *kept_columns(base.columns, change), *former)
            self._recast(base, cast_columns(base.columns, change) if policy == "ignore" else followed, properties)
            return
        if policy == "ignore":
            return
        if change.added:
            added = ", ".join(_definition(column) for column in change.added)
            self._session.sql(f"ALTER TABLE {self._relation} ADD COLUMNS ({added})").collect()
        for column in change.widened:
            self._session.sql(
                f"ALTER TABLE {self._relation} ALTER COLUMN {quote(column.name)} TYPE {column.type}"
            ).collect()

    def _is_partial(self) -> bool:
        """Return whether the batch reads the new rows of its driver only."""
        return any(pin.since is not None for pin in self._batch.pins)

    def _can_recast(self, change: Evolution) -> bool:
        """Return whether existing rows may be rewritten with the new types: built again, some would be lost."""
        return self._batch.mode in ("merge", "delete_insert", "snapshot") and can_cast(change.mismatched)

    def _recast(self, base: Metadata, columns: Schema, properties: dict[str, str]) -> None:
        """Write the rows that are there again with other types, before a result is written."""
        self.drift = tuple(_cast(item) for item in self.drift)
        self._create(columns, "CREATE OR REPLACE TABLE")
        if base.position is not None:
            older = read_snapshot(self._session, self._relation, base.position)
            writes.append(writes.conform(older, self.metadata().columns), self._relation, properties)

    def _snapshot(self) -> Snapshot:
        found = self.metadata().snapshot
        if found is None:
            raise WarehouseFailure(f"the commit of `{self._model.name}` left no snapshot", kind="internal")
        return found


def _columns(model: CompiledModel, result: "DataFrame") -> Schema:
    """Return a result's columns with the descriptions the user gave them."""
    described = {folded(column.name): column.description for column in model.settings.columns}
    columns = tuple(
        Column(name=ColumnName(name), type=DataType(kind), description=described.get(folded(name)))
        for name, kind in result.dtypes
    )
    names = [folded(column.name) for column in columns]
    for column in columns:
        if names.count(folded(column.name)) > 1:
            raise WarehouseFailure(
                f"the result of `{model.name}` has the column `{column.name}` twice",
                kind="query_rejected",
                hint="give one of them another name",
            )
        if _VOID.search(column.type):
            raise WarehouseFailure(
                f"the column `{column.name}` of `{model.name}` has no type: it is always null",
                kind="query_rejected",
                hint=f"write `CAST(NULL AS ...) AS {column.name}`",
            )
    return columns


def _definition(column: Column) -> str:
    comment = f" COMMENT {text(column.description)}" if column.description else ""
    return f"{quote(column.name)} {column.type}{comment}"


def _cast(item: Drift) -> Drift:
    return item.replace(reason="the rows that are there are cast to it") if item.action == "rebuilt" else item


def _plain_counts(snapshot: Snapshot, duplicates: int, carried: int = 0) -> Counts:
    """Count a commit whose added rows are the rows produced, and rows that were carried over."""
    produced = snapshot.count("added-records") - carried
    return Counts(
        written=produced,
        inserted=produced,
        deleted=max(snapshot.count("deleted-records") - carried, 0),
        duplicate=duplicates,
        carried=carried,
        bytes_written=snapshot.count("added-files-size"),
    )


def _range_counts(snapshot: Snapshot) -> Counts:
    """Count a commit that also copied rows it did not change."""
    inserted = snapshot.count("spark.merge-into.num-target-rows-inserted")
    return Counts(
        written=inserted,
        inserted=inserted,
        deleted=snapshot.count("spark.merge-into.num-target-rows-deleted"),
        copied=snapshot.count("spark.merge-into.num-target-rows-copied"),
        bytes_written=snapshot.count("added-files-size"),
    )


def _merge_counts(snapshot: Snapshot, source: writes.MergeSource) -> Counts:
    """Count an upsert: a row that came too late to change anything counts as a duplicate."""
    inserted = snapshot.count("spark.merge-into.num-target-rows-inserted")
    replaced = snapshot.count("spark.merge-into.num-target-rows-updated")
    return Counts(
        written=inserted + replaced,
        inserted=inserted,
        replaced=replaced,
        deleted=snapshot.count("spark.merge-into.num-target-rows-deleted"),
        duplicate=source.produced - inserted - replaced,
        bytes_written=snapshot.count("added-files-size"),
    )
