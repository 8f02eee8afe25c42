"""Recomputing what a table was built from, at the versions it was built from."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import uuid4

from lamina.compiler.graph import CompiledModel
from lamina.planner.quarantine import sorting_checks
from lamina.strategies.traits import VALID_FROM, Versions
from lamina.values.batch import Batch, Pin
from lamina.values.interval import Interval, merge
from lamina.values.names import ColumnName, CommitId, folded, folded_names, quarantine_of
from lamina.values.schema import Column, DataType, Schema
from lamina.values.words import counted, listed
from lamina.warehouse.port import Comparison
from lamina.warehouse.spark import writes
from lamina.warehouse.spark.compare import Columns, columns_to_compare, compare_frames
from lamina.warehouse.spark.frame import Frames
from lamina.warehouse.spark.quarantine import flag_rows, sort_rows
from lamina.warehouse.spark.ranges import rows_inside
from lamina.warehouse.spark.version_events import Fold
from lamina.warehouse.spark.version_history import VersionHistory, fold_history

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def verify_table(
    frames: Frames,
    model: CompiledModel,
    table: "DataFrame",
    *,
    columns: Schema,
    slices: tuple[Interval, ...],
    pins: tuple[Pin, ...],
    parameters: dict[str, str],
    former: tuple[ColumnName, ...],
    is_one_batch: bool,
    built: str | None = None,
    quarantine: "DataFrame | None" = None,
) -> Comparison:
    """Compare a table with its recompute over pinned inputs, slice by slice for an interval model.

    Columns that left the query (`former`) are null in every row that it gives. `is_one_batch` says that one batch
    wrote every row, from these inputs; `built` is the time of the run that wrote the table last. A quarantine that
    differs is noted, and is no fault of the table: nothing depends on it.
    """
    chosen, reason = _columns(model, columns, is_one_batch=is_one_batch)
    if chosen is None:
        return unverifiable(reason)
    expected = _recompute(frames, model, slices, pins=pins, parameters=parameters)
    if model.traits.versions is not None:
        return _verify_history(
            model, model.traits.versions, table, expected, columns=columns, former=former, built=built
        )
    rows = sort_rows(flag_rows(expected, model)) if sorting_checks(model) else None
    expected = expected if rows is None else rows.good
    chosen, kept = _without_kept(chosen, expected.columns)
    chosen = chosen.replace(compared=(*chosen.compared, *_left(columns, expected.columns, former)))
    kept = tuple(column for column in kept if column not in chosen.compared)
    if (upsert := model.traits.upsert) is not None:
        expected = writes.one_per_key(writes.conform(expected, columns), upsert)
    found = compare_frames(writes.conform(expected, chosen.compared), rows_inside(table, model, slices), chosen)
    left_out = tuple(column for column in columns if column not in (*chosen.compared, *kept))
    found = found.replace(notes=(*_kept_in_words(kept), *_not_updated_in_words(model, left_out)))
    if rows is not None:
        there = None if quarantine is None else rows_inside(quarantine, model, slices)
        found = found.replace(notes=(*found.notes, *_quarantine_in_words(model, rows.bad, there)))
    if model.depends_on_order and (found.missing or found.extra):
        return unverifiable("non-deterministic: its rows depend on an order that may have ties")
    return found.replace(unverifiable=reason) if reason and not (found.missing or found.extra) else found


def _verify_history(
    model: CompiledModel,
    versions: Versions,
    table: "DataFrame",
    result: "DataFrame",
    *,
    columns: Schema,
    former: tuple[ColumnName, ...],
    built: str | None,
) -> Comparison:
    """Compare a history with itself after one more look at its source as it was: nothing of it may change.

    What the source no longer holds is as the table has it; so are the times that only a run could see.
    """
    at = datetime.fromisoformat(built) if built is not None else datetime.now(UTC)
    fold = Fold(model=model.name, versions=versions, columns=columns, at=at, former=former)
    held = writes.conform(table, columns)
    history = fold_history(fold, held, result)
    found = compare_frames(history.rows(), held, Columns(compared=columns)).replace(retained=history.retained)
    if model.depends_on_order and (found.missing or found.extra):
        return unverifiable("non-deterministic: its rows depend on an order that may have ties")
    return found.replace(notes=_seen_in_words(versions, history))


def _seen_in_words(versions: Versions, history: VersionHistory) -> tuple[str, ...]:
    """Say which times are not compared: those at which runs looked at the source."""
    removed = f"{counted(history.removals, 'removed key')}: closed when a run saw it, which is not compared"
    notes = (removed,) if history.removals else ()
    if versions.updated_at is not None:
        return notes
    return (*notes, f"`{VALID_FROM}` is when a run saw a row, and is not compared")


def _columns(model: CompiledModel, table: Schema, *, is_one_batch: bool) -> tuple[Columns | None, str]:
    """Return which columns can be compared, and why others, or all of them, cannot."""
    if not model.is_deterministic:
        return None, "non-deterministic"
    side = tuple(use.name for use in model.inputs if not use.is_driver)
    if not model.traits.is_append or len(model.inputs) < 2 or not side:
        return columns_to_compare(model.traits, table, is_one_batch=is_one_batch), ""
    drawn = {(folded(edge.column), edge.input) for edge in model.lineage}
    from_side = {column for column, name in drawn if name in side}
    kept = tuple(
        column
        for column in table
        if folded(column.name) not in from_side and any(folded(column.name) == name for name, _ in drawn)
    )
    others = ", ".join(f"`{column.name}`" for column in table if column not in kept)
    reason = f"{others} come from inputs as of each load"
    return (Columns(compared=kept) if kept else None), reason


def _without_kept(chosen: Columns, given: list[str]) -> tuple[Columns, Schema]:
    """Leave out the columns that a table keeps although its query no longer has them."""
    names = folded_names(given)
    kept = tuple(column for column in chosen.compared if folded(column.name) not in names)
    return chosen.replace(compared=tuple(column for column in chosen.compared if column not in kept)), kept


def _left(table: Schema, given: list[str], former: tuple[ColumnName, ...]) -> Schema:
    """Return the columns of a table that left the query."""
    names = folded_names(former) - folded_names(given)
    return tuple(column for column in table if folded(column.name) in names)


def _kept_in_words(kept: Schema) -> tuple[str, ...]:
    names = listed(column.name for column in kept)
    return (f"{names} kept from before and not compared: no longer in the query",) if kept else ()


def _not_updated_in_words(model: CompiledModel, left_out: Schema) -> tuple[str, ...]:
    if model.traits.compared is None or not left_out:
        return ()
    names = listed(column.name for column in left_out)
    return (f"{names} not compared: as inserted by earlier batches (`update_columns`)",)


def _quarantine_in_words(model: CompiledModel, bad: "DataFrame", there: "DataFrame | None") -> tuple[str, ...]:
    """Say how a quarantine differs from the rows that checks sort out of a recompute; None: there is no such table."""
    columns = tuple(Column(name=ColumnName(name), type=DataType(kind)) for name, kind in bad.dtypes)
    missing, extra = (bad.count(), 0)
    if there is not None:
        found = compare_frames(bad, writes.conform(there, columns), Columns(compared=columns))
        missing, extra = found.missing, found.extra
    if not missing and not extra:
        return ()
    return (f"`{quarantine_of(model.target)}` differs: {missing} missing, {extra} extra",)


def _recompute(
    frames: Frames,
    model: CompiledModel,
    slices: tuple[Interval, ...],
    *,
    pins: tuple[Pin, ...],
    parameters: dict[str, str],
) -> "DataFrame":
    parts = [
        frames.result(
            model,
            Batch(
                commit=CommitId(f"verify_{uuid4().hex}"),
                model=model.name,
                mode="replace_all",
                slices=(span,),
                pins=pins,
                base=None,
                parameters=parameters,
            ),
        )
        for span in merge(slices)
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole.unionByName(part)
    return whole


def unverifiable(reason: str) -> Comparison:
    """Return that nothing could be compared, and why."""
    return Comparison(rows_expected=0, rows_actual=0, missing=0, extra=0, unverifiable=reason)
