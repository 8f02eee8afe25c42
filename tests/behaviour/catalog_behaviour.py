"""What every catalog does; a test class inherits this and gives the `shelf` fixture."""

from contextlib import AbstractContextManager, suppress
from threading import Barrier, Thread
from typing import Protocol

import pytest

from lamina.values.batch import Move
from lamina.values.names import CommitId, TableName
from lamina.warehouse.catalog.port import Catalog, Transaction, stage_of

ORDERS = TableName("sales.orders")
REFUNDS = TableName("sales.refunds")
STAGE = stage_of(CommitId("c1"))
OTHER_STAGE = stage_of(CommitId("c2"))
REBUILD = Move(ORDERS, base="p1", pointer="p2", stage=STAGE)
FIRST_BUILD = Move(REFUNDS, base=None, pointer="p9", stage=OTHER_STAGE)


class Shelf(Protocol):
    """A catalog with transactions of its own."""

    @property
    def catalog(self) -> Catalog:
        """The catalog."""

    def writing(self) -> AbstractContextManager[Transaction]:
        """Give a transaction that is committed whole, or not at all when the block raises."""


class Killed(BaseException):
    """The process ends in the middle of a transaction."""


def put(shelf: Shelf, **pointers: str) -> None:
    """Register `orders`, `refunds`, `stage` and `other_stage`."""
    names = {"orders": ORDERS, "refunds": REFUNDS, "stage": STAGE, "other_stage": OTHER_STAGE}
    with shelf.writing() as transaction:
        for name, pointer in pointers.items():
            shelf.catalog.register(transaction, names[name], pointer=pointer)


def publish(shelf: Shelf, *moves: Move) -> Move | None:
    """Publish as the state does: what is refused is rolled back."""
    refused: Move | None = None
    with suppress(Killed), shelf.writing() as transaction:
        refused = shelf.catalog.publish(transaction, moves)
        if refused is not None:
            raise Killed
    return refused


def seen(shelf: Shelf) -> tuple[dict[TableName, str], tuple[CommitId, ...]]:
    """Return the tables and the stages."""
    with shelf.writing() as transaction:
        return shelf.catalog.pointers(transaction), shelf.catalog.stages(transaction)


class CatalogBehaviour:
    """Pointers move only from where they are thought to be, and only with the transaction they are in."""

    def test_stages_are_not_listed_among_tables(self, shelf: Shelf) -> None:
        put(shelf, orders="p1", other_stage="p3", stage="p2")
        assert seen(shelf) == ({ORDERS: "p1"}, ("c1", "c2"))
        with shelf.writing() as transaction:
            assert shelf.catalog.pointer(transaction, STAGE) == "p2"
            assert shelf.catalog.pointer(transaction, REFUNDS) is None

    def test_registering_again_takes_the_place_of_what_was_there(self, shelf: Shelf) -> None:
        put(shelf, orders="p1", stage="p2")
        put(shelf, orders="p3", stage="p4")
        assert seen(shelf) == ({ORDERS: "p3"}, ("c1",))

    def test_dropping_what_is_not_there_does_nothing(self, shelf: Shelf) -> None:
        put(shelf, orders="p1", stage="p2")
        for _ in range(2):
            with shelf.writing() as transaction:
                shelf.catalog.drop(transaction, STAGE)
        assert seen(shelf) == ({ORDERS: "p1"}, ())

    def test_a_publish_moves_the_pointer_and_drops_the_stage(self, shelf: Shelf) -> None:
        put(shelf, orders="p1", stage="p2")
        assert publish(shelf, REBUILD) is None
        assert seen(shelf) == ({ORDERS: "p2"}, ())

    @pytest.mark.parametrize("here", [{"orders": "p0"}, {}])
    def test_a_table_that_is_not_at_its_base_is_not_moved(self, shelf: Shelf, here: dict[str, str]) -> None:
        put(shelf, stage="p2", **here)
        before = seen(shelf)
        assert publish(shelf, REBUILD) == REBUILD
        assert seen(shelf) == before

    def test_a_first_publish_gives_the_stage_the_name_of_the_table(self, shelf: Shelf) -> None:
        put(shelf, other_stage="p9")
        assert publish(shelf, FIRST_BUILD) is None
        assert seen(shelf) == ({REFUNDS: "p9"}, ())

    @pytest.mark.parametrize("there", [{"refunds": "p1"}, {"refunds": "p9"}])
    def test_a_first_publish_over_a_table_is_refused(self, shelf: Shelf, there: dict[str, str]) -> None:
        put(shelf, other_stage="p9", **there)
        before = seen(shelf)
        assert publish(shelf, FIRST_BUILD) == FIRST_BUILD
        assert seen(shelf) == before

    @pytest.mark.parametrize("stage", [{}, {"other_stage": "p8"}])
    def test_a_first_publish_needs_its_stage(self, shelf: Shelf, stage: dict[str, str]) -> None:
        put(shelf, **stage)
        assert publish(shelf, FIRST_BUILD) == FIRST_BUILD
        assert seen(shelf)[0] == {}

    def test_several_tables_are_published_at_once(self, shelf: Shelf) -> None:
        put(shelf, orders="p1", stage="p2", other_stage="p9")
        assert publish(shelf, REBUILD, FIRST_BUILD) is None
        assert seen(shelf) == ({ORDERS: "p2", REFUNDS: "p9"}, ())

    def test_of_several_tables_none_is_published_when_one_has_moved(self, shelf: Shelf) -> None:
        put(shelf, orders="p1", refunds="p7", stage="p2", other_stage="p9")
        before = seen(shelf)
        assert publish(shelf, REBUILD, FIRST_BUILD) == FIRST_BUILD
        assert seen(shelf) == before

    def test_changes_of_a_transaction_that_is_killed_were_seen_in_it_only(self, shelf: Shelf) -> None:
        put(shelf, orders="p1", stage="p2")
        before = seen(shelf)
        with suppress(Killed), shelf.writing() as transaction:
            shelf.catalog.publish(transaction, (REBUILD,))
            shelf.catalog.register(transaction, REFUNDS, pointer="p3")
            assert shelf.catalog.pointers(transaction) == {ORDERS: "p2", REFUNDS: "p3"}
            raise Killed
        assert seen(shelf) == before

    def test_of_two_publishers_at_once_one_is_refused(self, shelf: Shelf) -> None:
        put(shelf, orders="p1", stage="p2", other_stage="p3")
        moves = (REBUILD, REBUILD.replace(pointer="p3", stage=OTHER_STAGE))
        barrier, refused = Barrier(2), []

        def work(move: Move) -> None:
            barrier.wait(timeout=30)
            refused.append(publish(shelf, move))

        threads = [Thread(target=work, args=(move,)) for move in moves]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=60)
        (won,) = (move for move in moves if move not in refused)
        assert sorted(refused, key=lambda move: move is None) == [next(m for m in moves if m != won), None]
        assert seen(shelf)[0] == {ORDERS: won.pointer}
