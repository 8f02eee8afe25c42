"""The rules of the engine, each taken away in turn; a recorded schedule notices every one of them."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from tests.simulation import differences, memory_warehouse, row_writes
from tests.simulation.algebra import Relation
from tests.simulation.lake import bag

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.executor import observe, publish, run, step
from lamina.planner import axis, decide_intervals, fold, record, recover, segments
from lamina.state import leases, logs
from lamina.strategies import incremental
from lamina.values.batch import Counts
from lamina.values.coverage import Coverage, Debt, Segment
from lamina.values.interval import Interval
from lamina.values.names import TableName
from lamina.values.touch import Everything, Nothing, Touch
from lamina.warehouse import catalog

# The originals, which some mutants still call.
_owe, _inverse_image, _changed_units = segments.owe, axis.inverse_image, differences.changed_units
_read, _touch, _written = memory_warehouse.MemoryWarehouse._read, publish._touch, row_writes.written


@dataclass(frozen=True)
class Mutant:
    """One rule taken away: where, and what stands in its place."""

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


def _without_window(model: CompiledModel, use: InputUse, ranges: tuple[Interval, ...]) -> tuple[Interval, ...]:
    return _inverse_image(model, use.replace(window_seconds=0), ranges)


def _without_own_future(model: CompiledModel, use: InputUse, ranges: tuple[Interval, ...]) -> tuple[Interval, ...]:
    return () if model.is_own(use) else _inverse_image(model, use, ranges)


def _always_append(segment: Segment, debt: Debt) -> Segment:
    return _owe(segment, debt.replace(is_append=True))


def _added_since(lake: Any, _metadata: Any, pinned: Any, *, since: str) -> Relation:
    """Read the rows that came, and do not mind those that went."""
    came = bag(pinned.relation) - bag(lake.archive[int(since)])
    return Relation(pinned.relation.columns, tuple(came.elements()))


def _move_from_anywhere(connection: Any, name: str, *, table: str, base: str, pointer: str) -> bool:
    here = catalog.pointer(connection, name, TableName(table))
    namespace, _, table_name = table.rpartition(".")
    connection.execute(
        "UPDATE iceberg_tables SET metadata_location = ? WHERE table_namespace = ? AND table_name = ?",
        (pointer, namespace, table_name),
    )
    return here is not None


def _keep_rows_of_empty_slices(batch: Any, model: CompiledModel, old: Any, result: Any) -> Any:
    if batch.mode == "replace_slices" and not result.rows:
        return old.rows, Counts()
    return _written(batch, model, old, result)


def _only_added_rows(added: Any, _removed: Any, column: str) -> Any:
    return _changed_units(added, added, column)


def _read_head(warehouse: Any, name: Any, pin: Any, *, reader: Any) -> Any:
    source = warehouse._sources.get(name)
    if pin is None or source is None or pin.since is not None:
        return _read(warehouse, name, pin, reader=reader)
    head = warehouse.source_heads((source,))[name]
    return _read(warehouse, name, pin.replace(position=head.position), reader=reader)


def _touch_of_equal(ground: Any, staged: Any, diff: Any) -> Touch:
    made = _touch(ground, staged, diff)
    return made.replace(extent=Everything()) if isinstance(made.extent, Nothing) else made


def _trust_log(cursor: Any, log: tuple[Touch, ...], *, current: Any) -> tuple[Touch, ...]:
    return fold._after(log, cursor) if cursor is not None else ()


def _follow_any_move(writer: Any, now: Any, model: CompiledModel) -> None:
    now.moved(model, writer.runtime.warehouse.heads([model.target])[model.target], ())


def _cover_all(_coverage: Coverage, _due: Interval, *, grid: Any) -> tuple[Interval, ...]:
    return () if _coverage.segments else (_due,)


# The warehouse itself refuses to read what is no append.
_NO_GUARD = (memory_warehouse, "_appended", _added_since)

MUTANTS = (
    Mutant("cursor_moves_without_a_debt", "folding a touch makes a debt", fold, "owe", _debt_without_change),
    Mutant(
        "cutoff_removes_an_older_debt", "cutoff never removes a debt", fold, "_no_longer_append", _forget_older_debts
    ),
    Mutant(
        "window_is_forgotten", "a touch stales the inverse image of the window", fold, "inverse_image", _without_window
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
        incremental,
        "appended_since",
        lambda _model, debts: debts[0].since if debts else None,
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
        "missing_link_is_trusted",
        "a log that does not lead to the head touches everything",
        fold,
        "_unfolded",
        _trust_log,
    ),
    Mutant(
        "read_sets_are_ignored",
        "a reader is spared only if its read set is proven equal",
        fold,
        "_holds_for",
        lambda _proof, _reads: True,
    ),
    Mutant(
        "debts_are_never_paid", "a published batch pays the debts its pins cover", record, "_is_paid", lambda *_: False
    ),
    Mutant("pins_are_ignored", "every read is pinned", memory_warehouse.MemoryWarehouse, "_read", _read_head),
    Mutant(
        "removed_rows_are_not_touched",
        "what a file used to hold is touched too",
        differences,
        "changed_units",
        _only_added_rows,
    ),
    Mutant(
        "compaction_is_a_touch",
        "compaction is no touch",
        memory_warehouse,
        "_step_touch",
        lambda name, metadata, step, *, columns: Touch(name, step.position, None, extent=Everything()),
    ),
    Mutant("equal_result_is_a_touch", "an equal result touches nobody", publish, "_touch", _touch_of_equal),
    Mutant(
        "empty_slice_keeps_its_rows",
        "a slice is replaced also by nothing",
        memory_warehouse,
        "written",
        _keep_rows_of_empty_slices,
    ),
    Mutant("gaps_are_not_filled", "missing is due minus coverage", decide_intervals, "missing", _cover_all),
    Mutant(
        "code_is_not_compared",
        "a slice built by other code is stale",
        decide_intervals,
        "rebuild_reason",
        lambda *_: None,
    ),
    Mutant("publish_without_base", "publish is conditional on the base", catalog, "move_pointer", _move_from_anywhere),
    Mutant("publish_without_lease", "every write checks the lease", leases, "check", lambda *_: None),
    Mutant(
        "foreign_write_is_ignored",
        "an unmarked version leaves a debt",
        recover,
        "_owe_itself",
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
    Mutant("stages_are_left", "intents serve to clean stages", run, "_clean_up", lambda _runtime: None),
    Mutant("sources_are_not_asked", "detectors make touches", observe, "_changes", lambda *_, **__: ()),
)
