"""A table's history from its metadata file alone: marks, foreign steps, compaction, expiry, replacement."""

import json
from pathlib import Path
from typing import Any

import pytest

from lamina.project.source import SourceTable
from lamina.values import codec
from lamina.values.coverage import Coverage, Mark
from lamina.values.interval import WHOLE
from lamina.values.names import Fingerprint, Position, SourceName, TableName
from lamina.values.row_counts import RowCounts
from lamina.values.touch import Everything, Nothing
from lamina.warehouse.iceberg.ancestry import history_of, only_pins
from lamina.warehouse.iceberg.metadata import Metadata, MetadataUnreadable, read_metadata, write_properties
from lamina.warehouse.sources.iceberg import table_changes

TABLE = TableName("a.b")


def mark(commit: str) -> Mark:
    return Mark(
        commit=commit,
        run_id="r",
        token=1,
        project="p",
        environment="prod",
        store="s",
        model="a.b",
        fingerprint=Fingerprint("f"),
        slices=(WHOLE,),
        pins={},
        coverage=Coverage(),
    )


def snapshot(number: int, parent: int | None, **summary: str) -> dict[str, Any]:
    linked = {} if parent is None else {"parent-snapshot-id": parent}
    named = {
        key.replace("_", "-") if not key.startswith("lamina") else key.replace("_", "."): value
        for key, value in summary.items()
    }
    return {"snapshot-id": number, **linked, "summary": named, "manifest-list": "", "schema-id": 0}


def ours(number: int, parent: int | None, **more: str) -> dict[str, Any]:
    text = codec.to_json(mark(f"c{number}")).decode()
    return snapshot(number, parent, **{"operation": "overwrite", "added_data_files": "1", "lamina_mark": text, **more})


def metadata(folder: Path, *snapshots: dict[str, Any], **properties: str) -> Metadata:
    document = {
        "format-version": 2,
        "location": f"file:{folder}",
        "last-updated-ms": 1,
        "current-schema-id": 0,
        "schemas": [{"schema-id": 0, "fields": [{"id": 1, "name": "x", "required": False, "type": "long"}]}],
        "default-spec-id": 0,
        "partition-specs": [{"spec-id": 0, "fields": []}],
        "properties": {key.replace("_", "."): value for key, value in properties.items()},
        "current-snapshot-id": snapshots[-1]["snapshot-id"] if snapshots else -1,
        "snapshots": list(snapshots),
    }
    path = folder / f"00003-{len(snapshots)}.metadata.json"
    path.write_text(json.dumps(document))
    return read_metadata(f"file:{path}")


def test_steps_after_a_version_are_listed_oldest_first(tmp_path: Path) -> None:
    foreign = snapshot(3, 2, operation="append", added_data_files="1", added_records="5")
    found = history_of(TABLE, metadata(tmp_path, ours(1, None), ours(2, 1), foreign), Position("1"), model=None)

    assert found.is_linked
    assert [(step.position, step.mark and step.mark.commit) for step in found.versions] == [("2", "c2"), ("3", None)]
    assert found.versions[1].touch.is_append
    assert found.versions[1].touch.rows_added == 5
    assert found.versions[1].touch.rows == RowCounts(on_time=5)
    assert found.mark is not None
    assert found.mark.commit == "c2"


def test_compaction_and_empty_commits_change_nothing(tmp_path: Path) -> None:
    compacted = snapshot(2, 1, operation="replace", added_data_files="1", deleted_data_files="4")
    empty = snapshot(3, 2, operation="append")
    rows_gone = snapshot(4, 3, operation="delete", deleted_data_files="1")
    found = history_of(TABLE, metadata(tmp_path, ours(1, None), compacted, empty, rows_gone), Position("1"), model=None)

    assert [step.is_content_preserving for step in found.versions] == [True, True, False]
    assert [step.touch.extent for step in found.versions] == [Nothing(), Nothing(), Everything()]
    assert not found.versions[2].touch.is_append


def test_version_that_is_not_an_ancestor_is_not_linked(tmp_path: Path) -> None:
    found = history_of(TABLE, metadata(tmp_path, ours(5, None), ours(6, 5)), Position("4"), model=None)

    assert not found.is_linked
    assert [step.position for step in found.versions] == ["5", "6"]


def test_expired_parent_still_links(tmp_path: Path) -> None:
    found = history_of(TABLE, metadata(tmp_path, ours(6, 5)), Position("5"), model=None)

    assert found.is_linked


def test_replacement_is_linked_by_the_predecessor_it_names(tmp_path: Path) -> None:
    replaced = ours(2, None, lamina_predecessor="1")
    found = history_of(TABLE, metadata(tmp_path, ours(1, None), replaced), Position("1"), model=None)

    assert found.is_linked
    assert [(step.position, step.parent) for step in found.versions] == [("2", "1")]
    assert found.versions[0].touch.extent == Everything()
    assert not found.versions[0].touch.is_append


def test_mark_of_the_table_counts_when_its_snapshot_expired(tmp_path: Path) -> None:
    kept = codec.to_json(mark("c1")).decode()
    foreign = snapshot(3, 2, operation="append", added_data_files="1")
    found = history_of(TABLE, metadata(tmp_path, foreign, lamina_mark=kept), Position("2"), model=None)

    assert found.mark is not None
    assert found.mark.commit == "c1"


def test_properties_are_written_as_the_next_metadata_file(tmp_path: Path) -> None:
    before = metadata(tmp_path, ours(1, None), lamina_mark="old", other="kept")
    after = read_metadata(write_properties(before.pointer, {"lamina.mark": "new"}))

    assert after.properties == {"lamina.mark": "new", "other": "kept"}
    assert after.pointer.rpartition("/")[2].startswith("00004-")
    log = json.loads(Path(after.pointer.removeprefix("file:")).read_text())["metadata-log"]
    assert [entry["metadata-file"] for entry in log] == [before.pointer]
    assert after.snapshots == before.snapshots


def test_table_without_snapshots_has_no_position(tmp_path: Path) -> None:
    assert metadata(tmp_path).position is None


def test_missing_metadata_file_is_reported() -> None:
    with pytest.raises(MetadataUnreadable):
        read_metadata("file:/nowhere/00001-x.metadata.json")


@pytest.mark.parametrize(
    "text", ["{}", "[]", '{"schemas": [{"schema-id": 0}]}', '{"schemas": 1}', '{"snapshots": [1]}', "{"]
)
def test_damaged_metadata_file_is_reported(tmp_path: Path, text: str) -> None:
    path = tmp_path / "00001-x.metadata.json"
    path.write_text(text)
    with pytest.raises(MetadataUnreadable):
        read_metadata(f"file:{path}")


def test_what_is_not_looked_at_is_written_as_it_was(tmp_path: Path) -> None:
    before = metadata(tmp_path, ours(1, None))
    path = Path(before.pointer.removeprefix("file:"))
    extra = {"snapshot-log": [{"snapshot-id": 2**62 + 1, "timestamp-ms": 1}], "later": {"b": 1.50, "a": None}}
    document = json.loads(path.read_text()) | extra
    path.write_text(json.dumps(document))

    after = json.loads(Path(write_properties(before.pointer, {"x": "y"}).removeprefix("file:")).read_text())

    changed = {"properties", "metadata-log", "last-updated-ms"}
    assert {key: after[key] for key in after if key not in changed} == {
        key: document[key] for key in document if key not in changed
    }


@pytest.mark.parametrize(("operation", "is_append"), [("append", True), ("overwrite", False)])
def test_only_what_the_append_scan_reads_counts_as_appended(tmp_path: Path, operation: str, is_append: bool) -> None:
    """An overwrite that removed nothing cannot be read as new rows: its readers are rebuilt, not stuck."""
    source = SourceTable(name=SourceName("a.b"), type="iceberg", location="a.b")
    step = snapshot(2, 1, operation=operation, added_data_files="1", added_records="5")
    steps = (snapshot(1, None, operation="append"), step)
    (touch,) = table_changes(source, metadata(tmp_path, *steps), Position("1"), columns=())
    assert touch.is_append == is_append
    assert touch.rows == (RowCounts(on_time=5) if is_append else None)


def test_rows_that_a_summary_does_not_count_are_not_known(tmp_path: Path) -> None:
    source = SourceTable(name=SourceName("a.b"), type="iceberg", location="a.b")
    steps = (snapshot(1, None, operation="append"), snapshot(2, 1, operation="append", added_data_files="1"))
    (touch,) = table_changes(source, metadata(tmp_path, *steps), Position("1"), columns=())
    assert (touch.is_append, touch.rows) == (True, None)


@pytest.mark.parametrize(
    ("steps", "pins"),
    [
        ([ours(1, None)], {}),
        ([ours(1, None), ours(2, 1, added_data_files="0")], {}),
        ([ours(1, None), ours(2, 1)], None),
        ([ours(2, 1)], None),
        ([snapshot(1, None, operation="append", added_data_files="1")], None),
    ],
    ids=["one batch", "an equal one after it", "two batches", "an expired one", "another writer"],
)
def test_what_one_batch_read_is_known_while_no_other_wrote_rows(
    steps: list[dict[str, Any]], pins: dict[TableName, Position] | None, tmp_path: Path
) -> None:
    assert only_pins(metadata(tmp_path, *steps)) == pins
