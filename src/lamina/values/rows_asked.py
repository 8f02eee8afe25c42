"""What is wanted of one table, plain enough to be answered by any reader of the table."""

from typing import Any

from lamina.values.names import ColumnName
from lamina.values.value import Value


class Comparison(Value, frozen=True):
    """One comparison of a column with a constant, or with null."""

    column: ColumnName
    operator: str  # a name in `pyarrow.compute`
    value: Any = None


class RowsAsked(Value, frozen=True):
    """What is wanted of one table: which columns under which names, of which rows, in which order; or their number."""

    columns: tuple[tuple[ColumnName, str], ...] | None = None  # None: all
    where: tuple[Comparison, ...] = ()
    order_by: ColumnName | None = None
    most: int | None = None
    count_as: str | None = None  # the name of the only column, which counts the rows
