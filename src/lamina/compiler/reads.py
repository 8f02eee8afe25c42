"""What a query reads, by what it is read for; kept for ephemeral models, which their consumers see through."""

from lamina.values.value import Value

Origin = tuple[str, str]  # table, column


class Place(Value, frozen=True, array_like=True):
    """One place where a table is read, with the filter on it and the way from output columns to its own."""

    table: str
    filter_column: str | None
    path: dict[str, str] | None

    def origin(self, name: str) -> str | None:
        """Return the table's column that stands under a name here."""
        return name if self.path is None else self.path.get(name.lower())

    def blocked(self) -> "Place":
        """Return the same place seen through something that a filter cannot pass."""
        return Place(self.table, self.filter_column, {})


class Reads(Value, frozen=True, array_like=True):
    """Everything one query reads, by what it is read for; the tables are no ephemeral models."""

    tables: tuple[str, ...]
    for_rows: tuple[Origin, ...]
    for_columns: dict[str, tuple[Origin, ...]]  # by output column in lower case
    for_star: tuple[str, ...]  # tables whose further columns would appear in the output
    places: tuple[Place, ...]
