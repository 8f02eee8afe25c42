"""A lost catalog is not an empty one: tables are registered again at the version that was published."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.api.marked_shop import ORDERS, Shop

from lamina.api import custody
from lamina.api.custody import find_trouble, open_state, refuse_elsewhere, restore, restore_if_lost
from lamina.api.project import open_project
from lamina.state import copies, place
from lamina.state.errors import StateLost
from lamina.state.sqlite import Database
from lamina.warehouse.iceberg.metadata import local_path


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_a_project_without_tables_has_nothing_to_restore(tmp_path: Path) -> None:
    (tmp_path / "lamina.toml").write_text('[project]\nname = "shop"\n')
    assert restore_if_lost(open_project(str(tmp_path), variables={}).config) is None


def test_a_missing_file_is_made_again_with_the_identity_of_the_marks(shop: Shop) -> None:
    sealed = shop.seal(shop.stage(1), 1)
    restored = restore_if_lost(shop.config)
    assert restored is not None
    assert restored.tables == (ORDERS,)
    assert shop.pointer() == local_path(sealed).name
    with closing(open_state(shop.config)) as store:
        assert store.identity == "lost"
    assert find_trouble(shop.config) is None
    refuse_elsewhere(shop.config)


def test_a_project_that_is_held_sees_the_tables_that_are_restored(shop: Shop) -> None:
    (shop.root / "sources").mkdir()
    (shop.root / "sources/ext.toml").write_text(
        '[source.ext]\ntype = "iceberg"\nnamespace = "sales"\n[source.ext.tables.orders]\n'
    )
    shop.seal(shop.stage(1), 1)
    project = open_project(shop.root, variables={})
    assert [len(table.columns) for table in project.graph.sources] == [0]
    project.state_check()
    assert [column.name for column in project.graph.sources[0].columns] == ["id"]


def test_a_stage_that_was_not_finished_is_not_registered(shop: Shop) -> None:
    shop.stage(1)
    restore_if_lost(shop.config)
    assert shop.pointer() is None


def test_a_table_of_another_project_is_left_alone(shop: Shop) -> None:
    shop.seal(shop.stage(1), 1)
    (shop.root / "lamina.toml").write_text('[project]\nname = "other"\n')
    restore_if_lost(shop.config)
    assert shop.pointer() is None


def test_a_project_may_ask_to_stop(shop: Shop) -> None:
    shop.seal(shop.stage(1), 1)
    (shop.root / "lamina.toml").write_text('[project]\nname = "shop"\n[state]\non_missing = "stop"\n')
    with pytest.raises(StateLost):
        restore_if_lost(shop.config)
    assert not Path(shop.config.catalog.database).exists()


def test_a_restoration_that_was_killed_is_done_again(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    sealed, path = shop.seal(shop.stage(1), 1), Path(shop.config.catalog.database)
    path.write_text("not a database\n" * 100)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(custody, "catch_up", die)
        with pytest.raises(KeyboardInterrupt):
            restore(shop.config)
    assert not path.exists()
    restored = restore(shop.config)
    assert restored is not None
    assert shop.pointer() == local_path(sealed).name
    assert len(list(path.parent.glob("lamina.db.damaged-*"))) == 1


def test_a_publication_whose_note_was_written_is_finished(shop: Shop) -> None:
    shop.seal(shop.stage(1), 1)
    restore_if_lost(shop.config)
    path, warehouse = Path(shop.config.catalog.database), Path(shop.config.catalog.warehouse)
    with closing(Database(path)) as database:
        database.keep_copy(at=datetime(2026, 1, 1, tzinfo=UTC))
    copy = copies.newest_good_copy(path)
    assert copy is not None
    with closing(Database(path)) as database, database.writing() as connection:
        place.count_publication(connection, (ORDERS,), warehouse=warehouse)
    path.write_bytes(copy.read_bytes())
    second = shop.seal(shop.stage(2), 2)
    trouble = find_trouble(shop.config)
    assert trouble is not None
    assert trouble.tables == (ORDERS,)
    restore(shop.config)
    assert shop.pointer() == local_path(second).name
    assert find_trouble(shop.config) is None
