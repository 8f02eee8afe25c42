"""A store on a fresh file, and the catalog rows a warehouse would make."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.behaviour.examples import CATALOG, store_at

from lamina.state.store import SqlStore
from lamina.values.names import CommitId, TableName
from lamina.warehouse.catalog.port import stage_of
from lamina.warehouse.catalog.sqlite import CatalogFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file of the store."""
    return tmp_path / ".lamina" / "lamina.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqlStore]:
    """A store on a fresh file."""
    opened = store_at(path)
    yield opened
    opened.close()


@pytest.fixture
def file(store: SqlStore, path: Path) -> Iterator[CatalogFile]:
    """The catalog as another process opens it."""
    opened = CatalogFile(path)
    yield opened
    opened.close()


@pytest.fixture
def stages(file: CatalogFile) -> Callable[[str, str], None]:
    """Put a stage into the catalog."""

    def stage(commit: str, pointer: str) -> None:
        with file.writing() as transaction:
            CATALOG.register(transaction, stage_of(CommitId(commit)), pointer=pointer)

    return stage


@pytest.fixture
def pointer(file: CatalogFile) -> Callable[[str], str | None]:
    """Return the pointer of a table, of `sales.orders` if none is named."""

    def look(table: str = "sales.orders") -> str | None:
        with file.reading() as transaction:
            return CATALOG.pointer(transaction, TableName(table))

    return look
