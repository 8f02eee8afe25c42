"""What a strategy keeps although its query no longer gives it: every rebuild carries that over."""

from lamina.strategies.reading import Reading
from lamina.strategies.traits import Traits, Upsert
from lamina.values.names import ColumnName, folded, folded_names


def saves_rows_of(traits: Traits, use: Reading) -> bool:
    """Say whether a table goes on holding rows of an input that changes or removes them: `keep` saves those.

    An input that is merely looked up gives no rows, and a table that is replaced whole by every build holds none.
    """
    if use.on_touch != "keep":
        return False
    if traits.is_append:
        return use.is_driver
    return use.filter_column is not None if traits.slices is not None else bool(traits.kept_by)


def held_columns(
    upsert: Upsert | None, table: tuple[ColumnName, ...], given: tuple[ColumnName, ...]
) -> tuple[ColumnName, ...]:
    """Return the columns of a table that an upsert leaves alone in rows that come again.

    Those are columns outside `update_columns`, and columns that the query no longer has.
    """
    if upsert is None:
        return ()
    updated = given if upsert.update_columns is None else upsert.update_columns
    changing = folded_names((*upsert.key, *upsert.order_by, *updated))
    return tuple(name for name in table if folded(name) not in changing)
