"""Pointers in the catalog tables: moved only from where they are thought to be."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from lamina.values.batch import Move
from lamina.values.names import CommitId, TableName
from lamina.warehouse.catalog import sqlite as catalog

ORDERS = TableName("sales.orders")
STAGE = catalog.stage_of(CommitId("c1"))


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A fresh catalog."""
    opened = catalog.connect(tmp_path / "catalog.db")
    catalog.create_tables(opened)
    catalog.create_tables(opened)
    yield opened
    opened.close()


def test_stages_are_not_listed_among_tables(connection: sqlite3.Connection) -> None:
    catalog.add_table(connection, "lake", table=ORDERS, pointer="p1")
    catalog.add_table(connection, "lake", table=STAGE, pointer="p2")
    catalog.add_table(connection, "pond", table=ORDERS, pointer="p3")
    assert catalog.pointers(connection, "lake") == {ORDERS: "p1"}
    assert catalog.pointer(connection, "lake", STAGE) == "p2"


def test_pointer_moves_only_from_its_base(connection: sqlite3.Connection) -> None:
    catalog.add_table(connection, "lake", table=ORDERS, pointer="p1")
    assert catalog.move_pointer(connection, "lake", table=ORDERS, base="p1", pointer="p2")
    assert not catalog.move_pointer(connection, "lake", table=ORDERS, base="p1", pointer="p3")
    row = connection.execute("SELECT metadata_location, previous_metadata_location FROM iceberg_tables").fetchone()
    assert row == ("p2", "p1")


def test_publish_drops_the_stage(connection: sqlite3.Connection) -> None:
    catalog.add_table(connection, "lake", table=ORDERS, pointer="p1")
    catalog.add_table(connection, "lake", table=STAGE, pointer="p2")
    assert catalog.publish(connection, "lake", Move(ORDERS, base="p1", pointer="p2", stage=STAGE))
    assert catalog.pointers(connection, "lake") == {ORDERS: "p2"}
    assert catalog.pointer(connection, "lake", STAGE) is None


def test_first_publish_gives_the_stage_the_name_of_the_table(connection: sqlite3.Connection) -> None:
    catalog.add_table(connection, "lake", table=STAGE, pointer="p1")
    assert catalog.publish(connection, "lake", Move(ORDERS, base=None, pointer="p1", stage=STAGE))
    assert catalog.pointers(connection, "lake") == {ORDERS: "p1"}


@pytest.mark.parametrize("pointer", ["p1", "p2"])
def test_first_publish_over_a_table_is_refused(connection: sqlite3.Connection, pointer: str) -> None:
    catalog.add_table(connection, "lake", table=ORDERS, pointer="p1")
    catalog.add_table(connection, "lake", table=STAGE, pointer=pointer)
    assert not catalog.publish(connection, "lake", Move(ORDERS, base=None, pointer=pointer, stage=STAGE))
    assert catalog.pointer(connection, "lake", ORDERS) == "p1"


def test_publish_of_a_stage_that_is_gone_is_refused(connection: sqlite3.Connection) -> None:
    assert not catalog.publish(connection, "lake", Move(ORDERS, base=None, pointer="p1", stage=STAGE))
