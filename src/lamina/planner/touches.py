"""What a published batch does to its table's readers, and what to ask of a diff so that fewer are touched."""

from lamina.compiler.graph import CompiledModel
from lamina.compiler.slices.units import DAY_OR_LONGER, is_whole_in
from lamina.planner.axis import column_ranges, grid_of
from lamina.planner.segments import covered, ever_built
from lamina.values.batch import Batch, Counts, Diff, DiffQuestion, Staged
from lamina.values.coverage import Coverage, InputRange
from lamina.values.grid import Grid
from lamina.values.interval import WHOLE, Interval, intersect, merge, subtract
from lamina.values.names import ColumnName, TableName
from lamina.values.schema import Schema
from lamina.values.touch import ColumnRanges, Everything, Extent, Nothing, Ranges, Touch

_NAMED = 50  # in wider tables a comparison of each column alone would cost more than it is worth


def batch_extent(batch: Batch, model: CompiledModel, *, added: tuple[ColumnRanges, ...], is_appended: bool) -> Extent:
    """Return what a batch touches; `added` are the ranges its appended rows lie in, where the warehouse knows them.

    An equal result is `Nothing`, which the diff shows, not the batch.
    """
    slices = model.traits.slices
    if batch.mode == "rewrite":
        return Nothing()
    if batch.is_base_lost:
        return Everything()
    if batch.mode == "append" and is_appended and added:
        return Ranges(columns=added)
    if batch.mode == "replace_slices" and slices is not None:
        ranges = column_ranges(model, batch.slices)
        return Ranges(columns=(ColumnRanges(column=slices.time_column, ranges=ranges),))
    return Everything()


def adds_nothing(staged: Staged) -> bool:
    """Say whether an append had no row to add, so that no reader is touched by it."""
    counts = staged.counts
    return staged.batch.mode == "append" and not counts.written and not counts.deleted and not staged.drift


def is_append(batch: Batch, counts: Counts) -> bool:
    """Say whether a batch only added rows: by appending, or by filling slices that had none, with no file rewritten."""
    if batch.is_base_lost:
        return False
    return batch.mode in ("append", "replace_slices") and not counts.deleted and not counts.copied


def new_slices(batch: Batch, coverage: Coverage) -> tuple[Interval, ...] | None:
    """Return the slices of a batch that were not built before: all their rows are new; None for a whole table."""
    return None if WHOLE in batch.slices else subtract(batch.slices, ever_built(coverage))


def has_new_rows(batch: Batch, coverage: Coverage) -> bool:
    """Say whether a reader can distinguish new rows from changed ones: new slices, or new keys of a whole table."""
    slices = new_slices(batch, coverage)
    return batch.mode != "rewrite" if slices is None else bool(slices)


def is_compared(batch: Batch, coverage: Coverage, questions: tuple[DiffQuestion, ...], counts: Counts) -> bool:
    """Say whether a batch builds again what the coverage before it holds, so that a diff can spare readers."""
    if batch.base is None or batch.is_base_lost or batch.mode == "rewrite":
        return False
    if batch.mode == "append" and is_append(batch, counts):
        return False
    if not questions and any(pin.since is not None for pin in batch.pins):
        return False  # new rows differ from what is there, and no reader asks where
    return bool(intersect(covered(coverage), batch.slices))


def diff_questions(
    table: TableName, readers: tuple[CompiledModel, ...], *, coverages: dict[str, Coverage]
) -> tuple[DiffQuestion, ...]:
    """Return what to ask of a diff for the readers of a table: by current code, and by code that built their slices."""
    asked: list[DiffQuestion] = []
    for reader in readers:
        grid = grid_of(reader)
        for use in (use for use in reader.inputs if use.name == table):
            asked.append(_question(use.read_set, grid, use.range))
            coverage = coverages.get(reader.name)
            logics = coverage.logics if coverage is not None else ()
            older = (logic for logic in logics if logic.fingerprint != reader.fingerprint and table in logic.reads)
            asked += [_question(logic.reads[table], logic.grid, logic.ranges.get(table)) for logic in older]
    return tuple(dict.fromkeys(asked))


def _question(columns: tuple[ColumnName, ...] | None, grid: Grid | None, read: InputRange | None) -> DiffQuestion:
    """Return what code that reads some columns of a table wants to know: where they differ, if it reads by a range."""
    if grid is None or read is None:
        return DiffQuestion(columns=columns)
    return DiffQuestion(columns=columns, filter_column=read.column, unit=_unit_asked(grid, read))


def _unit_asked(grid: Grid, read: InputRange) -> str:
    """Return the unit of UTC to group changes by: a local day of instants begins at some quarter of an hour."""
    is_local = grid.zone != "UTC" and grid.unit in DAY_OR_LONGER and not read.is_date
    if is_local:
        return "hour" if is_whole_in(grid.zone, "hour") else "15 minutes"
    return grid.unit


def one_touch(touches: tuple[Touch, ...]) -> Touch:
    """Return several steps of a source as one: what two positions prove holds for no step between them."""
    first, last = touches[0], touches[-1]
    if len(touches) == 1:
        return last
    counts = [touch.rows_added for touch in touches]
    is_counted = all(count is not None for count in counts)
    return Touch(
        table=last.table,
        position=last.position,
        parent=first.parent,
        extent=_joined(tuple(touch.extent for touch in touches)),
        is_append=all(touch.is_append or isinstance(touch.extent, Nothing) for touch in touches),
        has_new_rows=any(touch.has_new_rows or touch.is_append for touch in touches),
        rows_added=sum(count or 0 for count in counts) if is_counted else None,
        detail=", ".join(dict.fromkeys(touch.detail for touch in touches if touch.detail)),
    )


def _joined(extents: tuple[Extent, ...]) -> Extent:
    """Return all that some extents hold together; ranges of a column are known where each of them knows them."""
    changed = [extent for extent in extents if not isinstance(extent, Nothing)]
    if not changed:
        return Nothing()
    known = [{item.column: item.ranges for item in extent.columns} for extent in changed if isinstance(extent, Ranges)]
    shared = [name for name in known[0] if all(name in item for item in known)] if len(known) == len(changed) else []
    ranges = ((name, merge(tuple(span for item in known for span in item[name]))) for name in shared)
    columns = tuple(ColumnRanges(column=name, ranges=spans) for name, spans in ranges)
    return Ranges(columns=columns) if columns else Everything()


def naming_questions(columns: Schema, diff: Diff) -> tuple[DiffQuestion, ...]:
    """Return a question for each column that may have changed, where a reader is spared and will be shown which did."""
    proofs = [proof.columns for proof in diff.refinements if proof.is_equal and proof.columns is not None]
    if diff.is_equal or not proofs or len(columns) > _NAMED:
        return ()
    equal = {name.lower() for names in proofs for name in names}
    others = tuple(column.name for column in columns if column.name.lower() not in equal)
    # A single one is what changed, or there would be no difference.
    return tuple(DiffQuestion(columns=(name,)) for name in others) if len(others) > 1 else ()
