"""The folder of a table stays when its name changes, so a new table of that name gets another one."""

from pathlib import Path

import pytest
from tests.api.marked_shop import ORDERS, Shop

from lamina.values.names import TableName
from lamina.warehouse.iceberg.homes import free_home, home_of


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def home(shop: Shop, *, model: str = ORDERS, others: tuple[str, ...] = ()) -> TableName:
    warehouse = Path(shop.config.catalog.warehouse)
    return free_home(ORDERS, shop.mark(7).replace(model=model), warehouse=warehouse, others=others)


def test_a_new_table_is_in_the_folder_of_its_name(tmp_path: Path) -> None:
    mark = Shop(tmp_path / "shop").mark(7)
    assert free_home(ORDERS, mark, warehouse=tmp_path / "empty", others=()) == ORDERS


def test_the_folder_of_a_table_that_was_renamed_is_not_used_again(shop: Shop) -> None:
    pointer = shop.seal(shop.stage(1), 1)
    assert home_of(pointer, Path(shop.config.catalog.warehouse)) == ORDERS
    assert home(shop, model="sales.fresh", others=(pointer,)) == f"{ORDERS}__c7"
    assert home(shop, others=(pointer,)) == f"{ORDERS}__c7"


def test_nor_is_one_whose_row_is_lost(shop: Shop) -> None:
    shop.seal(shop.stage(1), 1)
    assert home(shop, model="sales.fresh") == f"{ORDERS}__c7"


def test_a_model_goes_on_in_the_folder_of_its_own_stages(shop: Shop) -> None:
    shop.seal(shop.stage(1), 1)
    assert home(shop) == ORDERS


def test_a_folder_outside_the_warehouse_is_none_of_its_tables() -> None:
    outside = "file:/elsewhere/sales/orders/metadata/v1.metadata.json"
    assert home_of(outside, Path("/lake")) == "/elsewhere/sales/orders"
