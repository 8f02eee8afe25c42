"""Heads of tables that did not move are answered without their metadata, and are the same as from it."""

import json
import os
from contextlib import closing
from pathlib import Path

import pytest

from lamina.values.facts import Head
from lamina.values.names import TableName
from lamina.warehouse.catalog.jdbc import JdbcCatalog
from lamina.warehouse.catalog.sqlite import CatalogFile
from lamina.warehouse.iceberg import head_cache, metadata
from lamina.warehouse.iceberg.metadata import Metadata
from lamina.warehouse.iceberg.tables import Tables
from lamina.warehouse.settings import WarehouseSettings

ORDERS, ITEMS = TableName("sales.orders"), TableName("sales.items")


@pytest.fixture
def settings(tmp_path: Path) -> WarehouseSettings:
    folder = str(tmp_path)
    return WarehouseSettings(root=folder, database=f"{folder}/db", warehouse=f"{folder}/warehouse", logs=folder)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the metadata files that are read."""
    found: list[str] = []

    def read_metadata(pointer: str) -> Metadata:
        found.append(pointer.rpartition("/")[2])
        return metadata.read_metadata.__wrapped__(pointer)

    monkeypatch.setattr(head_cache, "read_metadata", read_metadata)
    return found


def write(folder: Path, name: str, *, snapshot: int, size: int = 10) -> str:
    """Write a metadata file and return the pointer to it."""
    fields = [{"id": 1, "name": "id", "required": True, "type": "long"}]
    summary = {"operation": "append", "total-files-size": str(size), "total-data-files": "3"}
    document = {
        "location": f"file:{folder}",
        "current-schema-id": 0,
        "schemas": [{"schema-id": 0, "fields": fields}],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "current-snapshot-id": snapshot,
        "snapshots": [{"snapshot-id": snapshot, "summary": summary}],
    }
    path = folder / name
    path.write_text(json.dumps(document))
    return f"file:{path}"


def point(settings: WarehouseSettings, **pointers: str) -> None:
    """Let the catalog name these tables."""
    with closing(CatalogFile(Path(settings.database))) as file, file.writing() as transaction:
        for name, pointer in pointers.items():
            JdbcCatalog(settings.catalog).register(transaction, TableName(f"sales.{name}"), pointer=pointer)


def look(settings: WarehouseSettings, *names: TableName) -> dict[TableName, Head]:
    """Ask for heads as a process does that begins and ends."""
    tables = Tables(settings)
    try:
        return tables.heads(names)
    finally:
        tables.close()


def test_only_tables_that_moved_are_looked_into(settings: WarehouseSettings, tmp_path: Path, opened: list[str]) -> None:
    point(settings, orders=write(tmp_path, "1.json", snapshot=1), items=write(tmp_path, "2.json", snapshot=2))
    first = look(settings, ORDERS, ITEMS)
    assert opened == ["1.json", "2.json"]

    assert look(settings, ORDERS, ITEMS) == first
    assert opened == ["1.json", "2.json"]
    moved = write(tmp_path, "3.json", snapshot=3, size=20)
    point(settings, items=moved)
    second = look(settings, ORDERS, ITEMS)
    assert opened == ["1.json", "2.json", "3.json"]
    assert second[ORDERS] == first[ORDERS]
    assert (second[ITEMS].pointer, second[ITEMS].position) == (moved, "3")
    assert (second[ITEMS].bytes, second[ITEMS].files) == (20, 3)


def test_a_head_is_the_same_kept_and_read(settings: WarehouseSettings, tmp_path: Path) -> None:
    point(settings, orders=write(tmp_path, "1.json", snapshot=1))
    read, kept = look(settings, ORDERS), look(settings, ORDERS)
    assert read == kept
    assert [(column.name, column.type, column.nullable) for column in kept[ORDERS].columns] == [("id", "bigint", False)]


def test_asking_for_one_table_does_not_forget_the_others(
    settings: WarehouseSettings, tmp_path: Path, opened: list[str]
) -> None:
    point(settings, orders=write(tmp_path, "1.json", snapshot=1), items=write(tmp_path, "2.json", snapshot=2))
    look(settings, ORDERS)
    look(settings, ITEMS)
    look(settings, ORDERS, ITEMS)
    assert opened == ["1.json", "2.json"]


def test_a_metadata_file_that_was_changed_is_read(
    settings: WarehouseSettings, tmp_path: Path, opened: list[str]
) -> None:
    point(settings, orders=write(tmp_path, "1.json", snapshot=1))
    look(settings, ORDERS)
    write(tmp_path, "1.json", snapshot=7)
    os.utime(tmp_path / "1.json", ns=(1, 1))
    assert look(settings, ORDERS)[ORDERS].position == "7"
    assert opened == ["1.json", "1.json"]


def test_a_metadata_file_that_is_gone_is_a_fault_of_its_table(settings: WarehouseSettings, tmp_path: Path) -> None:
    point(settings, orders=write(tmp_path, "1.json", snapshot=1))
    look(settings, ORDERS)
    (tmp_path / "1.json").unlink()
    head = look(settings, ORDERS)[ORDERS]
    assert (head.position, head.fault) == (None, f"`{tmp_path / '1.json'}` cannot be read")


def test_a_table_that_does_not_exist_has_no_head(settings: WarehouseSettings) -> None:
    assert look(settings, ORDERS) == {ORDERS: Head(table=ORDERS, pointer=None, position=None)}
    assert not Path(settings.root, ".lamina").exists()


@pytest.mark.parametrize("data", [b"", b"not kept by us", bytes(100)])
def test_a_damaged_cache_is_not_believed(
    settings: WarehouseSettings, tmp_path: Path, opened: list[str], data: bytes
) -> None:
    point(settings, orders=write(tmp_path, "1.json", snapshot=1))
    first = look(settings, ORDERS)
    (tmp_path / ".lamina" / "cache" / "heads.msgpack").write_bytes(data)
    assert look(settings, ORDERS) == first
    assert opened == ["1.json", "1.json"]
