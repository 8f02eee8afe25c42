"""The behaviour of the catalog port in memory, and of the state port with that catalog."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.behaviour.catalog_behaviour import CatalogBehaviour
from tests.behaviour.examples import NOW, ORDERS, PROJECT, lease_of, published_of
from tests.behaviour.state_behaviour import StateBehaviour
from tests.simulation.memory_catalog import JoinedDatabase, MemoryCatalog, MemoryTransaction
from tests.simulation.schedule import random_schedule
from tests.simulation.simulate import simulate

from lamina.state.sqlite import Database
from lamina.state.store import SqlStore
from lamina.values.names import CommitId, TableName
from lamina.warehouse.catalog import jdbc
from lamina.warehouse.catalog.port import stage_of


class MemoryShelf(MemoryCatalog):
    """A catalog in memory."""

    @property
    def catalog(self) -> MemoryCatalog:
        """The catalog itself."""
        return self


@pytest.fixture
def shelf() -> MemoryShelf:
    """An empty catalog."""
    return MemoryShelf()


class TestMemoryCatalog(CatalogBehaviour):
    """Dictionaries."""


@pytest.fixture
def store(shelf: MemoryShelf, tmp_path: Path) -> Iterator[SqlStore]:
    """A store whose catalog is in memory."""
    opened = SqlStore(JoinedDatabase(Database(tmp_path / "lamina.db"), shelf), shelf, project=PROJECT)
    yield opened
    opened.close()


@pytest.fixture
def stages(shelf: MemoryShelf) -> Callable[[str, str], None]:
    """Put a stage into the catalog."""

    def stage(commit: str, pointer: str) -> None:
        with shelf.writing() as transaction:
            shelf.register(transaction, stage_of(CommitId(commit)), pointer=pointer)

    return stage


@pytest.fixture
def pointer(shelf: MemoryShelf) -> Callable[[str], str | None]:
    """Return the pointer of a table, of `sales.orders` if none is named."""

    def look(table: str = "sales.orders") -> str | None:
        with shelf.reading() as transaction:
            return shelf.pointer(transaction, TableName(table))

    return look


class TestStoreOverMemoryCatalog(StateBehaviour):
    """SQLite for the state alone."""


def test_a_publish_that_dies_before_its_commit_moves_nothing(
    shelf: MemoryShelf, tmp_path: Path, stages: Callable[[str, str], None], pointer: Callable[[], str | None]
) -> None:
    """The note beside the tables is written last in the transaction: where it cannot be, nothing was published."""
    in_the_way = tmp_path / "warehouse"
    in_the_way.write_text("")
    database = JoinedDatabase(Database(tmp_path / "lamina.db"), shelf)
    store = SqlStore(database, shelf, project=PROJECT, warehouse=in_the_way)
    lease = lease_of(store)
    stages("c1", "mem:1")
    with pytest.raises(Exception, match="warehouse"):
        store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
    assert pointer() is None
    assert store.view(lease.environment).models == {}
    in_the_way.unlink()
    store.record(published_of("c1", base=None, pointer="mem:1"), lease, at=NOW, execution_time=NOW)
    assert pointer() == store.view(lease.environment).models[ORDERS].pointer == "mem:1"
    store.close()


def test_a_transaction_without_the_catalog_is_refused(shelf: MemoryShelf, tmp_path: Path) -> None:
    database = Database(tmp_path / "lamina.db")
    with pytest.raises(AssertionError, match="another catalog"), database.reading() as transaction:
        shelf.pointers(transaction)
    with pytest.raises(AssertionError, match="given SQL"):
        jdbc.has_rows(MemoryTransaction({}))
    database.close()


def test_schedules_leave_the_catalog_of_the_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a run does to tables goes through the port: nothing of it knows where this catalog is."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a simulated run used the catalog of the file")

    for name in ("pointers", "pointer", "publish", "register", "drop", "stages"):
        monkeypatch.setattr(jdbc.JdbcCatalog, name, refuse)
    simulate(random_schedule(3))
