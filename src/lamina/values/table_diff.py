"""Two tables, or two versions of one, side by side: columns, rows, and which values differ."""

from typing import Any, Literal

from lamina.values.value import Value


class RetypedColumn(Value, frozen=True):
    """A column that both tables have, with another type."""

    column: str
    left: str
    right: str


class ColumnsDiff(Value, frozen=True):
    """How the columns differ; their order and whether they may be null do not count."""

    added: tuple[str, ...] = ()  # only in the right table
    removed: tuple[str, ...] = ()  # only in the left table
    retyped: tuple[RetypedColumn, ...] = ()


class NotCompared(Value, frozen=True):
    """A column whose values were not compared, and why."""

    column: str
    reason: str


class ExampleRow(Value, frozen=True):
    """A row that differs: values by column; of a changed row only the key and what differs."""

    kind: Literal["changed", "only_left", "only_right"]
    left: dict[str, Any] | None = None
    right: dict[str, Any] | None = None
    key: dict[str, Any] | None = None  # None without a key
    count: int = 1  # how many more of it one side has


class TableDiff(Value, frozen=True):
    """How two tables differ."""

    table: str
    status: Literal["equal", "different"]
    columns: ColumnsDiff = ColumnsDiff()
    rows_left: int | None = None  # None: not known, because no row was read
    rows_right: int | None = None
    only_left: int = 0
    only_right: int = 0
    rows_changed: int = 0  # with one key, and other values
    changed: dict[str, int] = {}  # by column, in how many of these rows it differs
    key: tuple[str, ...] = ()  # by which rows are matched; none: whole rows are counted
    examples: tuple[ExampleRow, ...] = ()
    not_compared: tuple[NotCompared, ...] = ()
    notes: tuple[str, ...] = ()


class DiffResult(Value, frozen=True):
    """The document of `diff`."""

    left: str  # as it was named, with its version
    right: str
    tables: tuple[TableDiff, ...]
    is_strict: bool = False  # a difference is a failure

    @property
    def status(self) -> Literal["equal", "different"]:
        """Return whether every table equals its counterpart."""
        return "equal" if all(item.status == "equal" for item in self.tables) else "different"

    @property
    def exit_code(self) -> int:
        """Return 1 for a difference where that was asked for."""
        return 1 if self.is_strict and self.status == "different" else 0

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        from lamina.values.html import diff_html

        return diff_html(self)
