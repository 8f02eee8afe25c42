"""The catalog port in memory: the second implementation, and how transactions of the state take it along.

What was committed survives a simulated crash; what was not is gone with the transaction that held it.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Lock
from typing import Any, NoReturn

from lamina.state.dialect import StateDatabase, StateTransaction
from lamina.values.batch import Move
from lamina.values.names import CommitId, TableName
from lamina.warehouse.catalog.port import STAGE_NAMESPACE, Transaction, stage_of

Pointers = dict[TableName, str]

VIEW = "view:"  # how the pointer of a view begins


class MemoryTransaction:
    """A transaction of the catalog alone."""

    def __init__(self, draft: Pointers) -> None:
        self.draft = draft

    def execute(self, statement: str, values: Any = (), /) -> NoReturn:
        """Refuse SQL: this catalog has none."""
        raise AssertionError(f"a catalog in memory was given SQL: {statement}")

    def executemany(self, statement: str, rows: Any, /) -> NoReturn:
        """Refuse SQL: this catalog has none."""
        raise AssertionError(f"a catalog in memory was given SQL: {statement}")


class JoinedTransaction(StateTransaction):
    """A transaction of the state that takes the catalog along."""

    def __init__(self, state: StateTransaction, draft: Pointers) -> None:
        super().__init__(state, state.dialect, location=state.location)
        self.draft = draft


class MemoryCatalog:
    """Owns the committed pointers, of tables and of stages; a transaction works on a draft of them."""

    def __init__(self) -> None:
        self._committed: Pointers = {}
        self._lock = Lock()

    @contextmanager
    def reading(self) -> Iterator[MemoryTransaction]:
        """Give one consistent view."""
        yield MemoryTransaction(self._committed)

    @contextmanager
    def writing(self) -> Iterator[MemoryTransaction]:
        """Give a transaction that is committed whole, or not at all when the block raises."""
        with self._lock:
            draft = dict(self._committed)
            yield MemoryTransaction(draft)
            # Never changed in place: a reader keeps the view it was given.
            self._committed = draft

    def pointers(self, transaction: Transaction) -> Pointers:
        """Return where the metadata of every table is, stages left out."""
        named = _draft(transaction).items()
        return {table: pointer for table, pointer in named if not _is_stage(table) and not _is_view(pointer)}

    def views(self, transaction: Transaction) -> Pointers:
        """Return where the metadata of every view is, stages left out."""
        named = _draft(transaction).items()
        return {table: pointer for table, pointer in named if not _is_stage(table) and _is_view(pointer)}

    def pointer(self, transaction: Transaction, table: TableName) -> str | None:
        """Return where the metadata of one table, or of a stage, is."""
        return _draft(transaction).get(table)

    def publish(self, transaction: Transaction, moves: tuple[Move, ...]) -> Move | None:
        """Apply moves and drop their stages; return the first whose target is not at its base, to be rolled back."""
        draft = _draft(transaction)
        for move in moves:
            if move.view is not None and draft.get(move.target) == move.view:
                del draft[move.target]
            is_staged = move.base is not None or draft.get(TableName(move.stage)) == move.pointer
            if not is_staged or not is_at_base(draft, move):
                return move
            draft[move.target] = move.pointer
            draft.pop(TableName(move.stage), None)
        return None

    def register(self, transaction: Transaction, table: TableName, *, pointer: str) -> None:
        """Point a table or a stage at metadata, whether it is there or not; never to publish."""
        _draft(transaction)[table] = pointer

    def drop(self, transaction: Transaction, table: TableName) -> None:
        """Forget a table or a stage, if it is there."""
        _draft(transaction).pop(table, None)

    def stages(self, transaction: Transaction) -> tuple[CommitId, ...]:
        """Return the batches that have a stage, in order."""
        found = (table for table in _draft(transaction) if _is_stage(table))
        return tuple(sorted(CommitId(table.removeprefix(stage_of(CommitId("")))) for table in found))

    def put_back(self, pointers: Pointers) -> None:
        """Hold these pointers and no others, as a catalog that was put back from a copy."""
        with self.writing() as transaction:
            transaction.draft.clear()
            transaction.draft.update(pointers)


class JoinedDatabase:
    """A database of the state, whose transactions hold the catalog too: both are committed, or neither."""

    def __init__(self, state: StateDatabase, catalog: MemoryCatalog) -> None:
        self._state = state
        self._catalog = catalog

    @contextmanager
    def reading(self) -> Iterator[StateTransaction]:
        """Give one consistent view of both."""
        with self._state.reading() as transaction, self._catalog.reading() as own:
            yield JoinedTransaction(transaction, own.draft)

    @contextmanager
    def writing(self) -> Iterator[StateTransaction]:
        """Give one transaction of both; the state commits first, and then nothing can keep the catalog from it."""
        with self._catalog.writing() as own, self._state.writing() as transaction:
            yield JoinedTransaction(transaction, own.draft)

    def keep_copy(self, *, at: datetime) -> None:
        """Copy the state; the world remembers the pointers by itself."""
        self._state.keep_copy(at=at)

    def close(self) -> None:
        """Release the state; the catalog outlives its processes."""
        self._state.close()


def is_at_base(draft: Pointers, move: Move) -> bool:
    """Return whether the target of a move is where it was when the batch was staged."""
    return draft.get(move.target) == move.base


def _draft(transaction: Transaction) -> Pointers:
    assert isinstance(transaction, MemoryTransaction | JoinedTransaction), "a transaction of another catalog"
    return transaction.draft


def _is_view(pointer: str) -> bool:
    return pointer.startswith(VIEW)


def _is_stage(table: TableName) -> bool:
    return table.startswith(f"{STAGE_NAMESPACE}.")
