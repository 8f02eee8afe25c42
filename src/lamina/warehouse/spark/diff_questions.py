"""Which columns a question about old and new rows compares, and whether they can be compared."""

from lamina.values.batch import DiffQuestion
from lamina.values.names import folded, folded_names
from lamina.values.schema import Schema
from lamina.warehouse.spark.checksum import is_hashable

ALL = DiffQuestion(columns=None)

TIMES = frozenset({"date", "timestamp", "timestamp_ntz"})


def compared(question: DiffQuestion, before: Schema, after: Schema) -> Schema | None:
    """Return the columns a question compares, none where only rows are counted; None where they cannot be compared."""
    old = {folded(column.name): column for column in before}
    new = {folded(column.name): column for column in after}
    if question.columns is None and old.keys() != new.keys():
        return None
    names = folded_names(new if question.columns is None else question.columns)
    if question.filter_column is not None:
        names |= {folded(question.filter_column)}
    if not names <= old.keys() or not names <= new.keys():
        return None
    if question.filter_column is not None and new[folded(question.filter_column)].type not in TIMES:
        return None  # it was a time when the code that asks was written
    if any(old[name].type != new[name].type or not is_hashable(new[name].type) for name in names):
        return None
    return tuple(new[name] for name in sorted(names))
