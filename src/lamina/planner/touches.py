"""What a published batch does to its table's readers, and what to ask of a diff so that fewer are touched."""

from lamina.compiler.graph import CompiledModel
from lamina.planner.axis import column_ranges, grid_of
from lamina.planner.segments import covered
from lamina.project.strategy import TimeInterval
from lamina.values.batch import Batch, Counts, DiffQuestion
from lamina.values.coverage import Coverage
from lamina.values.interval import intersect
from lamina.values.names import TableName
from lamina.values.schema import Schema
from lamina.values.touch import ColumnRanges, Everything, Extent, Ranges

_NAMED = 50  # in wider tables a comparison of each column alone would cost more than it tells


def batch_extent(batch: Batch, model: CompiledModel, *, added: tuple[ColumnRanges, ...]) -> Extent:
    """Return what a batch touches; `added` are the ranges its appended rows lie in, where the warehouse knows them.

    An equal result is `Nothing`, which the diff tells, not the batch.
    """
    strategy = model.settings.strategy
    if batch.mode == "append" and added:
        return Ranges(columns=added)
    if batch.mode == "replace_slices" and isinstance(strategy, TimeInterval):
        ranges = column_ranges(model, batch.slices)
        return Ranges(columns=(ColumnRanges(column=strategy.time_column, ranges=ranges),))
    return Everything()


def is_append(batch: Batch, counts: Counts) -> bool:
    """Say whether a batch only added rows: by appending, or by filling slices that had none, with no file rewritten."""
    return batch.mode == "append" or (batch.mode == "replace_slices" and not counts.deleted and not counts.copied)


def replaces_rows(batch: Batch, coverage: Coverage) -> bool:
    """Say whether a batch builds again what the coverage before it holds, so that a diff can spare readers."""
    # What reads only new rows costs by the change; comparing whole tables would not.
    if batch.base is None or batch.mode == "append" or any(pin.since is not None for pin in batch.pins):
        return False
    return bool(intersect(covered(coverage), batch.slices))


def diff_questions(
    table: TableName, readers: tuple[CompiledModel, ...], *, coverages: dict[str, Coverage]
) -> tuple[DiffQuestion, ...]:
    """Return what to ask of a diff for the readers of a table: by current code, and by code that built their slices."""
    asked: list[DiffQuestion] = []
    for reader in readers:
        grid = grid_of(reader)
        for use in (use for use in reader.inputs if use.name == table):
            unit = grid.unit if grid is not None and use.filter_column is not None else None
            column = use.filter_column if unit is not None else None
            asked.append(DiffQuestion(columns=use.read_set, filter_column=column, unit=unit))
            coverage = coverages.get(reader.name)
            logics = coverage.logics if coverage is not None else ()
            older = (logic for logic in logics if logic.fingerprint != reader.fingerprint and table in logic.reads)
            asked += [DiffQuestion(columns=logic.reads[table]) for logic in older]
    return tuple(dict.fromkeys(asked))


def naming_questions(columns: Schema, questions: tuple[DiffQuestion, ...]) -> tuple[DiffQuestion, ...]:
    """Return a question for each column where a reader may be spared, so that the columns that changed can be named."""
    is_narrow = any(question.columns is not None for question in questions)
    if not is_narrow or len(columns) > _NAMED:
        return ()
    return tuple(DiffQuestion(columns=(column.name,)) for column in columns)
