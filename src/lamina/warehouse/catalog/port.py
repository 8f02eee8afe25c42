"""The port to the catalog: where the metadata of each table is, asked and moved inside a transaction that is given.

The transaction belongs to the caller, so that pointers and rows of the state can change together or not at all.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

from lamina.values.batch import Move
from lamina.values.names import CommitId, TableName

STAGE_NAMESPACE = "lamina__stage"


class Answer(Protocol):
    """The rows that a statement returns, or how many it changed."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def fetchone(self) -> Any:
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""

    def __iter__(self) -> Iterator[Any]:
        """Go through the rows."""


class Transaction(Protocol):
    """An open transaction of a database; statements are standard SQL with `?` for each value, in order."""

    def execute(self, statement: str, values: Sequence[Any] = ..., /) -> Answer:
        """Run one statement."""

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> Answer:
        """Run one statement for each row of values."""


class Catalog(Protocol):
    """What lamina asks of a catalog; a stage is a table in a namespace of its own."""

    def pointers(self, transaction: Transaction) -> dict[TableName, str]:
        """Return where the metadata of every table is, stages left out."""

    def pointer(self, transaction: Transaction, table: TableName) -> str | None:
        """Return where the metadata of one table, or of a stage, is."""

    def views(self, transaction: Transaction) -> dict[TableName, str]:
        """Return where the metadata of every view is, stages left out; a view is no table."""

    def publish(self, transaction: Transaction, moves: tuple[Move, ...]) -> Move | None:
        """Apply moves and drop their stages; return the first whose target is not at its base, to be rolled back."""

    def register(self, transaction: Transaction, table: TableName, *, pointer: str) -> None:
        """Point a table or a stage at metadata, whether it is there or not; never to publish."""

    def drop(self, transaction: Transaction, table: TableName) -> None:
        """Forget a table or a stage, if it is there; files are left alone."""

    def stages(self, transaction: Transaction) -> tuple[CommitId, ...]:
        """Return the batches that have a stage, in order."""


def stage_of(commit: CommitId) -> TableName:
    """Return the name of the stage of a batch; `Move.stage` holds it."""
    return TableName(f"{STAGE_NAMESPACE}.{commit}")
