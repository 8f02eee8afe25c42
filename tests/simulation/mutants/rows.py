"""Which rows a table holds after a build, and which keys its checks refuse: each rule of it taken away."""

from typing import Any

from tests.simulation import memory_warehouse, row_checks, row_writes
from tests.simulation.mutants.mutant import Mutant

from lamina.compiler.graph import CompiledModel
from lamina.executor import publish
from lamina.planner import axis, batches, decide, kept, unique_keys
from lamina.values.batch import Counts
from lamina.values.interval import WHOLE

# The originals, which some mutants still call.
_carried_ranges = kept.carried_ranges
_replaced_later = unique_keys.replaced_later
_proven_keys = unique_keys.proven_keys
_written = row_writes.written


def _keep_rows_of_empty_slices(batch: Any, model: CompiledModel, old: Any, result: Any) -> Any:
    if batch.mode == "replace_slices" and not result.rows:
        return old.rows, Counts()
    return _written(batch, model, old, result)


def _whole_source_as_new_rows(batch: Any, model: CompiledModel, old: Any, result: Any) -> Any:
    """Upsert a whole source as if it were new rows alone."""
    pins = tuple(pin.replace(since=pin.position) for pin in batch.pins)
    return _written(batch.replace(pins=pins) if batch.mode == "merge" else batch, model, old, result)


def _old_values_in_new_rows(batch: Any, model: CompiledModel, old: Any, result: Any) -> Any:
    """Fill what a rebuilt row does not have with what the row of its key had."""
    rows, counts = _written(batch, model, old, result)
    places = [old.place(name) for name in model.traits.kept_by]
    if batch.mode != "replace_all" or not places:
        return rows, counts
    before = {tuple(row[place] for place in places): row for row in old.rows}
    older = (before.get(tuple(row[place] for place in places), row) for row in rows)
    filled = (
        tuple(there if cell is None else cell for cell, there in zip(row, other, strict=True))
        for row, other in zip(rows, older, strict=True)
    )
    return tuple(filled), counts


ROWS = (
    Mutant(
        "empty_slice_keeps_its_rows",
        "a slice is replaced also by nothing",
        memory_warehouse,
        "written",
        _keep_rows_of_empty_slices,
    ),
    Mutant(
        "whole_source_does_not_decide",
        "a build that reads the whole source decides by the source alone",
        memory_warehouse,
        "written",
        _whole_source_as_new_rows,
    ),
    Mutant(
        "kept_rows_are_dropped",
        "a rebuild carries over the rows that only the table holds",
        batches,
        "carried_ranges",
        lambda *_: (),
    ),
    Mutant(
        "former_columns_keep_old_values",
        "rows that the query gives have null in a column that left it",
        memory_warehouse,
        "written",
        _old_values_in_new_rows,
    ),
    Mutant(
        "former_columns_are_dropped",
        "a column that left the query stays for rows that only the table holds",
        memory_warehouse,
        "without_empty",
        lambda relation, names: row_writes.aligned(
            relation, tuple(name for name in relation.columns if name not in names)
        ),
    ),
    Mutant(
        "rows_of_others_are_kept",
        "rows that only the table holds are taken from a version before others wrote to it, or it is refused",
        memory_warehouse,
        "carries_rows",
        lambda _batch, _model: False,
    ),
    Mutant(
        "strategy_drops_rows_before_they_are_counted",
        "a strategy that keeps no rows waits until it is known which ones only the table holds",
        kept,
        "may_hold_more",
        lambda _coverage: False,
    ),
    Mutant(
        "saved_rows_are_dropped",
        "a rebuild that would drop rows which `keep` saved is refused",
        decide,
        "refuse_loss",
        lambda _model, _facts, decided, _selection: decided,
    ),
    Mutant(
        "slices_that_are_not_due_are_dropped",
        "a rebuild carries over the slices that are built and no longer due",
        batches,
        "carried_ranges",
        lambda model, coverage, span: () if axis.grid_of(model) is not None else _carried_ranges(model, coverage, span),
    ),
    Mutant(
        "layout_is_not_applied",
        "a change of layout rewrites the rows that are there",
        decide,
        "layout_reason",
        lambda *_: None,
    ),
    Mutant(
        "unique_looks_only_at_the_batch",
        "a key is looked up among the rows that stay",
        row_checks,
        "met_keys",
        lambda _check, _written, _staying: 0,
    ),
    Mutant(
        "outdated_rows_stay",
        "rows of slices that will be replaced do not refuse a key",
        publish,
        "replaced_later",
        lambda *_, **__: (),
    ),
    Mutant(
        "new_check_believes_the_table",
        "a key that was never looked for in the whole table is looked for in all rows that stay",
        publish,
        "unproven_keys",
        lambda *_, **__: (),
    ),
    Mutant(
        "rows_before_the_start_do_not_count",
        "rows of slices that are no longer due stay, and have their keys",
        publish,
        "replaced_later",
        lambda model, coverage, batch, lifetime: _replaced_later(model, coverage, batch, lifetime=WHOLE),
    ),
    Mutant(
        "left_out_slices_are_believed",
        "a key is proven beside the slices that were left out, and no further",
        publish,
        "proven_keys",
        lambda model, results, besides: _proven_keys(model, results, besides=()),
    ),
)
