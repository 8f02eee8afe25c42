"""A catalog without the row of a table: it is registered again, unless lamina dropped it or its files are gone."""

import os
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.api.marked_shop import COLUMNS, ORDERS, Shop
from tests.behaviour.examples import PROD

from lamina.api.custody import find_trouble, open_state, register_again, restore_if_lost
from lamina.api.project import open_project
from lamina.errors import ProjectInvalid
from lamina.state import place
from lamina.state.errors import StateLost
from lamina.state.sqlite import Database
from lamina.warehouse.iceberg.metadata import local_path


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


@pytest.fixture
def published(shop: Shop) -> str:
    """A table that is recorded as published; its pointer."""
    pointer = shop.seal(shop.stage(1), 1)
    restore_if_lost(shop.config)
    shop.record(pointer)
    assert find_trouble(shop.config) is None
    return pointer


LOSE_ROW = "DELETE FROM iceberg_tables WHERE table_name = 'orders'"


@pytest.mark.parametrize("others", [True, False])
def test_a_table_whose_row_is_lost_is_registered_again(shop: Shop, published: str, others: bool) -> None:
    if others:
        shop.execute("INSERT INTO iceberg_tables VALUES ('lake', 'sales', 'other', 'file:/nowhere', NULL, 'TABLE')")
    shop.execute(LOSE_ROW)
    restored = restore_if_lost(shop.config)
    assert restored is not None
    assert restored.tables == (ORDERS,)
    assert "no row for `sales.orders`, whose files still exist" in str(restored)
    assert "`lamina drop`" in str(restored)
    assert shop.pointer() == local_path(published).name
    assert find_trouble(shop.config) is None


def test_a_foreign_write_before_the_row_was_lost_is_kept(shop: Shop, published: str) -> None:
    assert published
    shop.table.append(pa.table({"id": [9]}, schema=COLUMNS))
    shop.execute(LOSE_ROW)
    restore_if_lost(shop.config)
    assert shop.pointer() == local_path(shop.table.metadata_location).name


def test_a_lost_row_stops_a_project_that_asks_to_stop(shop: Shop, published: str) -> None:
    shop.execute(LOSE_ROW)
    (shop.root / "lamina.toml").write_text('[project]\nname = "shop"\n[state]\non_missing = "stop"\n')
    with pytest.raises(StateLost, match=r"no row for `sales.orders`"):
        restore_if_lost(shop.config)
    assert shop.pointer() is None
    assert published


def test_a_table_that_was_dropped_with_its_files_is_absent(shop: Shop, published: str) -> None:
    stage = shop.stage(2)
    left = local_path(shop.seal(stage, 2))
    shop.execute(LOSE_ROW)
    for path in local_path(published).parent.iterdir():
        # A purge does not know the stage of a run that died.
        if path not in (left, local_path(stage)):
            path.unlink()
    assert find_trouble(shop.config) is None


def test_a_table_that_was_renamed_is_left_alone(shop: Shop, published: str) -> None:
    assert published
    shop.execute("UPDATE iceberg_tables SET table_name = 'renamed' WHERE table_name = 'orders'")
    assert find_trouble(shop.config) is None


def test_a_table_that_lamina_dropped_is_not_missed(shop: Shop, published: str) -> None:
    shop.drop()
    shop.record(published)
    assert find_trouble(shop.config) is None


def test_no_folder_is_listed_where_no_row_is_missing(
    shop: Shop, published: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    config, scan = shop.config, os.scandir

    def watched(path: Any) -> Any:
        assert "warehouse" not in str(path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", watched)
    monkeypatch.setattr(os, "listdir", watched)
    assert find_trouble(config) is None
    assert published


def test_a_dropped_table_does_not_come_back(shop: Shop) -> None:
    shop.seal(shop.stage(1), 1)
    restore_if_lost(shop.config)
    path = Path(shop.config.catalog.database)
    with closing(Database(path)) as database:
        database.keep_copy(at=datetime(2026, 1, 1, tzinfo=UTC))
    shop.drop()
    assert find_trouble(shop.config) is None
    register_again(shop.config)
    assert shop.pointer() is None
    path.unlink()
    restored = restore_if_lost(shop.config)
    assert restored is not None
    assert restored.copy is not None
    assert shop.pointer() is None


def test_a_drop_whose_note_was_written_is_finished(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.seal(shop.stage(1), 1)
    restore_if_lost(shop.config)
    count = place.count_publication

    def die(*arguments: Any, **named: Any) -> None:
        count(*arguments, **named)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(place, "count_publication", die)
        with pytest.raises(KeyboardInterrupt):
            shop.drop()
    assert shop.pointer() is not None
    assert restore_if_lost(shop.config) is not None
    assert shop.pointer() is None
    assert find_trouble(shop.config) is None


def test_a_project_that_does_not_compile_keeps_its_records_when_they_are_to_be_rebuilt(
    shop: Shop, published: str
) -> None:
    assert published
    (shop.root / "models").mkdir()
    (shop.root / "models" / "bad.sql").write_text("SELECT FROM WHERE")
    with closing(open_state(shop.config)) as store:
        before = store.view(PROD).models
    with pytest.raises(ProjectInvalid):
        open_project(str(shop.root), variables={}).state_rebuild()
    with closing(open_state(shop.config)) as store:
        assert store.view(PROD).models == before != {}
