"""The behaviour of the catalog port over the tables of an Iceberg JDBC catalog, in a SQLite file."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.behaviour.catalog_behaviour import ORDERS, REBUILD, CatalogBehaviour, put, seen

from lamina.values.names import CommitId, TableName
from lamina.warehouse.catalog.jdbc import JdbcCatalog, create_tables, has_rows, relocate
from lamina.warehouse.catalog.port import STAGE_NAMESPACE
from lamina.warehouse.catalog.sqlite import CatalogFile, connect, read_pointers


class FileShelf(CatalogFile):
    """A catalog in a file."""

    catalog = JdbcCatalog("lake")


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[FileShelf]:
    """An empty catalog."""
    opened = FileShelf(tmp_path / ".lamina" / "catalog.db")
    yield opened
    opened.close()


class TestJdbcCatalog(CatalogBehaviour):
    """SQLite."""


def test_catalogs_that_share_the_tables_do_not_see_each_other(shelf: FileShelf) -> None:
    put(shelf, orders="p1", stage="p2")
    pond = JdbcCatalog("pond")
    with shelf.writing() as transaction:
        assert (pond.pointers(transaction), pond.stages(transaction)) == ({}, ())
        assert has_rows(transaction)


def test_the_pointer_before_the_move_is_kept_for_iceberg(shelf: FileShelf) -> None:
    put(shelf, orders="p1", stage="p2")
    with shelf.writing() as transaction:
        shelf.catalog.publish(transaction, (REBUILD,))
        row = transaction.execute("SELECT metadata_location, previous_metadata_location FROM iceberg_tables").fetchone()
    assert row == ("p2", "p1")


def test_relocated_pointers_name_the_new_folder_and_stages_are_dropped(shelf: FileShelf) -> None:
    put(shelf, orders="p1", stage="p2")
    with shelf.writing() as transaction:
        shelf.catalog.publish(transaction, (REBUILD,))
        shelf.catalog.register(transaction, TableName("sales.new"), pointer="p7")
    put(shelf, stage="p8")
    with shelf.writing() as transaction:
        relocate(transaction, lambda pointer: f"moved/{pointer}")
        rows = transaction.execute(
            "SELECT metadata_location, previous_metadata_location FROM iceberg_tables ORDER BY table_name"
        ).fetchall()
    assert rows == [("moved/p7", None), ("moved/p2", "moved/p1")]
    assert seen(shelf)[1] == ()


def test_a_namespace_is_created_once(shelf: FileShelf) -> None:
    for _ in range(2):
        with shelf.writing() as transaction:
            shelf.catalog.add_namespace(transaction, STAGE_NAMESPACE)
            found = transaction.execute("SELECT namespace FROM iceberg_namespace_properties").fetchall()
    assert found == [(STAGE_NAMESPACE,)]


def test_what_was_committed_is_there_for_the_next_process(shelf: FileShelf) -> None:
    put(shelf, orders="p1", stage="p2")
    other = FileShelf(shelf.path)
    assert seen(other) == ({ORDERS: "p1"}, (CommitId("c1"),))
    other.close()


def test_a_file_without_a_catalog_names_no_table(tmp_path: Path) -> None:
    path, catalog = tmp_path / "lamina.db", JdbcCatalog("lake")
    assert read_pointers(path, catalog) == {}
    assert not path.exists()
    connection = connect(path)
    assert read_pointers(path, catalog) == {}
    create_tables(connection)
    create_tables(connection)
    catalog.register(connection, ORDERS, pointer="p1")
    assert read_pointers(path, catalog) == {ORDERS: "p1"}
    connection.close()
