"""A warehouse that was moved or copied names its new folder everywhere, also when the work was killed on the way."""

import shutil
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import StaticTable

from lamina.warehouse.avro import Container
from lamina.warehouse.iceberg import relocation
from lamina.warehouse.iceberg.avro_paths import rewrite_paths
from lamina.warehouse.iceberg.metadata import local_path, read_metadata
from lamina.warehouse.iceberg.rediscovery import find_tables, kind_of, table_names
from lamina.warehouse.iceberg.relocation import CannotRelocate, mover, relocate_tables

TABLE = "sales.orders"


class Killed(BaseException):
    """The process ended here."""


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """Return a warehouse with a table of two versions, written by another implementation of Iceberg."""
    folder = tmp_path / "old" / "lake"
    catalog = SqlCatalog("lake", uri="sqlite:///:memory:", warehouse=f"file://{folder}")
    catalog.create_namespace("sales")
    columns = pa.schema([("id", pa.int64()), ("name", pa.string())])
    table = catalog.create_table(TABLE, schema=columns, location=f"file://{folder}/sales/orders")
    table.append(pa.table({"id": [1], "name": ["a"]}, schema=columns))
    table.append(pa.table({"id": [2], "name": [str(folder)]}, schema=columns))
    return folder


def ids(warehouse: Path) -> list[int]:
    """Return what the newest version of the table holds."""
    newest = max((warehouse / "sales" / "orders" / "metadata").glob("*.metadata.json"))
    return sorted(StaticTable.from_metadata(str(newest)).scan().to_arrow()["id"].to_pylist())


def test_a_moved_table_is_read_in_its_new_place(lake: Path, tmp_path: Path) -> None:
    there = tmp_path / "new" / "lake"
    shutil.move(lake, there)
    assert relocate_tables(there, mover([str(lake)], str(there))) == (TABLE,)
    assert ids(there) == [1, 2]
    assert [str(lake).encode() in path.read_bytes() for path in there.rglob("*.json")] == [False, False, False]


def test_a_copy_leaves_the_original_as_it_was(lake: Path, tmp_path: Path) -> None:
    there = tmp_path / "new" / "lake"
    shutil.copytree(lake, there, copy_function=lambda *paths: Path(paths[1]).hardlink_to(paths[0]))
    before = {path: path.read_bytes() for path in lake.rglob("*") if path.is_file()}
    relocate_tables(there, mover([str(lake)], str(there)))
    assert {path: path.read_bytes() for path in lake.rglob("*") if path.is_file()} == before
    shutil.rmtree(lake)
    assert ids(there) == [1, 2]


def test_a_relocation_that_is_killed_anywhere_is_done_again(
    lake: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "new" / "lake"
    shutil.move(lake, there)
    moved, replace, left = mover([str(lake)], str(there)), relocation.replace_file, 0
    for kill_after in range(20):
        left = kill_after

        def dying(path: Path, data: bytes) -> bool:
            nonlocal left
            left -= 1
            if left < 0:
                raise Killed
            return replace(path, data)

        monkeypatch.setattr(relocation, "replace_file", dying)
        try:
            relocate_tables(there, moved)
            break
        except Killed:
            continue
    assert kill_after > 3
    monkeypatch.setattr(relocation, "replace_file", replace)
    assert ids(there) == [1, 2]
    assert relocate_tables(there, moved) == ()


def test_a_second_move_before_the_first_was_finished_is_followed(lake: Path, tmp_path: Path) -> None:
    second, third = tmp_path / "second", tmp_path / "third"
    shutil.move(lake, second)
    manifests = sorted((second / "sales" / "orders" / "metadata").glob("*.avro"))
    half = rewrite_paths(manifests[0].read_bytes(), moved=mover([str(lake)], str(second)), length_of=lambda _: None)
    manifests[0].write_bytes(half)
    shutil.move(second, third)
    relocate_tables(third, mover([str(lake), str(second)], str(third)))
    assert ids(third) == [1, 2]


def test_lists_of_manifests_get_the_new_lengths(lake: Path, tmp_path: Path) -> None:
    there = tmp_path / "a-much-longer-name-than-before" / "lake"
    shutil.move(lake, there)
    relocate_tables(there, mover([str(lake)], str(there)))
    newest = max((there / "sales" / "orders" / "metadata").glob("*.metadata.json"))
    table = StaticTable.from_metadata(str(newest))
    snapshot = table.current_snapshot()
    assert snapshot is not None
    lengths = {item.manifest_path: item.manifest_length for item in snapshot.manifests(table.io)}
    assert lengths == {path: local_path(path).stat().st_size for path in lengths}


def test_a_file_that_names_nothing_old_is_left_alone(lake: Path) -> None:
    for path in lake.rglob("*.avro"):
        data = path.read_bytes()
        assert rewrite_paths(data, moved=lambda text: text, length_of=lambda _: None) is data
        assert Container(data).blocks


def test_a_damaged_manifest_is_named_before_anything_is_changed(lake: Path) -> None:
    broken = min(lake.rglob("*.avro"))
    broken.write_bytes(broken.read_bytes()[:40])
    before = {path: path.read_bytes() for path in lake.rglob("*") if path.is_file()}
    with pytest.raises(CannotRelocate, match=broken.name):
        relocate_tables(lake, mover([str(lake)], "/elsewhere"))
    assert {path: path.read_bytes() for path in lake.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("scheme", ["", "file:", "file://"])
def test_a_path_stays_as_it_is_written(scheme: str) -> None:
    moved = mover(["/a/lake"], "/b/lake")
    assert moved(f"{scheme}/a/lake/t/x.parquet") == f"{scheme}/b/lake/t/x.parquet"
    assert moved(f"{scheme}/a/lakes/t/x.parquet") == f"{scheme}/a/lakes/t/x.parquet"
    assert moved(f"{scheme}/b/lake/t/x.parquet") == f"{scheme}/b/lake/t/x.parquet"


def test_tables_without_marks_are_found_at_their_newest_version(lake: Path) -> None:
    assert table_names(lake) == (TABLE,)
    (found,) = find_tables(lake)
    newest = max((lake / "sales" / "orders" / "metadata").glob("*.metadata.json"))
    assert (local_path(found.pointer), found.mark) == (newest, None)
    assert kind_of(read_metadata(found.pointer)) == "foreign"
