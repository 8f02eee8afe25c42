"""A lost catalog is not an empty one: tables are registered again at the version that was published."""

import os
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from lamina.api import custody
from lamina.api.custody import find_trouble, open_state, refuse_elsewhere, register_again, restore, restore_if_lost
from lamina.api.project import open_project
from lamina.config import Config
from lamina.state import copies, place
from lamina.state.errors import ProjectMoved, StateLost, TablesKeptElsewhere
from lamina.state.port import Lease, ModelRecord
from lamina.state.sqlite import Database
from lamina.state.store import SqlStore
from lamina.values.codec import to_json
from lamina.values.coverage import Coverage, Mark
from lamina.values.interval import WHOLE
from lamina.values.names import EnvironmentName, Fingerprint, ModelName, Position, RunId, TableName
from lamina.values.touch import Everything, Touch
from lamina.warehouse.catalog.jdbc import JdbcCatalog
from lamina.warehouse.iceberg.metadata import MARK, TOUCH, local_path, write_properties

ORDERS = TableName("sales.orders")
COLUMNS = pa.schema([("id", pa.int64())])


class Shop:
    """A project folder with one table, written as a batch writes it: a marked snapshot, then a file that seals it."""

    def __init__(self, root: Path, *, lake: Path | None = None) -> None:
        self.root = root
        root.mkdir(exist_ok=True)
        where = "" if lake is None else f'[catalog]\nwarehouse = "{lake}"\n'
        (root / "lamina.toml").write_text(f'[project]\nname = "shop"\n{where}')
        folder = lake or root / ".lamina" / "warehouse"
        self.tables = SqlCatalog("lake", uri="sqlite:///:memory:", warehouse=f"file://{folder}")
        self.tables.create_namespace("sales")
        self.table = self.tables.create_table(ORDERS, schema=COLUMNS, location=f"file://{folder}/sales/orders")
        self.store = "lost"

    @property
    def config(self) -> Config:
        return open_project(str(self.root), variables={}).config

    def stage(self, token: int) -> str:
        """Write rows aside and return where the metadata of the stage is."""
        text = to_json(self.mark(token)).decode()
        self.table.append(pa.table({"id": [token]}, schema=COLUMNS), snapshot_properties={MARK: text})
        return self.table.metadata_location

    def seal(self, pointer: str, token: int) -> str:
        """Finish a stage."""
        position = Position(str(self.table.metadata.current_snapshot_id))
        touch = Touch(table=ORDERS, position=position, parent=None, extent=Everything())
        late = {MARK: to_json(self.mark(token)).decode(), TOUCH: to_json(touch).decode()}
        sealed = write_properties(pointer, late)
        self.tables.drop_table(ORDERS)
        self.table = self.tables.register_table(ORDERS, sealed)
        return sealed

    def mark(self, token: int) -> Mark:
        return Mark(
            commit=f"c{token}",
            run_id=f"run-{token}",
            token=token,
            project="shop",
            environment="prod",
            store=self.store,
            model=ORDERS,
            fingerprint=Fingerprint("f"),
            slices=(WHOLE,),
            pins={},
            coverage=Coverage(),
        )

    def pointer(self) -> str | None:
        """Return the name of the metadata file that the catalog names."""
        with closing(Database(Path(self.config.catalog.database))) as database, database.reading() as connection:
            found = JdbcCatalog("lake").pointer(connection, ORDERS)
        return None if found is None else local_path(found).name

    def drop(self) -> None:
        """Drop the table, and leave its files as a command does that is killed before it removes them."""
        with self.leased() as (store, lease):
            store.drop(ModelName(ORDERS), lease, table=ORDERS, pointer=None, at=datetime.now(UTC))

    def record(self, pointer: str) -> None:
        """Record where the table is, as a run does."""
        record = ModelRecord(model=ModelName(ORDERS), pointer=pointer, position=None, coverage=Coverage())
        with self.leased() as (store, lease):
            store.fold(lease.environment, lease, touches=(), models=(record,))

    @contextmanager
    def leased(self) -> Iterator[tuple[SqlStore, Lease]]:
        """Open the state to write."""
        with closing(open_state(self.config)) as store:
            lease = store.take_lease(
                EnvironmentName("prod"),
                RunId("run"),
                process="",
                now=datetime.now(UTC),
                ttl=timedelta(seconds=60),
                above=0,
            )
            try:
                yield store, lease
            finally:
                store.release_lease(lease)

    def execute(self, statement: str) -> None:
        """Change the catalog as another program does."""
        with closing(Database(Path(self.config.catalog.database))) as database, database.writing() as connection:
            connection.execute(statement)


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
