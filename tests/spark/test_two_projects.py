"""Two projects that share one catalog and one state file."""

from pathlib import Path

import pytest
from tests.scenarios.play import Player

import lamina
from lamina.warehouse.spark.session import Application

pytestmark = pytest.mark.spark

CATALOG = '[catalog]\nuri = "sqlite:///../common/lamina.db"\nwarehouse = "../common/warehouse"\n'
SHOP = {
    "lamina.toml": f'[project]\nname = "shop"\n{CATALOG}',
    "sources/raw.toml": """
        [source.raw]
        type = "files"
        format = "csv"
        path = "data"
        options = { header = "true" }
        [source.raw.tables.orders]
        columns = [{ name = "id", type = "int" }, { name = "amount", type = "int" }]
    """,
    "models/mart/orders.sql": "SELECT id, amount FROM raw.orders",
    "data/orders/1.csv": "id,amount\n1,10\n2,20\n",
}
BAKERY = {
    "lamina.toml": f'[project]\nname = "bakery"\n{CATALOG}',
    "sources/shop.toml": '[source.shop]\ntype = "iceberg"\nnamespace = "mart"\n[source.shop.tables.orders]\n',
    "models/sums/total.sql": "SELECT SUM(amount) AS total FROM shop.orders",
}


def test_i5_projects_share_a_catalog_and_leave_each_other_alone(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Player(tmp_path / "shop", application, monkeypatch).write(SHOP)
    Player(tmp_path / "bakery", application, monkeypatch).write(BAKERY)
    shop, bakery = tmp_path / "shop", tmp_path / "bakery"

    assert lamina.open(shop).run().status == "success"
    assert lamina.open(bakery).run().status == "success"
    assert lamina.open(bakery).query("SELECT total FROM sums.total").rows == ((30,),)
    assert [len(lamina.open(root).history()) for root in (shop, bakery)] == [1, 1]

    (shop / "data/orders/2.csv").write_text("id,amount\n3,5\n")
    assert lamina.open(shop).run().status == "success"
    assert lamina.open(shop).run().status == "nothing_to_do"
    assert lamina.open(bakery).run().status == "success"
    assert lamina.open(bakery).query("SELECT total FROM sums.total").rows == ((35,),)

    # The file that both share is lost: whoever comes first finds the tables of both.
    for file in (tmp_path / "common").glob("lamina.db*"):
        file.unlink()
    for root in (shop, bakery):
        assert lamina.open(root).run().status == "nothing_to_do"
        assert lamina.open(root).verify().status == "equal"

    # One name is one table: the second project is refused.
    (bakery / "models/mart").mkdir()
    (bakery / "models/mart/orders.sql").write_text("SELECT 1 AS id")
    refused = lamina.open(bakery).run()
    assert {item.model: item.status for item in refused.materializations}["mart.orders"] == "failed"
    assert lamina.open(shop).verify().status == "equal"
