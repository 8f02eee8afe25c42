"""Which files of a source the slices of a batch can see, by the ranges that also decide which slices a file touches."""

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.planner.axis import can_see
from lamina.project.source import SourceTable
from lamina.values.interval import Interval, intersect
from lamina.values.names import ColumnName, TableName, folded
from lamina.values.schema import UNKNOWN
from lamina.warehouse.files.formats import format_of
from lamina.warehouse.files.manifest import FileEntry, HeldFile, Manifest
from lamina.warehouse.files.partition_folders import folder_values


def needed_files(model: CompiledModel, source: SourceTable, held: Manifest, *, span: Interval) -> tuple[FileEntry, ...]:
    """Return the files to read for a range of a model's slices; one whose times are not known is always read."""
    use = next((item for item in model.inputs if item.name == TableName(source.name)), None)
    if use is None or not _is_proven(model, use) or not _is_known(source, use.filter_column, held):
        return held.entries
    needed = tuple(item.file for item in held.files if _is_needed(model, use, item, span=span))
    # A frame of no files would not have the columns of folders where Spark puts them.
    return needed or held.entries[:1]


def may_hold_rows(source: SourceTable, held: Manifest, *, column: ColumnName, span: Interval) -> bool:
    """Return whether some file may have rows in a range of a column; one whose times are not known may."""
    if not _is_known(source, column, held):
        return True
    known = [[item.ranges for item in file.held if item.column == column] for file in held.files]
    return any(not ranges or intersect(ranges[0], (span,)) for ranges in known)


def _is_proven(model: CompiledModel, use: InputUse) -> bool:
    """Return whether a query is known to read an input by its filter column and declared window only."""
    slices = model.traits.slices
    if use.filter_column is None or model.kind != "sql" or slices is None:
        return False
    if use.on_touch == "keep":  # how far such an input is read back is not asked
        return False
    # Findings about reads outside the range may be allowed; of one-slice batches some clauses are not looked into.
    return not model.settings.allow and slices.batch_size != 1


def _is_known(source: SourceTable, column: ColumnName | None, held: Manifest) -> bool:
    """Return whether ranges are those of the values Spark sees, and columns do not depend on which files are read."""
    kinds = {folded(column.name): column.type for column in source.columns}
    kind = kinds.get(folded(column or ""))
    if kind not in format_of(source).range_types or UNKNOWN in kinds.values():
        return False
    return all(folded(name) in kinds for item in held.files for name, _ in folder_values(item.file.path))


def _is_needed(model: CompiledModel, use: InputUse, item: HeldFile, *, span: Interval) -> bool:
    ranges = next((held.ranges for held in item.held if held.column == use.filter_column), None)
    return ranges is None or can_see(model, use, ranges, span=span)
