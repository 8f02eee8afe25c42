"""What ends a batch of a snapshot whose rows have no one place in its history."""

from collections.abc import Iterable

from lamina.values.words import listed
from lamina.warehouse.failure import WarehouseFailure


class AmbiguousVersions(WarehouseFailure):
    """Several different rows of a snapshot have the same key, and nothing says which of them is valid.

    Why: with `updated_at` a key has one row for each time, with `check_columns` it has one row. Rows that are equal in
    all columns count as one.
    Fix: leave the others out in the query, or add a column to `unique_key` that distinguishes them.
    """

    code = "L288"

    def __init__(self, model: str, keys: Iterable[str], *, updated_at: str | None) -> None:
        same = "key" if updated_at is None else f"key and the same `{updated_at}`"
        super().__init__(
            f"different rows of `{model}` have the same {same}: {listed(keys)}",
            kind="data_rejected",
            hint="leave the others out in the query, or add a column to `unique_key` that distinguishes them",
        )


class UndatedVersions(WarehouseFailure):
    """Rows of a snapshot have no `updated_at`, so that they have no place in its history.

    Why: each version is valid from its `updated_at` on.
    Fix: leave such rows out in the query, give them a time there, or use `check_columns`.
    """

    code = "L289"

    def __init__(self, model: str, keys: Iterable[str], *, updated_at: str) -> None:
        super().__init__(
            f"`{updated_at}` is null in rows of `{model}`: {listed(keys)}",
            kind="data_rejected",
            hint="leave such rows out in the query, give them a time there, or use `check_columns`",
        )
