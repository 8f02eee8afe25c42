"""What ends a batch whose columns are not those of its table."""

from lamina.values.words import listed
from lamina.warehouse.failure import RebuildNeeded, WarehouseFailure
from lamina.warehouse.spark.evolve import Mismatch


class DriftRefused(RebuildNeeded):
    """A result's columns do not fit the table, and nothing may be done about it in place.

    Why: rows that are already there cannot take the new type.
    Fix: `lamina run` builds the table anew; where it does not, `lamina run --full-refresh -s MODEL` does.
    """

    code = "L501"

    def __init__(self, model: str, mismatches: tuple[Mismatch, ...]) -> None:
        super().__init__(
            f"columns of `{model}` changed in a way its table cannot follow: {_told(mismatches)}",
            kind="data_rejected",
            hint=f"`lamina run -s {model}` builds the table anew with the new types, where that loses nothing",
        )


class DriftForbidden(WarehouseFailure):
    """A result's columns changed and the model says `on_drift = "fail"`.

    Why: the input brought other columns or types under unchanged code.
    Fix: mend the input, or set `on_drift = "evolve"` so that the table follows.
    """

    code = "L502"

    def __init__(self, model: str, columns: tuple[str, ...]) -> None:
        super().__init__(
            f"columns of `{model}` changed under unchanged code: {', '.join(f'`{name}`' for name in columns)}",
            kind="data_rejected",
            hint='set `on_drift = "evolve"` to let the table follow, or fix the source',
        )


class DriftLosesHistory(WarehouseFailure):
    """A column changed its type, and a rebuild would lose what the table alone still holds.

    Why: `merge` and `delete_insert` keep rows that left their source; they cannot take the new type, and building the
    table anew would not bring them back.
    Fix: bring the old type back in the source, or give up what it no longer holds with
    `lamina run --full-refresh -s MODEL`.
    """

    code = "L503"

    def __init__(self, model: str, mismatches: tuple[Mismatch, ...], *, held: str) -> None:
        super().__init__(
            f"`{model}` holds {held}; a rebuild would lose that, and it cannot follow {_told(mismatches)}",
            kind="data_rejected",
            hint=f"bring the old type back in the source, or give it up with `lamina run --full-refresh -s {model}`",
        )


class NeededColumnGone(WarehouseFailure):
    """A result lacks a column that its model's strategy cannot do without.

    Why: rows are found by their key, ordered by `order_by` and cut by their time; null in its place, a column would
    make all rows one, none of them the newest, or none of them belong to a slice.
    Fix: bring the column back in the input, or correct the strategy.
    """

    code = "L504"

    def __init__(self, model: str, columns: tuple[str, ...]) -> None:
        super().__init__(
            f"the result of `{model}` has no column {listed(columns)}, which its strategy needs",
            kind="query_rejected",
            hint="bring the column back in the input, or correct `[strategy]`",
        )


def _told(mismatches: tuple[Mismatch, ...]) -> str:
    return "; ".join(f"`{item.column}` from {item.before} to {item.after}" for item in mismatches)
