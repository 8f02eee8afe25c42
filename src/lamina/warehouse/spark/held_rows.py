"""What a table alone still holds: rows and values that its query no longer gives, and that a rebuild would lose."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from lamina.project.strategy import DeleteInsert, Merge, Strategy
from lamina.values.names import ColumnName
from lamina.values.words import counted, listed
from lamina.warehouse.spark.evolve import Evolution
from lamina.warehouse.spark.sql import quote
from lamina.warehouse.spark.writes import newer, same_keys

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def held_alone(
    strategy: Strategy, change: Evolution, *, result: "DataFrame", older: Callable[[], "DataFrame"]
) -> str | None:
    """Say what of a table a rebuild from a result would lose; None if that is nothing. `older` gives its rows."""
    match strategy:
        case Merge(on_delete="delete", update_columns=None):
            return None
        case Merge():
            keys, order = strategy.unique_key, strategy.order_by
            told = _held_values(strategy, change)
        case DeleteInsert():
            keys, order, told = strategy.partition_by, (), None
        case _:
            return None
    told = told or _not_comparable((*keys, *order), change)
    return told or _held_rows(older(), result, keys=keys, order=order)


def _held_values(strategy: Merge, change: Evolution) -> str | None:
    """Say which values of rows that come again an upsert leaves alone."""
    if strategy.update_columns is not None:
        return "first values of columns outside `update_columns`"
    return f"{listed(change.gone)}, which its query no longer has" if change.gone else None


def _not_comparable(columns: tuple[ColumnName, ...], change: Evolution) -> str | None:
    """Say by which columns the rows of a table cannot be found in a result."""
    wanted = {name.casefold() for name in columns}
    found = [item.column for item in change.mismatched if item.column.casefold() in wanted]
    return f"rows whose {listed(found)} cannot be compared with the new one" if found else None


def _held_rows(
    older: "DataFrame", result: "DataFrame", *, keys: tuple[ColumnName, ...], order: tuple[ColumnName, ...]
) -> str | None:
    """Say how many rows have no successor in a result: one of the same key, and of the same or a higher order."""
    from pyspark.sql import functions

    met = same_keys(keys)
    if order:
        met += f" AND {newer([quote(name) for name in order], '>=')}"
    lost = older.alias("target").join(result.alias("source"), functions.expr(met), "left_anti").count()
    return f"{counted(lost, 'row')} that its query no longer gives" if lost else None
