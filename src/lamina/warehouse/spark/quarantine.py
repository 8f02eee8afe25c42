"""Sort the rows of a batch by checks of single rows: the good ones for the table, the others for its quarantine."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lamina.compiler.graph import CompiledModel
from lamina.planner.quarantine import (
    followed,
    is_quarantine_of,
    marked_beside,
    quarantine_batch,
    quarantine_model,
    sorting_checks,
)
from lamina.values.batch import Batch, Counts, Staged
from lamina.values.coverage import Mark
from lamina.values.names import FAILED_CHECKS, Position, TableName, quarantine_of
from lamina.warehouse.catalog.port import stage_of
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.iceberg.homes import home_of
from lamina.warehouse.iceberg.metadata import MetadataUnreadable, read_metadata
from lamina.warehouse.iceberg.rediscovery import FoundTable, find_quarantine, kind_of
from lamina.warehouse.iceberg.tables import Tables
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.sources.table_frames import read_appended, read_snapshot
from lamina.warehouse.spark.check_sql import CheckSql
from lamina.warehouse.spark.checked_rows import CheckedRows
from lamina.warehouse.spark.ranges import TimeRange, rows_inside
from lamina.warehouse.spark.stage import Stage
from lamina.warehouse.spark.time_reads import from_watermark
from lamina.warehouse.sql import quote, relation, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# No check that sorts rows reads the time.
_NO_MOMENT = datetime(1970, 1, 1, tzinfo=UTC)


class NotOurQuarantine(WarehouseFailure):
    """A table has the name of a quarantine, and lamina did not write it.

    Why: rows that fail checks with `on_failure = "quarantine"` go to `<table>__quarantine`, and lamina never writes
    into a table of others.
    Fix: rename or drop that table, or remove `on_failure`.
    """

    code = "L645"

    def __init__(self, table: TableName, model: str) -> None:
        super().__init__(
            f"table `{table}` was not written by `{model}`, so rows that fail its checks cannot go there",
            kind="conflict",
            hint=f'rename or drop `{table}`, or remove `on_failure = "quarantine"`',
        )


class Sorted(NamedTuple):
    """The rows of a result by their quarantine checks; `bad` ones have the names of the failed checks beside them."""

    good: "DataFrame"
    bad: "DataFrame"


def flag_rows(result: "DataFrame", model: CompiledModel) -> "DataFrame":
    """Return rows with the names of the checks that sort them out; where a check says nothing, a row passes it."""
    sql = CheckSql({}, moment=_NO_MOMENT, zone=model.settings.timezone)
    names = (f"CASE WHEN {sql.failing(check, mark='')} THEN {text(check.title)} END" for check in sorting_checks(model))
    failed = f"filter(CAST(array({', '.join(names)}) AS array<string>), title -> title IS NOT NULL)"
    return result.selectExpr("*", f"{failed} AS {quote(FAILED_CHECKS)}")


def sort_rows(flagged: "DataFrame") -> Sorted:
    """Part flagged rows by whether a check sorts them out."""
    size = f"size({quote(FAILED_CHECKS)})"
    return Sorted(good=flagged.where(f"{size} = 0").drop(FAILED_CHECKS), bad=flagged.where(f"{size} > 0"))


class Quarantine:
    """The quarantine beside one batch; raises where its table belongs to others, before any work."""

    def __init__(
        self,
        session: "SparkSession",
        *,
        settings: WarehouseSettings,
        tables: Tables,
        model: CompiledModel,
        batch: Batch,
        mark: Mark,
        home: TableName,
        replaced: TimeRange | None = None,
    ) -> None:
        self._session = session
        self._settings = settings
        self._tables = tables
        self._model = model
        self._mark = mark
        self._home = quarantine_of(home)
        self._replaced = replaced  # rows at this one time are replaced here too
        name = quarantine_of(model.target)
        live = tables.pointer(name)
        self._is_sorting = bool(sorting_checks(model))
        is_at_home = live is not None and home_of(live, Path(settings.warehouse)) == self._home
        self._start = followed(_commits(live), mark) if live is not None and is_at_home else self._found_start(home)
        # What a recorded commit wrote is ours, whichever state made its mark.
        is_followed = is_at_home and self._start is not None
        is_ours = live is not None and (is_followed or is_quarantine_of(read_metadata(live).mark, mark))
        if live is not None and not is_ours:
            if self._is_sorting:
                raise NotOurQuarantine(name, model.name)
            self._start = None
        self._live = live if is_ours else None
        self._batch = quarantine_batch(
            batch,
            live=self._live,
            is_followed=self._start is not None,
            is_at_home=is_at_home or self._start is not None,
        )

    def write(self, stage: Stage, result: "DataFrame") -> tuple[Counts, tuple[Staged, ...]]:
        """Write good rows to the stage of the batch, and others to a stage beside it; the query is evaluated once."""
        if not self._is_sorting and self._live is None and self._start is None:
            return stage.write(result, self._mark), ()
        if not self._is_sorting:
            beside = self._write(flag_rows(result.limit(0), self._model), count=0)
            return stage.write(result, marked_beside(self._mark, beside)), beside
        from pyspark.storagelevel import StorageLevel

        flagged = flag_rows(result, self._model).persist(StorageLevel.MEMORY_AND_DISK)
        try:
            rows = sort_rows(flagged)
            beside = self._write(rows.bad, count=rows.bad.count())
            counts = stage.write(rows.good, marked_beside(self._mark, beside))
        finally:
            flagged.unpersist()
        quarantined = sum(item.counts.inserted for item in beside)
        size = sum(item.counts.bytes_written for item in beside)
        return counts.replace(quarantined=quarantined, bytes_written=counts.bytes_written + size), beside

    def _found_start(self, home: TableName) -> str | None:
        """Return the quarantine that belongs to the table and that the catalog has lost, if its files are there."""
        table = FoundTable(table=home, pointer="", location="", mark=self._mark)
        found = find_quarantine(Path(self._settings.warehouse), table)
        return None if found is None else found.pointer

    def _write(self, bad: "DataFrame", *, count: int) -> tuple[Staged, ...]:
        if not count and not self._has_rows_to_replace():
            return ()
        batch = self._batch.replace(base=self._start or self._live)
        model = quarantine_model(self._model)
        stage = Stage(
            self._session,
            settings=self._settings,
            tables=self._tables,
            model=model,
            batch=batch,
            home=self._home,
            replaced=self._replaced,
        )
        counts = stage.write(bad, self._mark)
        metadata = stage.metadata()
        staged = Staged(
            batch=self._batch,
            pointer=metadata.pointer,
            position=metadata.position or Position(""),
            counts=counts,
            columns=metadata.columns,
        )
        return (staged,)

    def _has_rows_to_replace(self) -> bool:
        """Return whether the quarantine changes although the batch has no row for it."""
        if self._live is None and self._start is None:
            return False
        is_append = self._batch.mode == "append" and self._start == self._live
        if is_append and self._replaced is None:
            return False
        if not is_append and (self._batch.mode != "replace_slices" or self._start != self._live):
            return True
        table = self._session.table(relation(self._settings.catalog, quarantine_of(self._model.target)))
        if self._replaced is not None:
            return not table.where(self._replaced.predicate()).isEmpty()
        return not rows_inside(table, self._model, self._batch.slices).isEmpty()


def quarantined_rows(session: "SparkSession", catalog: str, beside: Staged, model: CompiledModel) -> CheckedRows:
    """Return the rows that a batch put in quarantine, for the checks that sorted them out to count."""
    name, metadata = relation(catalog, stage_of(beside.batch.commit)), read_metadata(beside.pointer)
    parent = metadata.snapshot.parent if metadata.snapshot is not None else None

    def rows() -> "DataFrame":
        is_added = metadata.snapshot is not None and metadata.snapshot.is_append
        if beside.batch.mode == "append" and parent is not None and is_added:
            return read_appended(session, name, since=parent, until=beside.position)
        if beside.batch.mode == "append" and beside.batch.by_time is not None:
            return read_snapshot(session, name, beside.position).where(from_watermark(beside.batch))
        return rows_inside(read_snapshot(session, name, beside.position), model, beside.batch.slices)

    return CheckedRows(batch=rows, table=rows, fresh=rows, staying=None, counted=rows)


def _commits(live: str) -> Iterator[tuple[str, str]]:
    """Yield the finished versions of a table with the commits that they carry, newest first; some may be gone."""
    for pointer in (live, *reversed(read_metadata(live).log)):
        try:
            metadata = read_metadata(pointer)
        except MetadataUnreadable:
            continue
        if metadata.mark is not None and kind_of(metadata) != "unfinished":
            yield pointer, metadata.mark.commit
