"""What ends a batch whose columns are not those of its table."""

from lamina.values.words import listed
from lamina.warehouse.failure import RebuildNeeded, WarehouseFailure
from lamina.warehouse.spark.evolve import Mismatch


class DriftRefused(RebuildNeeded):
    """A result's columns do not fit the table, and the table cannot be changed in place.

    Why: rows that are already there cannot take the new type.
    Fix: `lamina run` builds the table again; if it does not, use `lamina run --full-refresh -s MODEL`.
    """

    code = "L501"

    def __init__(self, model: str, mismatches: tuple[Mismatch, ...]) -> None:
        super().__init__(
            f"columns of `{model}` changed in a way its table cannot follow: {_in_words(mismatches)}",
            kind="data_rejected",
            hint=f"`lamina run -s {model}` builds the table again with the new types, where that loses nothing",
        )


class DriftForbidden(WarehouseFailure):
    """A result's columns changed and the model says `on_drift = "fail"`.

    Why: the input has other columns or types than before, while the code is unchanged.
    Fix: correct the input, or set `on_drift = "evolve"` so that the table follows.
    """

    code = "L502"

    def __init__(self, model: str, columns: tuple[str, ...]) -> None:
        super().__init__(
            f"columns of `{model}` changed under unchanged code: {', '.join(f'`{name}`' for name in columns)}",
            kind="data_rejected",
            hint='set `on_drift = "evolve"` to let the table follow, or fix the source',
        )


class DriftLosesHistory(WarehouseFailure):
    """A column changed its type, and a rebuild would lose rows that only the table holds.

    Why: rows that left their source are carried over by every rebuild; these cannot take the new type.
    Fix: bring the old type back, or drop the rows that only the table holds with
    `lamina run --full-refresh --accept-loss -s MODEL`.
    """

    code = "L503"

    def __init__(self, model: str, mismatches: tuple[Mismatch, ...], *, held: str) -> None:
        super().__init__(
            f"`{model}` holds {held}; a rebuild would lose that, because it cannot be cast: {_in_words(mismatches)}",
            kind="data_rejected",
            hint="bring the old type back, or drop what only the table holds with "
            f"`lamina run --full-refresh --accept-loss -s {model}`",
        )


class KeptRowsCollide(WarehouseFailure):
    """Rows that only the table holds cannot be identified by the columns that the strategy names now.

    Why: a rebuild carries rows that left their source over; under another key they would be lost or doubled.
    Fix: bring the old key back, or drop the rows with `lamina run --full-refresh --accept-loss -s MODEL`.
    """

    code = "L505"

    def __init__(self, model: str, why: str) -> None:
        super().__init__(
            f"`{model}` holds rows that its query no longer gives, and they cannot be carried over: {why}",
            kind="data_rejected",
            hint=f"bring the old key back, or drop them with `lamina run --full-refresh --accept-loss -s {model}`",
        )


class KeptRowsMixed(WarehouseFailure):
    """Another writer wrote to a table, and rows that only the table holds cannot be distinguished from theirs any more.

    Why: a rebuild takes such rows from the last version before the other writer's, and that one has expired.
    Fix: keep the rows of both with `lamina accept MODEL`, or drop both with
    `lamina run --full-refresh --accept-loss -s MODEL`.
    """

    code = "L506"

    def __init__(self, model: str) -> None:
        super().__init__(
            f"rows that only the table holds cannot be separated from those that another writer put into `{model}`: "
            "the version before has expired",
            kind="conflict",
            hint=f"keep all of them with `lamina accept {model}`, "
            f"or drop all with `lamina run --full-refresh --accept-loss -s {model}`",
        )


class NeededColumnGone(WarehouseFailure):
    """A result lacks a column that its model's strategy needs.

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


def _in_words(mismatches: tuple[Mismatch, ...]) -> str:
    return "; ".join(f"`{item.column}` from {item.before} to {item.after}" for item in mismatches)
