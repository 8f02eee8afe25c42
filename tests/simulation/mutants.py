"""The rules of the engine, each taken away in turn; a recorded schedule notices every one of them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from tests.simulation import (
    differences,
    memory_catalog,
    memory_reads,
    memory_sources,
    memory_warehouse,
    row_checks,
    row_writes,
)
from tests.simulation.algebra import Relation
from tests.simulation.lake import bag

from lamina.api import custody
from lamina.compiler.graph import CompiledModel, InputUse
from lamina.executor import observe, publish, run, step
from lamina.executor.run_state import RunState
from lamina.planner import (
    axis,
    batches,
    decide,
    decide_intervals,
    fold,
    heads,
    kept,
    readiness,
    record,
    recover,
    segments,
    unique_keys,
)
from lamina.state import leases, logs, store
from lamina.strategies import write
from lamina.values.batch import Counts, Move, Pin
from lamina.values.coverage import Coverage, Debt, InputRange, Logic, Segment
from lamina.values.grid import Grid
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import TableName
from lamina.values.touch import Everything, Nothing, Touch

# The originals, which some mutants still call.
_readiness = readiness.readiness
_owe, _inverse_image, _changed_units = segments.owe, axis.inverse_image, differences.changed_units
_refine, _let_pass, _mapping_of = differences.refine, fold.let_pass, fold.mapping_of
_carried_ranges = kept.carried_ranges
_replaced_later, _proven_keys = unique_keys.replaced_later, unique_keys.proven_keys
_model_facts, _stand = observe.model_facts, recover.stand
_read, _touch, _written = memory_reads.MemoryReads.read_version, publish.touch_of, row_writes.written


@dataclass(frozen=True)
class Mutant:
    """One rule taken away: where, and what is in its place."""

    name: str
    rule: str
    place: object
    attribute: str
    instead: Callable[..., Any]
    net: tuple[object, str, Callable[..., Any]] | None = None  # what else would catch it, taken away too

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Take the rule away for a while."""
        with ExitStack() as stack:
            stack.enter_context(patch.object(self.place, self.attribute, self.instead))
            if self.net is not None:
                stack.enter_context(patch.object(*self.net))
            yield


def _debt_without_change(segment: Segment, _debt: Debt) -> Segment:
    return segment


def _forget_older_debts(segment: Segment, _name: TableName, *, touches: tuple[Touch, ...]) -> Segment:
    return segment.replace(debts=())


def _without_window(grid: Grid, read: InputRange, ranges: Any, *, is_own: bool) -> tuple[Interval, ...]:
    return _inverse_image(grid, read.replace(before_seconds=0), ranges, is_own=is_own)


def _without_own_future(grid: Grid, read: InputRange, ranges: Any, *, is_own: bool) -> tuple[Interval, ...]:
    return () if is_own else _inverse_image(grid, read, ranges, is_own=False)


def _without_later_rows(grid: Grid, read: InputRange, ranges: Any, *, is_own: bool) -> tuple[Interval, ...]:
    return _inverse_image(grid, read.replace(after_seconds=0), ranges, is_own=is_own)


def _ready_without_later_rows(model: CompiledModel, wanted: Any, **around: Any) -> Any:
    inputs = tuple(use.replace(after_seconds=0) for use in model.inputs)
    return _readiness(model.replace(inputs=inputs), wanted, **around)


def _older_code_without_window(logic: Logic | None, name: TableName) -> tuple[Grid | None, InputRange | None]:
    grid, read = _mapping_of(logic, name)
    return grid, None if read is None else read.replace(before_seconds=0)


def _always_append(segment: Segment, debt: Debt) -> Segment:
    return _owe(segment, debt.replace(is_append=True))


def _added_since(lake: Any, _metadata: Any, pinned: Any, *, since: str) -> Relation:
    """Read the rows that were added, and ignore those that were removed."""
    came = bag(pinned.relation) - bag(lake.archive[int(since)])
    return Relation(pinned.relation.columns, tuple(came.elements()))


def _move_from_anywhere(draft: memory_catalog.Pointers, move: Move) -> bool:
    return (move.target in draft) == (move.base is not None)


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


def _only_added_rows(added: Any, _removed: Any, column: str) -> Any:
    return _changed_units(added, added, column)


def _refine_by_new_rows(old: Relation, new: Relation, question: Any) -> Any:
    with patch.object(differences, "changed_units", _only_added_rows):
        return _refine(old, new, question)


def _read_head(reads: Any, name: Any, pin: Any, *, reader: Any) -> Any:
    source = reads._sources.get(name)
    if pin is None or source is None or pin.since is not None:
        return _read(reads, name, pin, reader=reader)
    head = memory_sources.MemorySources(reads._lake).head(source, None)
    return _read(reads, name, pin.replace(position=head.position), reader=reader)


def _touch_of_equal(batch_base: Any, staged: Any, diff: Any) -> Touch:
    made = _touch(batch_base, staged, diff)
    return made.replace(extent=Everything()) if isinstance(made.extent, Nothing) else made


def _trust_log(cursor: Any, log: tuple[Touch, ...], *, current: Any) -> tuple[Touch, ...]:
    return fold.touches_after(log, cursor) if cursor is not None else ()


def _follow_any_move(writer: Any, now: Any, model: CompiledModel) -> None:
    now.moved(model, writer.runtime.warehouse.heads([model.target])[model.target], ())


def _let_one_source_end_the_run(
    runtime: Any, graph: Any, sources: Any, *, pins: Any, last: Any
) -> tuple[list[Any], dict[TableName, Any]]:
    looks = (observe.look_at_source(runtime, graph, item, pins=pins, since=last[item.name]) for item in sources)
    return list(looks), {}


def _without_a_fault(model: CompiledModel, recovery: Any, *, view: Any, unreadable: Any) -> Any:
    return _model_facts(model, recovery, view=view, unreadable={})


def _open_what_cannot_be_read(head: Any, recorded: Any) -> Any:
    return _stand(head.replace(fault=None), recorded)


def _cover_all(_coverage: Coverage, _due: Interval, *, grid: Any) -> tuple[Interval, ...]:
    return () if _coverage.segments else (_due,)


def _only_changes_let_pass(
    coverage: Coverage, model: CompiledModel, *, use: InputUse, touches: tuple[Touch, ...]
) -> Coverage:
    changes = tuple(touch for touch in touches if not touch.is_append)
    return _let_pass(coverage, model, use=use, touches=changes)


# The warehouse itself refuses to read what is not an append.
_NO_GUARD = (memory_reads, "appended", _added_since)

MUTANTS = (
    Mutant("cursor_moves_without_a_debt", "folding a touch makes a debt", fold, "owe", _debt_without_change),
    Mutant(
        "cutoff_removes_an_older_debt", "cutoff never removes a debt", fold, "no_longer_append", _forget_older_debts
    ),
    Mutant(
        "window_is_forgotten", "a touch stales the inverse image of the window", fold, "inverse_image", _without_window
    ),
    Mutant(
        "window_ahead_is_forgotten",
        "a touch stales the slices before it that read it",
        fold,
        "inverse_image",
        _without_later_rows,
    ),
    Mutant(
        "later_rows_are_not_awaited",
        "a slice that reads ahead is built when what it reads is there",
        decide_intervals,
        "readiness",
        _ready_without_later_rows,
    ),
    Mutant(
        "window_of_older_code_is_forgotten",
        "a touch stales what the code that built a slice read, not what the current code reads",
        fold,
        "mapping_of",
        _older_code_without_window,
    ),
    Mutant(
        "own_past_is_forgotten",
        "a model that reads its own past is its own input",
        fold,
        "inverse_image",
        _without_own_future,
    ),
    Mutant(
        "changed_rows_count_as_appended",
        "an append debt holds appends only",
        fold,
        "owe",
        _always_append,
        net=_NO_GUARD,
    ),
    Mutant(
        "rewritten_driver_is_appended",
        "a rewritten driver rebuilds",
        write,
        "appended_since",
        lambda _driver, debts: debts[0].since if debts else None,
        net=_NO_GUARD,
    ),
    Mutant(
        "replaced_slices_count_as_appended",
        "slices that had rows are replaced, not filled",
        publish,
        "is_append",
        lambda batch, _counts: batch.mode in ("append", "replace_slices"),
        net=_NO_GUARD,
    ),
    Mutant(
        "kept_driver_is_not_loaded",
        "new rows of a driver are loaded, whatever `keep` lets pass",
        fold,
        "loads_appends",
        lambda *_: False,
    ),
    Mutant(
        "missing_link_is_trusted",
        "a log that does not lead to the head touches everything",
        fold,
        "unfolded",
        _trust_log,
    ),
    Mutant(
        "read_sets_are_ignored",
        "a reader is spared only if its read set is proven equal",
        fold,
        "holds_for",
        lambda _proof, _reads: True,
    ),
    Mutant(
        "debts_are_never_paid", "a published batch pays the debts its pins cover", record, "is_paid", lambda *_: False
    ),
    Mutant("pins_are_ignored", "every read is pinned", memory_reads.MemoryReads, "read_version", _read_head),
    Mutant(
        "removed_rows_are_not_touched",
        "what a file used to hold is touched too",
        differences,
        "changed_units",
        _only_added_rows,
    ),
    Mutant(
        "moved_row_touches_only_its_new_day",
        "a changed row of a whole table touches where it was and where it is",
        memory_warehouse,
        "refine",
        _refine_by_new_rows,
    ),
    Mutant(
        "compaction_is_a_touch",
        "compaction is no touch",
        memory_sources,
        "step_touch",
        lambda name, metadata, step, *, columns: Touch(name, step.position, None, extent=Everything()),
    ),
    Mutant("equal_result_is_a_touch", "an equal result touches nobody", publish, "touch_of", _touch_of_equal),
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
        "new_slices_are_passed_over",
        "new slices of a driver are loaded, whatever the same batch rewrote",
        publish,
        "has_new_rows",
        lambda _batch, _coverage: False,
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
        "file_that_comes_back_is_loaded_again",
        "what a kept driver had when it was loaded is not loaded a second time",
        batches,
        "Pin",
        lambda loaded, **fields: Pin(**fields),
    ),
    Mutant(
        "file_that_never_was_loaded_counts",
        "only what a kept driver had up to the owed rows was loaded",
        fold,
        "consumed_before",
        lambda coverage, name: None if coverage.cursor(name) is None else coverage.cursor(name).position,
    ),
    Mutant(
        "late_rows_let_pass_are_forgotten",
        "rows that `keep` lets pass are no difference",
        fold,
        "let_pass",
        _only_changes_let_pass,
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
    Mutant("gaps_are_not_filled", "missing is due minus coverage", decide_intervals, "missing", _cover_all),
    Mutant(
        "code_is_not_compared",
        "a slice built by other code is stale",
        decide_intervals,
        "rebuild_reason",
        lambda *_: None,
        net=(decide_intervals, "older_ranges", lambda *_: ()),
    ),
    Mutant(
        "publish_without_base",
        "publish is conditional on the base",
        memory_catalog,
        "is_at_base",
        _move_from_anywhere,
    ),
    Mutant("publish_without_lease", "every write checks the lease", leases, "check", lambda *_: None),
    Mutant(
        "foreign_write_is_ignored",
        "an unmarked version leaves a debt",
        recover,
        "owe_itself",
        lambda _model, coverage, _version: coverage,
    ),
    Mutant(
        "foreign_move_is_followed", "only harmless moves are followed", step, "follow_harmless_move", _follow_any_move
    ),
    Mutant(
        "rollback_touches_nobody", "readers of a table that left its past are touched", recover, "Everything", Nothing
    ),
    Mutant(
        "touch_of_publish_is_not_logged",
        "a publish appends its touch",
        logs,
        "append",
        lambda _connection, _environment, touch: touch,
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
    Mutant("stages_are_left", "intents serve to clean stages", run, "clean_up", lambda _runtime: None),
    Mutant(
        "lost_catalog_is_empty",
        "no model is first built over a table that carries its mark",
        custody,
        "register_tables",
        lambda *_, **__: (),
    ),
    Mutant(
        "lost_row_is_no_table",
        "a table that was published and has no row is registered again, not built again",
        custody,
        "missing_tables",
        lambda *_, **__: {},
        net=(observe, "unregistered", lambda *_: None),
    ),
    Mutant(
        "table_dropped_just_now_is_built_again",
        "no model is first built over the files of a table that lost its row when the run began",
        observe,
        "unregistered",
        lambda *_: None,
    ),
    Mutant(
        "dropped_table_leaves_no_note",
        "what is left of a dropped table is no table",
        store,
        "write_dropped",
        lambda *_: None,
    ),
    Mutant(
        "older_catalog_keeps_dropped_tables",
        "a table that was dropped leaves a catalog that is older than the drop",
        custody,
        "forget_table",
        lambda *_: None,
    ),
    Mutant(
        "newest_file_is_the_head",
        "of finished stages the one with the highest token was published",
        heads,
        "age_of",
        lambda file: (0, file.updated),
    ),
    Mutant(
        "lost_files_are_forgotten",
        "files that were found to be lost are remembered until they are back",
        step,
        "lost_among",
        lambda *_: None,
    ),
    Mutant(
        "lost_files_are_read_again",
        "a full refresh does not read files that are lost",
        RunState,
        "is_base_lost",
        lambda *_: False,
    ),
    Mutant(
        "damaged_metadata_is_opened",
        "a table whose metadata cannot be read is a matter of its model alone",
        observe,
        "stand",
        _open_what_cannot_be_read,
    ),
    Mutant(
        "foreign_writes_are_built_upon",
        "a table that reads itself takes its other slices from before others wrote",
        step,
        "is_foreign",
        lambda _coverage: False,
    ),
    Mutant(
        "one_source_ends_the_run",
        "a source that cannot be read blocks its readers only",
        observe,
        "look_at_sources",
        _let_one_source_end_the_run,
    ),
    Mutant(
        "unreadable_source_is_empty",
        "nothing is built from a source that cannot be read",
        observe,
        "model_facts",
        _without_a_fault,
    ),
    Mutant("sources_are_not_asked", "detectors make touches", observe, "source_changes", lambda *_, **__: ()),
)
