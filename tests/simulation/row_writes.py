"""How rows enter a table of the memory warehouse: by name, in slices, whole, or merged by key."""

from collections.abc import Iterable
from datetime import datetime

from tests.simulation.algebra import Relation, Row

from lamina.compiler.graph import CompiledModel
from lamina.values.batch import Batch, Counts
from lamina.values.interval import WHOLE, Interval
from lamina.warehouse.failure import WarehouseFailure


def aligned(relation: Relation, columns: tuple[str, ...]) -> Relation:
    """Return rows under another list of columns, by name; new columns are null."""
    places = [relation.columns.index(name) if name in relation.columns else None for name in columns]
    rows = (tuple(None if place is None else row[place] for place in places) for row in relation.rows)
    return Relation(columns, tuple(rows))


def without_empty(relation: Relation, names: tuple[str, ...]) -> Relation:
    """Return rows without those of some columns in which no row has a value."""
    empty = {name for name in names if all(row[relation.place(name)] is None for row in relation.rows)}
    return aligned(relation, tuple(name for name in relation.columns if name not in empty))


def _time_place(relation: Relation, model: CompiledModel) -> int | None:
    slices = model.traits.slices
    return relation.place(slices.time_column) if slices is not None else None


def _is_within(row: Row, place: int | None, slices: tuple[Interval, ...]) -> bool:
    if place is None or slices == (WHOLE,):
        return True
    cell = row[place]
    return isinstance(cell, datetime) and any(span.start <= cell < span.end for span in slices)


def cut_rows(relation: Relation, model: CompiledModel, slices: tuple[Interval, ...]) -> Relation:
    """Return the rows of an interval model that lie in some slices, or all rows of another."""
    place = _time_place(relation, model)
    return Relation(relation.columns, tuple(row for row in relation.rows if _is_within(row, place, slices)))


def refuse_strays(batch: Batch, model: CompiledModel, result: Relation) -> None:
    """Raise where a result has rows outside the slices of its batch."""
    place = _time_place(result, model)
    strays = sum(not _is_within(row, place, batch.slices) for row in result.rows)
    if strays:
        raise WarehouseFailure(f"{strays} rows of `{model.name}` lie outside their slices", kind="data_rejected")


def written(batch: Batch, model: CompiledModel, old: Relation, result: Relation) -> tuple[tuple[Row, ...], Counts]:
    """Return the rows of a table after a batch, and what the batch did."""
    made = len(result.rows)
    match batch.mode:
        case "append":
            return old.rows + result.rows, Counts(written=made, inserted=made)
        case "replace_all":
            produced = expected_rows(model, result)
            carried = _carried(batch, model, old, produced)
            count = len(produced.rows)
            duplicate, deleted = made - count, len(old.rows) - len(carried)
            counts = Counts(written=count, inserted=count, duplicate=duplicate, deleted=deleted, carried=len(carried))
            return produced.rows + carried, counts
        case "replace_slices":
            place = _time_place(old, model)
            kept = tuple(row for row in old.rows if not _is_within(row, place, batch.slices))
            return kept + result.rows, Counts(written=made, inserted=made, deleted=len(old.rows) - len(kept))
        case "merge":
            return _merged(batch, model, old, result)
        case "delete_insert":
            kept_beside = kept_rows(model, old, result)
            gone = len(old.rows) - len(kept_beside)
            return kept_beside + result.rows, Counts(written=made, inserted=made, deleted=gone)
        case "rewrite":
            return old.rows, Counts(copied=len(old.rows))
        case "define":
            raise AssertionError("a view has no rows")
        case "snapshot":
            raise AssertionError("a history is folded, not written by key")


def kept_rows(model: CompiledModel, old: Relation, result: Relation) -> tuple[Row, ...]:
    """Return the rows of a table whose keys a result does not have, where the strategy keeps those."""
    keys = model.traits.kept_by
    if not keys:
        return ()
    given = {tuple(row[result.place(name)] for name in keys) for row in result.rows}
    return tuple(row for row in old.rows if tuple(row[old.place(name)] for name in keys) not in given)


def expected_rows(model: CompiledModel, result: Relation) -> Relation:
    """Return what a table holds of a whole result: of a merge, the newest row of each key."""
    upsert = model.traits.upsert
    if upsert is None:
        return result
    places = [*(result.place(name) for name in upsert.order_by), *range(len(result.columns))]
    keys = [result.place(name) for name in upsert.key]
    ordered = sorted(result.rows, key=lambda row: _rank(row, places))
    return Relation(result.columns, tuple({tuple(row[place] for place in keys): row for row in ordered}.values()))


def carries_rows(batch: Batch, model: CompiledModel) -> bool:
    """Return whether a rebuild takes rows over from the table."""
    return bool(batch.carried) and (model.traits.slices is not None or bool(model.traits.kept_by))


def _carried(batch: Batch, model: CompiledModel, old: Relation, result: Relation) -> tuple[Row, ...]:
    """Return what a rebuild carries over: kept keys, or the slices beside those it builds."""
    if not batch.carried:
        return ()
    if model.traits.slices is not None:
        return cut_rows(old, model, batch.carried).rows
    return kept_rows(model, old, result)


def _rank(row: Row, places: Iterable[int]) -> tuple[tuple[bool, str | int | datetime], ...]:
    return tuple((row[place] is not None, row[place] or 0) for place in places)


def _merged(batch: Batch, model: CompiledModel, old: Relation, result: Relation) -> tuple[tuple[Row, ...], Counts]:
    """Upsert by key: new rows never replace one of a higher order, and a whole source decides alone."""
    upsert = model.traits.upsert
    assert upsert is not None, "only a merge model is merged"
    keys = [result.place(name) for name in upsert.key]
    orders = [result.place(name) for name in upsert.order_by]

    def key(row: Row) -> Row:
        return tuple(row[place] for place in keys)

    whole = [*orders, *range(len(result.columns))]
    best = {key(row): row for row in sorted(result.rows, key=lambda row: _rank(row, whole))}
    rows = {key(row): row for row in old.rows if not upsert.deletes_missing or key(row) in best}
    is_new = {name: name not in rows for name in best}
    is_partial = any(pin.since is not None for pin in batch.pins)
    for name, row in best.items():
        before = rows.get(name)
        if before is None or not is_partial or _rank(row, whole) >= _rank(before, whole):
            rows[name] = row
    inserted = sum(is_new.values())
    replaced = len(is_new) - inserted
    counts = Counts(
        written=len(is_new),
        inserted=inserted,
        replaced=replaced,
        duplicate=len(result.rows) - len(is_new),
        deleted=len(old.rows) + inserted - len(rows),
    )
    return tuple(rows.values()), counts
