"""What a change makes stale, and what is owed: each rule of it taken away."""

from typing import Any

from tests.simulation import memory_reads
from tests.simulation.algebra import Relation
from tests.simulation.lake import bag
from tests.simulation.mutants.mutant import Mutant

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.executor import publish
from lamina.planner import axis, batches, decide_intervals, fold, readiness, record, segments
from lamina.strategies import write
from lamina.values.batch import Pin
from lamina.values.coverage import Coverage, Debt, InputRange, Logic, Segment
from lamina.values.grid import Grid
from lamina.values.interval import Interval
from lamina.values.names import TableName
from lamina.values.touch import Touch

# The originals, which some mutants still call.
_owe = segments.owe
_inverse_image = axis.inverse_image
_let_pass = fold.let_pass
_mapping_of = fold.mapping_of
_readiness = readiness.readiness


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


def _trust_log(cursor: Any, log: tuple[Touch, ...], *, current: Any) -> tuple[Touch, ...]:
    return fold.touches_after(log, cursor) if cursor is not None else ()


def _cover_all(_coverage: Coverage, _due: Interval, *, grid: Any) -> tuple[Interval, ...]:
    return () if _coverage.segments else (_due,)


def _only_changes_let_pass(
    coverage: Coverage, model: CompiledModel, *, use: InputUse, touches: tuple[Touch, ...]
) -> Coverage:
    changes = tuple(touch for touch in touches if not touch.is_append)
    return _let_pass(coverage, model, use=use, touches=changes)


# The warehouse itself refuses to read what is not an append.
NO_GUARD = (memory_reads, "appended", _added_since)

FOLDING = (
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
        net=NO_GUARD,
    ),
    Mutant(
        "rewritten_driver_is_appended",
        "a rewritten driver rebuilds",
        write,
        "appended_since",
        lambda _driver, debts: debts[0].since if debts else None,
        net=NO_GUARD,
    ),
    Mutant(
        "replaced_slices_count_as_appended",
        "slices that had rows are replaced, not filled",
        publish,
        "is_append",
        lambda batch, _counts: batch.mode in ("append", "replace_slices"),
        net=NO_GUARD,
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
    Mutant(
        "new_slices_are_passed_over",
        "new slices of a driver are loaded, whatever the same batch rewrote",
        publish,
        "has_new_rows",
        lambda _batch, _coverage: False,
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
    Mutant("gaps_are_not_filled", "missing is due minus coverage", decide_intervals, "missing", _cover_all),
    Mutant(
        "code_is_not_compared",
        "a slice built by other code is stale",
        decide_intervals,
        "rebuild_reason",
        lambda *_: None,
        net=(decide_intervals, "older_ranges", lambda *_: ()),
    ),
)
