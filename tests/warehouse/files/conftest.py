"""The settings that the tests of files share."""

from pathlib import Path

import pytest

from lamina.warehouse.settings import WarehouseSettings


@pytest.fixture
def settings(tmp_path: Path) -> WarehouseSettings:
    folder = str(tmp_path)
    return WarehouseSettings(root=folder, database=f"{folder}/db", warehouse=f"{folder}/warehouse", logs=folder)
