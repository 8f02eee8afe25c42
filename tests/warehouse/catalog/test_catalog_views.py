"""Views in the tables of an Iceberg JDBC catalog: no tables, and replaced by one only where the move says so."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from lamina.values.batch import Move
from lamina.values.names import CommitId, TableName
from lamina.warehouse.catalog.jdbc import JdbcCatalog, create_tables
from lamina.warehouse.catalog.port import stage_of

CATALOG = JdbcCatalog("lake")
VIEW, STAGE = TableName("mart.v"), stage_of(CommitId("c1"))


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    """A catalog with one view, as Iceberg writes it, and the stage of a first build."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        create_tables(connection)
        connection.execute(
            "INSERT INTO iceberg_tables(catalog_name, table_namespace, table_name, metadata_location, iceberg_type)"
            " VALUES ('lake', 'mart', 'v', 'v1', 'VIEW')"
        )
        CATALOG.register(connection, STAGE, pointer="t1")
        yield connection


def test_a_view_is_not_listed_among_tables(database: sqlite3.Connection) -> None:
    assert CATALOG.pointers(database) == {}
    assert CATALOG.views(database) == {VIEW: "v1"}


def test_a_first_build_takes_the_place_of_the_view_that_it_names(database: sqlite3.Connection) -> None:
    move = Move(target=VIEW, base=None, pointer="t1", stage=STAGE, view="v1")
    assert CATALOG.publish(database, (move,)) is None
    assert (CATALOG.pointers(database), CATALOG.views(database)) == ({VIEW: "t1"}, {})


@pytest.mark.parametrize("view", [None, "v0"])
def test_any_other_view_refuses_a_first_build(database: sqlite3.Connection, view: str | None) -> None:
    move = Move(target=VIEW, base=None, pointer="t1", stage=STAGE, view=view)
    assert CATALOG.publish(database, (move,)) == move
    assert CATALOG.views(database) == {VIEW: "v1"}


def test_a_table_is_not_removed_in_place_of_a_view(database: sqlite3.Connection) -> None:
    CATALOG.register(database, VIEW, pointer="v1")
    move = Move(target=VIEW, base=None, pointer="t1", stage=STAGE, view="v1")
    assert CATALOG.publish(database, (move,)) == move
    assert CATALOG.pointers(database) == {VIEW: "v1"}
