"""A project that was moved or copied does not write into tables that belong to another folder."""

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from tests.api.marked_shop import ORDERS, Shop

from lamina.api.custody import open_state, refuse_elsewhere, restore_if_lost
from lamina.api.project import open_project
from lamina.config import Config
from lamina.state import place
from lamina.state.errors import ProjectMoved, TablesKeptElsewhere
from lamina.state.sqlite import Database


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def test_a_project_in_another_folder_is_refused(shop: Shop, tmp_path: Path) -> None:
    shop.seal(shop.stage(1), 1)
    restore_if_lost(shop.config)
    refuse_elsewhere(shop.config)
    there = tmp_path.with_name(f"{tmp_path.name}-moved")
    tmp_path.rename(there)
    with pytest.raises(ProjectMoved, match="was moved"):
        refuse_elsewhere(open_project(str(there), variables={}).config)
    link = tmp_path
    link.symlink_to(there)
    refuse_elsewhere(open_project(str(link), variables={}).config)


@pytest.fixture
def shared(tmp_path: Path) -> Shop:
    """A project that names its warehouse by an absolute path, and has published."""
    lake = tmp_path / "lake"
    shop = Shop(tmp_path / "shop", lake=lake)
    refuse_elsewhere(shop.config)
    with closing(Database(Path(shop.config.catalog.database))) as database, database.writing() as connection:
        place.count_publication(connection, (ORDERS,), warehouse=lake)
    return shop


def copied(shop: Shop) -> Config:
    there = shop.root.with_name(f"{shop.root.name}-copied")
    shutil.copytree(shop.root, there)
    return open_project(str(there), variables={}).config


def test_a_copy_with_an_absolute_warehouse_does_not_write_into_the_tables_of_its_original(shared: Shop) -> None:
    copy = copied(shared)
    with pytest.raises(TablesKeptElsewhere, match=shared.config.catalog.database):
        refuse_elsewhere(copy)
    with pytest.raises(TablesKeptElsewhere):
        open_project(copy.root, variables={}).state_relocate()
    refuse_elsewhere(shared.config)


def test_a_checkout_whose_state_is_made_from_the_marks_is_refused_too(shared: Shop) -> None:
    with closing(open_state(shared.config)) as store:
        shared.store = store.identity
    shared.seal(shared.stage(1), 1)
    there = shared.root.with_name(f"{shared.root.name}-cloned")
    there.mkdir()
    shutil.copy(shared.root / "lamina.toml", there)
    clone = open_project(str(there), variables={}).config
    restore_if_lost(clone)
    with pytest.raises(TablesKeptElsewhere):
        refuse_elsewhere(clone)


def test_a_moved_project_keeps_its_absolute_warehouse(shared: Shop) -> None:
    there = shared.root.with_name(f"{shared.root.name}-moved")
    shared.root.rename(there)
    moved = open_project(str(there), variables={}).config
    refuse_elsewhere(moved)
    there.rename(shared.root)
    refuse_elsewhere(shared.config)
    copy = copied(shared)
    shared.root.rename(there)
    refuse_elsewhere(copy)
    with pytest.raises(TablesKeptElsewhere):
        refuse_elsewhere(moved)


def test_a_state_of_another_project_in_the_old_place_is_no_reason_to_refuse(shared: Shop) -> None:
    copy = copied(shared)
    Path(shared.config.catalog.database).unlink()
    with closing(Database(Path(shared.config.catalog.database))):
        refuse_elsewhere(copy)


def test_a_project_that_was_moved_and_lost_its_state_is_refused_too(shop: Shop, tmp_path: Path) -> None:
    shop.seal(shop.stage(1), 1)
    there = tmp_path.with_name(f"{tmp_path.name}-moved")
    tmp_path.rename(there)
    config = open_project(str(there), variables={}).config
    assert restore_if_lost(config) is not None
    with pytest.raises(ProjectMoved):
        refuse_elsewhere(config)
