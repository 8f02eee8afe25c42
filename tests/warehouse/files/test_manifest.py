"""Manifests are read once for all who ask, and again when more is known of their files."""

from pathlib import Path

import pytest

from lamina.project.source import SourceTable
from lamina.values import codec
from lamina.values.interval import WHOLE
from lamina.values.names import ColumnName, Position, SourceName
from lamina.values.touch import ColumnRanges
from lamina.warehouse.files.manifest import (
    FileEntry,
    FileNameRefused,
    HeldFile,
    Manifest,
    ManifestGone,
    list_files,
    load_manifest,
    store_manifest,
)
from lamina.warehouse.settings import WarehouseSettings

SOURCE = SourceTable(name=SourceName("raw.orders"), type="files", location="raw")
FILE = FileEntry(path="a.csv", size=1, modified_ns=2)


@pytest.fixture
def settings(tmp_path: Path) -> WarehouseSettings:
    folder = str(tmp_path)
    return WarehouseSettings(root=folder, database=f"{folder}/db", warehouse=f"{folder}/warehouse", logs=folder)


def test_a_manifest_is_taken_apart_once(settings: WarehouseSettings, monkeypatch: pytest.MonkeyPatch) -> None:
    position = store_manifest(settings, Manifest(source="raw.orders", files=(HeldFile(file=FILE),)))
    first = load_manifest(settings, SOURCE, position)

    monkeypatch.delattr(codec, "from_json")

    assert load_manifest(settings, SOURCE, position) == first


def test_a_manifest_that_was_stored_again_is_read_again(settings: WarehouseSettings) -> None:
    position = store_manifest(settings, Manifest(source="raw.orders", files=(HeldFile(file=FILE),)))
    assert load_manifest(settings, SOURCE, position).asked == ()
    given = HeldFile(file=FILE, held=(ColumnRanges(column=ColumnName("at"), ranges=(WHOLE,)),))

    again = store_manifest(settings, Manifest(source="raw.orders", files=(given,), asked=(ColumnName("at"),)))

    assert again == position
    assert load_manifest(settings, SOURCE, position).files == (given,)


def test_a_manifest_that_is_gone_is_reported(settings: WarehouseSettings) -> None:
    position = store_manifest(settings, Manifest(source="raw.orders", files=()))
    load_manifest(settings, SOURCE, position)
    Path(settings.warehouse, "_lamina", "manifests", f"{position}.json").unlink()
    for gone in (position, Position("never-there")):
        with pytest.raises(ManifestGone):
            load_manifest(settings, SOURCE, gone)


def test_files_are_named_from_the_folder_of_the_source_and_sorted(tmp_path: Path) -> None:
    names = ["b/2.csv", "b/1.csv", "a.csv", "day-1/x-2/c.csv", "_tmp/d.csv", ".hidden", "b/_SUCCESS"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)

    found = list_files(SOURCE, tmp_path)

    assert [(entry.path, entry.size) for entry in found] == [
        ("a.csv", 5),
        ("b/1.csv", 7),
        ("b/2.csv", 7),
        ("day-1/x-2/c.csv", 15),
    ]
    assert [entry.path for entry in list_files(SOURCE, tmp_path / "a.csv")] == ["."]


@pytest.mark.parametrize("name", ["a:b.csv", ":a.csv", "hour=10:00/a:b.csv"])
def test_a_file_with_a_colon_in_its_name_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("id\n1\n")
    (tmp_path / "_x:y.csv").write_text("id\n1\n")  # left out, as Spark leaves it out

    with pytest.raises(FileNameRefused) as refused:
        list_files(SOURCE, tmp_path)

    assert f"`{tmp_path / name}`" in refused.value.message
    assert refused.value.hint
    with pytest.raises(FileNameRefused):
        list_files(SOURCE, tmp_path / name)


def test_folders_may_have_colons_in_their_names(tmp_path: Path) -> None:
    (tmp_path / "hour=10:00").mkdir()
    (tmp_path / "hour=10:00" / "a.csv").write_text("id\n1\n")
    assert [entry.path for entry in list_files(SOURCE, tmp_path)] == ["hour=10:00/a.csv"]
