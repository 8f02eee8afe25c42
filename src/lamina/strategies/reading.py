"""What a strategy asks about one input of its model."""

from typing import Literal, Protocol

from lamina.values.names import ColumnName, TableName


class Reading(Protocol):
    """How a model reads one input."""

    @property
    def name(self) -> TableName:
        """The table that is read."""

    @property
    def is_driver(self) -> bool:
        """Return whether it is the driving input."""

    @property
    def filter_column(self) -> ColumnName | None:
        """The column by which a slice reads its own rows; None: it reads any."""

    @property
    def on_touch(self) -> Literal["rebuild", "keep"]:
        """What a change of rows that were read does."""
