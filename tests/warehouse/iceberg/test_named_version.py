"""Versions of a table by the names that people give them."""

import pytest

from lamina.errors import UsageError
from lamina.values.codec import to_json
from lamina.values.coverage import Coverage, Mark
from lamina.values.names import Fingerprint, Position, TableName
from lamina.warehouse.iceberg.metadata import MARK, Metadata, Snapshot
from lamina.warehouse.iceberg.named_version import find_version

TABLE = TableName("sales.orders")
CHANGED = {"added-data-files": "1", "operation": "append"}


def snapshot(number: int, run: str | None, *, parent: int | None = None, is_changed: bool = True) -> Snapshot:
    mark = Mark("c", run or "", 1, "p", "prod", "s", "m", Fingerprint("f"), (), {}, Coverage())
    summary = {**(CHANGED if is_changed else {}), **({MARK: to_json(mark).decode()} if run else {})}
    before = parent if parent is not None else number - 1
    return Snapshot(Position(str(number)), Position(str(before)) if before else None, summary, "")


def table(*snapshots: Snapshot) -> Metadata:
    known = {item.position: item for item in snapshots}
    return Metadata("p", "t", snapshots[-1].position, known, (), {}, (), 1, (), {})


# Two batches of one run, another writer, two batches of the next run, and a mark of a last one.
LINE = table(
    snapshot(1, "run-a"),
    snapshot(2, "run-a"),
    snapshot(3, None),
    snapshot(4, "run-b"),
    snapshot(5, "run-b"),
    snapshot(6, "run-c", is_changed=False),
)


@pytest.mark.parametrize(
    ("text", "position"),
    [
        (None, "6"),
        ("4", "4"),
        ("run-a", "2"),
        ("run-b", "5"),
        ("run-c", "6"),
        ("previous", "3"),
        ("before:run-b", "3"),
        ("before:run-c", "5"),
    ],
)
def test_a_name_means_a_version(text: str | None, position: str) -> None:
    assert find_version(TABLE, LINE, text) == position


@pytest.mark.parametrize("text", ["7", "run-d", "before:run-d", "before:run-a", "latest", "-1", ""])
def test_what_is_not_there_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=f"has no version `{text}`"):
        find_version(TABLE, LINE, text)


def test_the_version_before_another_writer_is_the_one_it_changed() -> None:
    written = table(snapshot(1, "run-a"), snapshot(2, None), snapshot(3, None))
    assert find_version(TABLE, written, "previous") == "2"


def test_a_table_that_was_written_once_has_none_before() -> None:
    with pytest.raises(UsageError, match="has no version before its last change"):
        find_version(TABLE, table(snapshot(1, "run-a")), "previous")
    with pytest.raises(UsageError, match="has no version before its last change"):
        find_version(TABLE, table(snapshot(5, "run-a")), "previous")  # what was before has expired


def test_a_table_without_rows_has_no_version() -> None:
    empty = Metadata("p", "t", None, {}, (), {}, (), 1, (), {})
    with pytest.raises(UsageError, match="has no version yet"):
        find_version(TABLE, empty, None)
