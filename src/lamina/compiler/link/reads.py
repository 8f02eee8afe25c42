"""What a query reads, by what it is read for; kept for ephemeral models, which their consumers see through."""

from lamina.values.value import Value

Origin = tuple[str, str]  # table, column


class Reads(Value, frozen=True, array_like=True):
    """Everything one query reads, by what it is read for; the tables are not ephemeral models."""

    tables: tuple[str, ...]
    for_rows: tuple[Origin, ...]
    for_columns: dict[str, tuple[Origin, ...]]  # by output column in lower case
    for_star: tuple[str, ...]  # tables whose further columns would appear in the output
