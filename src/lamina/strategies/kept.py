"""What a strategy keeps although its query no longer gives it: every rebuild carries that over."""

from lamina.compiler.graph import CompiledModel, InputUse
from lamina.project.strategy import DeleteInsert, Incremental, Merge, Strategy, TimeInterval
from lamina.values.names import ColumnName


def kept_by(strategy: Strategy) -> tuple[ColumnName, ...]:
    """Return the columns by which rows that left the query are found and kept; none where a strategy keeps no rows."""
    match strategy:
        case Merge(on_delete="keep"):
            return strategy.unique_key
        case DeleteInsert():
            return strategy.partition_by
        case _:
            return ()


def saves_rows_of(model: CompiledModel, use: InputUse) -> bool:
    """Say whether a table goes on holding rows of an input that changes or removes them: `keep` saves those.

    An input that is merely looked up gives no rows, and a table that is replaced whole by every build holds none.
    """
    if use.on_touch != "keep":
        return False
    match model.settings.strategy:
        case Incremental():
            return use.is_driver
        case TimeInterval():
            return use.filter_column is not None
        case strategy:
            return bool(kept_by(strategy))


def held_columns(
    strategy: Strategy, table: tuple[ColumnName, ...], given: tuple[ColumnName, ...]
) -> tuple[ColumnName, ...]:
    """Return the columns of a table that an upsert leaves alone in rows that come again.

    Those are columns outside `update_columns`, and columns that the query no longer has.
    """
    if not isinstance(strategy, Merge):
        return ()
    updated = given if strategy.update_columns is None else strategy.update_columns
    changing = {name.casefold() for name in (*strategy.unique_key, *strategy.order_by, *updated)}
    return tuple(name for name in table if name.casefold() not in changing)
