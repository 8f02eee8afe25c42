"""Which rows a batch wrote and which stay beside them, so that checks read no more than they must."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lamina.compiler.graph import CompiledModel
from lamina.values.batch import Staged
from lamina.values.interval import Interval
from lamina.warehouse.iceberg.data_files import added_files
from lamina.warehouse.iceberg.metadata import Metadata, read_metadata
from lamina.warehouse.sources.exact_paths import exact_path
from lamina.warehouse.sources.table_frames import read_appended, read_snapshot
from lamina.warehouse.spark.carry import without
from lamina.warehouse.spark.ranges import rows_inside, rows_outside
from lamina.warehouse.spark.time_reads import from_watermark
from lamina.warehouse.sql import text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


Run = Callable[["DataFrame", list[str]], list[Any]]  # the values of aggregates over a frame

# In Parquet files Iceberg writes other names in other letters.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class CheckedRows:
    """The rows of a stage as checks ask for them; frames are made when they are first needed."""

    batch: Callable[[], "DataFrame"]  # what checks of one batch look at
    table: Callable[[], "DataFrame"]  # what checks of the table look at
    fresh: Callable[[], "DataFrame"]  # all rows whose keys may be new to the table
    staying: Callable[[], "DataFrame"] | None  # the other rows of the table; None: there are none
    counted: Callable[[], "DataFrame"]  # both of them

    def in_full(self) -> "CheckedRows":
        """Return the rows of a table that is looked at as if none of its keys were known."""
        return replace(self, fresh=self.counted, staying=None)


def aggregates_of(frame: "DataFrame", aggregates: list[str]) -> list[Any]:
    """Return the values of aggregates over a frame."""
    named = [f"{item} AS c{number}" for number, item in enumerate(aggregates)]
    (row,) = frame.selectExpr(*named).collect()
    return list(row)


def all_rows(session: "SparkSession", relation: str) -> CheckedRows:
    """Return the rows of a published table: every check looks at all of them."""

    def table() -> "DataFrame":
        return session.table(relation)

    return CheckedRows(batch=table, table=table, fresh=table, staying=None, counted=table)


def checked_rows(
    session: "SparkSession",
    relation: str,
    staged: Staged,
    *,
    model: CompiledModel,
    outdated: tuple[Interval, ...],
    carried: "DataFrame | None" = None,
) -> CheckedRows:
    """Return the rows of a stage; those of other slices that are outdated will be replaced as well, and do not stay.

    Rows that a rebuild carried over are rows of the table, not of the batch.
    """
    is_new = staged.batch.is_base_lost
    base = None if is_new or staged.batch.base is None else read_metadata(staged.batch.base)
    slices = staged.batch.slices

    def table() -> "DataFrame":
        return read_snapshot(session, relation, staged.position)

    whole = CheckedRows(batch=table, table=table, fresh=table, staying=None, counted=table)
    if base is None or base.position is None:
        return whole
    position = base.position

    def inside() -> "DataFrame":
        return rows_inside(table(), model, slices)

    def given() -> "DataFrame":
        return inside() if carried is None else without(inside(), carried, model)

    def outside() -> "DataFrame":
        return rows_outside(table(), model, (*slices, *outdated))

    def lasting() -> "DataFrame":
        return rows_outside(table(), model, outdated)

    def before() -> "DataFrame":
        return read_snapshot(session, relation, position)

    def appended() -> "DataFrame":
        return read_appended(session, relation, since=position, until=staged.position)

    def later() -> "DataFrame":
        return table().where(from_watermark(staged.batch))

    def earlier() -> "DataFrame":
        return table().where(f"NOT coalesce({from_watermark(staged.batch)}, false)")

    match staged.batch.mode:
        case "replace_slices":
            counted = lasting if outdated else table
            return CheckedRows(batch=inside, table=table, fresh=inside, staying=outside, counted=counted)
        case "append" if not read_metadata(staged.pointer).snapshots[staged.position].is_append:
            # Rows at the watermark were replaced: all from there on are of this batch.
            return CheckedRows(batch=later, table=table, fresh=later, staying=earlier, counted=table)
        case "append":
            return CheckedRows(batch=appended, table=table, fresh=appended, staying=before, counted=table)
        case "merge" | "delete_insert" | "snapshot":
            return _by_files(session, relation, staged, base=base, whole=whole)
        case "replace_all":
            return replace(whole, batch=given)
        case "rewrite" | "define":
            return whole


def _by_files(
    session: "SparkSession", relation: str, staged: Staged, *, base: Metadata, whole: CheckedRows
) -> CheckedRows:
    """Distinguish new rows from others by their files: a rewritten file also has rows that were there before."""
    snapshot = read_metadata(staged.pointer).snapshots[staged.position]
    is_one_step = snapshot.parent == base.position and not snapshot.count("added-delete-files")
    if not is_one_step:
        return whole
    files = added_files(snapshot)

    def of_files(condition: str) -> "DataFrame":
        listed = ", ".join(text(file) for file in files)
        rows = session.sql(f"SELECT *, _file FROM {relation} VERSION AS OF {int(staged.position)}")
        return rows.where(f"_file {condition} ({listed})").drop("_file")

    def fresh() -> "DataFrame":
        rows = whole.table()
        if not files:
            return rows.limit(0)
        if not all(_PLAIN.fullmatch(name) for name in rows.columns):
            return of_files("IN")
        # Iceberg leaves no file out by its name, so a table of many files would be read for a few of them.
        return session.read.schema(rows.schema).parquet(*map(exact_path, files))

    def staying() -> "DataFrame":
        return of_files("NOT IN") if files else whole.table()

    return replace(whole, fresh=fresh, staying=staying)
