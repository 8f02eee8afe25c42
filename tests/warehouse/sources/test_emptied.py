"""When a source counts as emptied: its list of files came back empty; what was in it before is known, or not."""

import shutil
from pathlib import Path

import pytest

from lamina.project.source import SourceTable
from lamina.values.names import Position, SourceName
from lamina.warehouse.iceberg.tables import Tables
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.sources import files, iceberg
from lamina.warehouse.sources.port import Lake

ORDERS = SourceTable(name=SourceName("raw.orders"), type="files", location="raw", format="csv")


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """A lake whose source is a folder without files."""
    Path(tmp_path, "raw").mkdir()
    folder = str(tmp_path)
    settings = WarehouseSettings(root=folder, database=f"{folder}/db", warehouse=f"{folder}/warehouse", logs=folder)
    return Lake(settings, Tables(settings))


def position(lake: Lake, source: SourceTable = ORDERS) -> Position:
    found = files.head(source, lake, None, ()).position
    assert found is not None
    return found


def write(lake: Lake, name: str) -> Path:
    path = Path(lake.settings.root, "raw", name)
    path.parent.mkdir(exist_ok=True)
    path.write_text("id\n1\n")
    return path


def test_a_folder_that_loses_its_last_file_is_emptied(lake: Lake) -> None:
    first, second = write(lake, "1.csv"), write(lake, "2.csv")
    full = position(lake)
    first.unlink()
    half = position(lake)
    assert not files.is_emptied(ORDERS, lake, full, until=half)
    second.unlink()
    assert files.is_emptied(ORDERS, lake, half, until=position(lake))


@pytest.mark.parametrize("left", ["_SUCCESS", ".hidden", "1.csv._COPYING_"])
def test_a_folder_with_hidden_files_alone_is_emptied(lake: Lake, left: str) -> None:
    path = write(lake, "1.csv")
    full = position(lake)
    path.unlink()
    write(lake, left)
    assert files.is_emptied(ORDERS, lake, full, until=position(lake))


def test_partitions_without_files_are_emptied(lake: Lake) -> None:
    path = write(lake, "day=1/1.csv")
    full = position(lake)
    path.unlink()
    assert files.is_emptied(ORDERS, lake, full, until=position(lake))


def test_a_folder_that_was_empty_before_is_not_emptied_by_other_options(lake: Lake) -> None:
    empty = position(lake)
    later = ORDERS.replace(options={"header": "true"})
    assert position(lake, later) != empty
    assert not files.is_emptied(later, lake, empty, until=position(lake, later))


def test_what_is_not_known_any_more_counts_as_data(lake: Lake) -> None:
    path = write(lake, "1.csv")
    full = position(lake)
    path.unlink()
    shutil.rmtree(lake.settings.warehouse)
    assert files.is_emptied(ORDERS, lake, full, until=position(lake))


def test_a_version_of_a_table_is_never_emptied(lake: Lake) -> None:
    assert not iceberg.is_emptied(ORDERS, lake, Position("1"), until=Position("2"))
