"""A project that stays open while its sources change."""

from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from tests.scenarios.play import Player

import lamina
from lamina.warehouse.spark.session import Application

pytestmark = pytest.mark.spark

FILES = {
    "lamina.toml": '[project]\nname = "shop"\n',
    "sources/raw.toml": '[source.raw]\ntype = "files"\nformat = "parquet"\npath = "data"\n',
    "models/mart/orders.sql": "SELECT * FROM raw.orders",
}


def test_files_with_new_columns_are_never_read_without_them(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player = Player(tmp_path, application, monkeypatch)
    player.write(FILES)
    folder = tmp_path / "data" / "orders"
    folder.mkdir(parents=True)
    pyarrow.parquet.write_table(pyarrow.table({"id": pyarrow.array([1], pyarrow.int32())}), folder / "1.parquet")
    project = lamina.open(tmp_path)
    project.compile()
    pyarrow.parquet.write_table(pyarrow.table({"id": pyarrow.array([2**40]), "w": ["new"]}), folder / "2.parquet")

    (late,) = project.run().materializations
    (built,) = project.run().materializations

    assert late.error is not None
    assert late.error.code == "L637"
    assert built.status == "completed"
    assert player.query("SELECT id, w FROM lake.mart.orders") == ["1099511627776|new", "1|NULL"]

    pyarrow.parquet.write_table(pyarrow.table({"id": [3], "x": [7]}), folder / "3.parquet")
    assert project.run().status == "success"
    assert player.query("SELECT id, x FROM lake.mart.orders") == ["1099511627776|NULL", "1|NULL", "3|7"]
    assert project.run().status == "nothing_to_do"
