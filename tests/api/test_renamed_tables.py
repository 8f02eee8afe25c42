"""A catalog that is lost or older than its tables, of which one has another name than its folder."""

import shutil
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.api.marked_shop import ORDERS, Shop
from tests.behaviour.examples import rename_of

from lamina.api.custody import find_trouble, free_name, register_again, restore_if_lost, without_replaced
from lamina.state.sqlite import Database
from lamina.values.names import ModelName, TableName
from lamina.warehouse.catalog.jdbc import JdbcCatalog
from lamina.warehouse.iceberg.metadata import local_path
from lamina.warehouse.iceberg.rediscovery import FoundTable

RENAMED = TableName("sales.renamed")


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


@pytest.fixture
def renamed(shop: Shop) -> str:
    """A table that is recorded as published, and has another name now; its pointer."""
    pointer = shop.seal(shop.stage(1), 1)
    restore_if_lost(shop.config)
    shop.record(pointer)
    with shop.leased() as (store, lease):
        store.rename((rename_of(ORDERS, RENAMED),), lease)
    assert rows(shop) == {RENAMED: local_path(pointer).name}
    return pointer


def rows(shop: Shop) -> dict[TableName, str]:
    """Return the names of the metadata files that the catalog names."""
    with closing(Database(Path(shop.config.catalog.database))) as database, database.reading() as connection:
        return {table: local_path(found).name for table, found in JdbcCatalog("lake").pointers(connection).items()}


def test_a_table_with_another_name_is_not_missing(shop: Shop, renamed: str) -> None:
    assert renamed
    assert find_trouble(shop.config) is None


def test_a_catalog_that_knows_the_name_keeps_it_and_takes_the_newest_version(shop: Shop, renamed: str) -> None:
    assert renamed
    newest = shop.seal(shop.stage(2), 2)
    register_again(shop.config)
    assert rows(shop) == {RENAMED: local_path(newest).name}


def test_a_lost_catalog_finds_the_table_by_its_folder(shop: Shop, renamed: str) -> None:
    shutil.rmtree(Path(shop.config.catalog.database).parent / "backup", ignore_errors=True)
    Path(shop.config.catalog.database).unlink()
    restore_if_lost(shop.config)
    assert rows(shop) == {ORDERS: local_path(renamed).name}
    assert find_trouble(shop.config) is None


def test_a_lost_row_of_a_renamed_table_is_found_by_its_folder(shop: Shop, renamed: str) -> None:
    shop.execute("DELETE FROM iceberg_tables")
    restore_if_lost(shop.config)
    assert rows(shop) == {ORDERS: local_path(renamed).name}


def test_a_renamed_table_that_was_dropped_does_not_come_back(shop: Shop, renamed: str) -> None:
    with shop.leased() as (store, lease):
        at = datetime.now(UTC)
        store.drop(ModelName(ORDERS), lease, table=RENAMED, pointer=None, home=ORDERS, at=at)
    register_again(shop.config)
    assert rows(shop) == {}
    shop.execute(f"INSERT INTO iceberg_tables VALUES ('lake', 'sales', 'orders', '{renamed}', NULL, 'TABLE')")
    register_again(shop.config)  # of an older copy, which has it under its first name
    assert rows(shop) == {}


def test_of_two_tables_of_one_model_the_later_one_is_its_table(shop: Shop, renamed: str) -> None:
    older = FoundTable(ORDERS, renamed, location="", mark=shop.mark(1))
    marks = {"now": shop.mark(2), "other": shop.mark(2).replace(model="sales.other"), "unread": None}

    def left(found: FoundTable, *known: str) -> tuple[FoundTable, ...]:
        return without_replaced((found,), {TableName(f"sales.{name}"): name for name in known}, mark_of=marks.get)

    assert left(older, "now") == ()
    assert left(older, "other", "unread") == (older,)
    folder = Path(shop.config.catalog.warehouse) / "sales"
    later = shop.seal(shop.stage(2), 2)
    shutil.copytree(folder / "orders", folder / "again")
    local_path(later).unlink()  # what is in the first folder is older now
    register_again(shop.config)
    assert rows(shop) == {"sales.again": local_path(later).name}


def test_a_folder_whose_name_another_table_has_gets_another_name() -> None:
    taken = {ORDERS: "p1", TableName("sales.orders__2"): "p2"}
    assert free_name(ORDERS, {}) == ORDERS
    assert free_name(ORDERS, taken) == "sales.orders__3"
