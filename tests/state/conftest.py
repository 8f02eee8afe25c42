"""A store on a fresh file, and the catalog rows a warehouse would make."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lamina.state.store import SqlStore
from lamina.values.names import CommitId, TableName
from lamina.warehouse.catalog import sqlite as catalog

CATALOG = "lake"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of the store."""
    return tmp_path / ".lamina" / "lamina.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    """A store on a fresh file."""
    opened = SqlStore(path, catalog_name=CATALOG)
    yield opened
    opened.close()


@pytest.fixture
def stages(store: SqlStore, path: Path) -> Iterator[Callable[[str, str], None]]:
    """Put a stage into the catalog."""
    connection = catalog.connect(path)

    def stage(commit: str, pointer: str) -> None:
        catalog.add_table(connection, CATALOG, table=catalog.stage_of(CommitId(commit)), pointer=pointer)

    yield stage
    connection.close()


@pytest.fixture
def pointer(store: SqlStore, path: Path) -> Iterator[Callable[[], str | None]]:
    """Return the pointer of `sales.orders`."""
    connection = catalog.connect(path)
    yield lambda: catalog.pointer(connection, CATALOG, TableName("sales.orders"))
    connection.close()
