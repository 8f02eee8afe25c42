"""Manifests of file sources: what was added, removed or changed, and which times that touches; no JVM."""

import os
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Literal

import pyarrow
import pyarrow.parquet
import pytest
from tests.rewriting import move_ctime, rewrite

from lamina.project.source import SourceTable
from lamina.values import codec
from lamina.values.batch import Pin
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, Position, SourceName, TableName
from lamina.values.schema import Column, DataType
from lamina.values.touch import ColumnRanges, Everything, Nothing, Ranges, Touch
from lamina.values.value import Value
from lamina.warehouse.failure import NotAppended, SourceUnreadable, WarehouseNotWritable
from lamina.warehouse.files import csv_format, manifest
from lamina.warehouse.files.appended_files import appended_files
from lamina.warehouse.files.csv_format import CSV
from lamina.warehouse.files.detect_files import file_changes, file_head, pinned_head
from lamina.warehouse.files.file_digests import keep_digests
from lamina.warehouse.files.formats import FORMATS
from lamina.warehouse.files.manifest import Manifest, SourceChanged, SourceGone
from lamina.warehouse.files.reading import reading_of
from lamina.warehouse.settings import WarehouseSettings

TS = ColumnName("ts")


@pytest.fixture
def settings(tmp_path: Path) -> WarehouseSettings:
    folder = str(tmp_path)
    return WarehouseSettings(root=folder, database=f"{folder}/db", warehouse=f"{folder}/warehouse", logs=folder)


def source(format: Literal["parquet", "csv", "json"] = "parquet", **fields: Any) -> SourceTable:
    return SourceTable(name=SourceName("raw.orders"), type="files", location="raw", format=format, **fields)


def instant(day: int, hour: int = 0, minute: int = 0) -> datetime:
    return datetime(2026, 1, day, hour, minute, tzinfo=UTC)


def after(last: datetime) -> datetime:
    return last.replace(microsecond=1)


def write(settings: WarehouseSettings, name: str, *times: datetime | date) -> None:
    path = Path(settings.root, "raw", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    table = pyarrow.table({"ts": list(times), "n": list(range(len(times)))})
    pyarrow.parquet.write_table(table, path)


def text(settings: WarehouseSettings, name: str, content: str) -> None:
    path = Path(settings.root, "raw", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def head(settings: WarehouseSettings, table: SourceTable) -> Position:
    position = file_head(settings, table, columns=(TS,)).position
    assert position is not None
    return position


def changes(settings: WarehouseSettings, table: SourceTable, since: Position) -> Touch:
    (touch,) = file_changes(settings, table, since, until=head(settings, table), columns=(TS,))
    return touch


def ranges(*spans: tuple[datetime, datetime]) -> Ranges:
    return Ranges(columns=(ColumnRanges(column=TS, ranges=tuple(Interval(*span) for span in spans)),))


def test_unchanged_folder_has_the_same_position_and_no_changes(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", instant(1))
    first = head(settings, source())

    assert head(settings, source()) == first
    assert file_changes(settings, source(), first, until=first, columns=(TS,)) == ()


def test_new_file_is_an_append_of_the_times_it_holds(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", instant(1))
    before = head(settings, source())
    write(settings, "b.parquet", instant(2, 5), instant(2, 7))

    touch = changes(settings, source(), before)

    assert touch.is_append
    assert touch.extent == ranges((instant(2, 5), after(instant(2, 7))))


def test_removed_and_changed_files_touch_what_they_held(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", instant(1))
    write(settings, "b.parquet", instant(3))
    write(settings, "c.parquet", instant(9))
    before = head(settings, source())
    Path(settings.root, "raw/a.parquet").unlink()
    write(settings, "b.parquet", instant(5), instant(5, 1))

    touch = changes(settings, source(), before)

    assert not touch.is_append
    assert touch.extent == ranges(
        (instant(1), after(instant(1))), (instant(3), after(instant(3))), (instant(5), after(instant(5, 1)))
    )


def test_wide_file_touches_the_hours_it_holds_not_all_between(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", instant(1))
    before = head(settings, source())
    write(settings, "b.parquet", instant(2, 5, 30), instant(20, 7, 10))

    extent = changes(settings, source(), before).extent

    assert extent == ranges((instant(2, 5), instant(2, 6)), (instant(20, 7), instant(20, 8)))


def test_dates_are_given_by_whole_days(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", date(2026, 1, 1))
    before = head(settings, source())
    write(settings, "b.parquet", date(2026, 1, 3), date(2026, 1, 9))

    extent = changes(settings, source(), before).extent

    assert extent == ranges((instant(3), instant(4)), (instant(9), instant(10)))


def test_folders_tell_the_day_without_opening_the_file(settings: WarehouseSettings) -> None:
    text(settings, "ts=2026-01-01/a.parquet", "not parquet at all")
    before = head(settings, source())
    text(settings, "ts=2026-01-04/b.parquet", "neither")

    assert changes(settings, source(), before).extent == ranges((instant(4), instant(5)))


@pytest.mark.parametrize(
    ("format", "first", "second"),
    [
        ("csv", "n,ts\n1,2026-01-01T00:00:00Z\n", "n,ts\n1,2026-01-02T05:00:00Z\n2,\n"),
        ("csv", "n,ts\n1,2026-01-01 00:00:00\n", "n,ts\n1,2026-01-02 05:00:00\n"),
        ("json", '{"ts": "2026-01-01T00:00:00Z"}\n', '{"ts": "2026-01-02T05:00:00Z"}\n'),
    ],
)
def test_text_files_are_scanned_for_the_one_column(
    settings: WarehouseSettings, format: Literal["csv", "json"], first: str, second: str
) -> None:
    text(settings, "a", first)
    before = head(settings, source(format))
    text(settings, "b", second)

    extent = changes(settings, source(format), before).extent

    assert extent == ranges((instant(2, 5), after(instant(2, 5))))


def test_file_that_cannot_tell_touches_everything(settings: WarehouseSettings) -> None:
    text(settings, "a", "ts\n2026-01-01T00:00:00Z\n")
    before = head(settings, source("csv"))
    text(settings, "b", "ts\nsoon\n")

    assert changes(settings, source("csv"), before).extent == Everything()


def test_declared_date_is_read_as_one(settings: WarehouseSettings) -> None:
    table = source("csv", columns=(Column(name=TS, type=DataType("date")),))
    text(settings, "a", "ts\n2026-01-01\n")
    before = head(settings, table)
    text(settings, "b", "ts\n2026-01-05\n")

    assert changes(settings, table, before).extent == ranges((instant(5), instant(6)))


def test_touching_a_file_without_rows_of_that_column_touches_no_range(settings: WarehouseSettings) -> None:
    text(settings, "a", "ts\n2026-01-01T00:00:00Z\n")
    before = head(settings, source("csv"))
    text(settings, "b", "ts\n")

    assert changes(settings, source("csv"), before).extent == ranges()


def test_column_that_was_not_requested_before_is_looked_up(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", instant(1))
    before = file_head(settings, source(), columns=()).position
    write(settings, "b.parquet", instant(2))
    file_head(settings, source(), columns=())

    assert changes(settings, source(), Position(str(before))).extent == ranges((instant(2), after(instant(2))))


def test_forgotten_manifest_means_everything(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", instant(1))
    head(settings, source())

    assert changes(settings, source(), Position("unknown")).extent == Everything()


def test_hidden_files_are_no_part_of_a_source(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", instant(1))
    before = head(settings, source())
    text(settings, "_SUCCESS", "")
    text(settings, ".part.crc", "")

    assert head(settings, source()) == before


def test_rewritten_file_of_equal_bytes_is_still_a_change(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", instant(1))
    before = head(settings, source())
    os.utime(Path(settings.root, "raw/a.parquet"), ns=(1, 1))

    touch = changes(settings, source(), before)

    assert not isinstance(touch.extent, Nothing)
    assert not touch.is_append


def test_missing_folder_is_an_error_and_an_empty_one_a_table_without_files(settings: WarehouseSettings) -> None:
    with pytest.raises(SourceGone, match=r"`raw\.orders`"):
        head(settings, source())
    Path(settings.root, "raw").mkdir()

    assert head(settings, source())


def test_warehouse_that_cannot_be_written_is_reported(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", instant(1))
    Path(settings.warehouse).write_text("a file in the place of the folder")

    with pytest.raises(WarehouseNotWritable):
        head(settings, source())


def test_file_that_cannot_be_opened_is_an_error(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", instant(1))
    Path(settings.root, "raw/b.parquet").symlink_to(Path(settings.root, "nowhere"))

    with pytest.raises(SourceUnreadable):
        head(settings, source())


def test_other_reader_options_or_columns_change_everything(settings: WarehouseSettings) -> None:
    text(settings, "a.csv", "id;ts\n1;2026-01-01\n")
    first = source("csv")
    since = head(settings, first)
    typed = (Column(name=ColumnName("ts"), type=DataType("date")),)
    for other in (source("csv", options={"sep": ";"}), source("csv", columns=typed)):
        (touch,) = file_changes(settings, other, since, columns=(TS,))
        assert (touch.parent, touch.extent, touch.is_append) == (since, Everything(), False)
        assert pinned_head(settings, other, since) is None
    for same in (first.replace(description="the same rows"), first.replace(columns=typed, is_inferred=True)):
        assert head(settings, same) == since


JSON_TIMES = ('{"ts": "2026-01-01T00:00:00Z"}\n', '{"ts": "2026-01-02T05:00:00Z"}\n')


def read(settings: WarehouseSettings, position: Position) -> None:
    """Note that a batch read all files."""
    keep_digests(settings, source("json"), position, held(settings, position).entries)


def held(settings: WarehouseSettings, position: Position) -> Manifest:
    return manifest.load_manifest(settings, source("json"), position)


def recheck(settings: WarehouseSettings, position: Position) -> None:
    manifest.recheck(source("json"), Path(settings.root, "raw"), held(settings, position))


def two_files(settings: WarehouseSettings) -> tuple[Path, Position]:
    """Write two files that a batch reads; return the first of them and their position."""
    text(settings, "a", JSON_TIMES[0])
    text(settings, "b", '{"ts": "2026-01-09T00:00:00Z"}\n')
    position = head(settings, source("json"))
    read(settings, position)
    return Path(settings.root, "raw/a"), position


def test_a_file_rewritten_with_the_same_size_and_time_touches_what_it_held_and_holds(
    settings: WarehouseSettings,
) -> None:
    file, before = two_files(settings)
    rewrite(file, JSON_TIMES[1].encode())

    touch = changes(settings, source("json"), before)

    assert touch.extent == ranges((instant(1), after(instant(1))), (instant(2, 5), after(instant(2, 5))))
    assert (touch.detail, touch.is_append, touch.has_new_rows) == ("1 file changed", False, False)
    assert pinned_head(settings, source("json"), before) is None
    with pytest.raises(SourceChanged):
        recheck(settings, before)


def test_a_ctime_that_moved_alone_is_settled_by_content_once(
    settings: WarehouseSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, before = two_files(settings)
    hashed: list[str] = []
    real = manifest.digest_of

    def digest_of(path: Path) -> str:
        hashed.append(path.name)
        return real(path)

    monkeypatch.setattr(manifest, "digest_of", digest_of)
    assert head(settings, source("json")) == before
    assert hashed == []
    rewrite(file, JSON_TIMES[0].encode())
    recheck(settings, before)
    hashed.clear()

    for _ in range(3):
        assert head(settings, source("json")) == before
        recheck(settings, before)

    assert hashed == ["a"]
    move_ctime(file)
    for _ in range(3):
        assert pinned_head(settings, source("json"), before) is not None
    assert hashed == ["a", "a"]
    rewrite(file, JSON_TIMES[1].encode())
    assert head(settings, source("json")) != before


def test_a_ctime_that_moved_before_a_file_was_read_makes_it_another_one(settings: WarehouseSettings) -> None:
    text(settings, "a", JSON_TIMES[0])
    before = head(settings, source("json"))
    move_ctime(Path(settings.root, "raw/a"))
    read(settings, before)  # too late: what was listed may have been other bytes

    with pytest.raises(SourceChanged):
        recheck(settings, before)
    assert head(settings, source("json")) != before


def test_a_file_whose_rights_forbid_to_compare_it_is_an_error(
    settings: WarehouseSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, _ = two_files(settings)
    move_ctime(file)

    def refuse(_path: Path) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(manifest, "digest_of", refuse)  # rights do not bind a test that runs as root

    with pytest.raises(SourceUnreadable, match=r"raw/a` \(Permission denied\)"):
        head(settings, source("json"))


def test_contents_that_come_and_go_never_look_like_an_earlier_one(settings: WarehouseSettings) -> None:
    file, first = two_files(settings)
    found = file.stat()
    file.unlink()
    without = head(settings, source("json"))
    text(settings, "a", JSON_TIMES[1])
    while file.stat().st_ctime_ns == found.st_ctime_ns:
        os.utime(file, ns=(found.st_mtime_ns, found.st_mtime_ns))
    os.utime(file, ns=(found.st_mtime_ns, found.st_mtime_ns))

    assert len({first, without, head(settings, source("json"))}) == 3
    assert changes(settings, source("json"), first).detail == "1 file changed"


def test_digests_also_reach_a_list_that_was_made_meanwhile(settings: WarehouseSettings) -> None:
    text(settings, "a", JSON_TIMES[0])
    first = head(settings, source("json"))
    text(settings, "b", JSON_TIMES[1])
    second = head(settings, source("json"))
    read(settings, first)

    assert [bool(item.digest) for item in held(settings, second).files] == [True, False]
    move_ctime(Path(settings.root, "raw/a"))
    assert head(settings, source("json")) == second


class EarlierEntry(Value, frozen=True):
    """A file as it was listed before ctimes were kept; the order of the fields is part of the position."""

    path: str
    size: int
    modified_ns: int


def write_earlier_form(settings: WarehouseSettings, *names: str) -> Position:
    """Store the list of some files as it was before ctimes were kept, and return its position."""
    entries = [(name, Path(settings.root, "raw", name).stat()) for name in names]
    plain = [EarlierEntry(path=name, size=found.st_size, modified_ns=found.st_mtime_ns) for name, found in entries]
    reading = reading_of(source("json"))
    position = Position(codec.content_hash((plain, reading)))
    files = [{"file": entry, "held": []} for entry in plain]
    stored = {"asked": ["ts"], "files": files, "reading": reading, "source": "raw.orders"}
    folder = Path(settings.warehouse, "_lamina")
    (folder / "manifests").mkdir(parents=True, exist_ok=True)
    (folder / "sources").mkdir(exist_ok=True)
    (folder / "manifests" / f"{position}.json").write_bytes(codec.to_json(stored))
    (folder / "sources" / "raw.orders.newest").write_text(position)
    return position


def test_a_list_without_ctimes_takes_them_over_and_changes_nothing(settings: WarehouseSettings) -> None:
    text(settings, "a", JSON_TIMES[0])
    text(settings, "b", JSON_TIMES[1])
    before = write_earlier_form(settings, "a", "b")
    recheck(settings, before)

    assert head(settings, source("json")) == before
    assert pinned_head(settings, source("json"), before) is not None
    rewrite(Path(settings.root, "raw/a"), JSON_TIMES[1].encode())
    assert changes(settings, source("json"), before).detail == "1 file changed"


def test_a_list_without_ctimes_that_was_not_the_last_one_is_found_too(settings: WarehouseSettings) -> None:
    text(settings, "a", JSON_TIMES[0])
    text(settings, "b", JSON_TIMES[1])
    before = write_earlier_form(settings, "a", "b")
    write_earlier_form(settings, "b")

    assert head(settings, source("json")) == before
    text(settings, "c", JSON_TIMES[1])
    assert changes(settings, source("json"), before).detail == "1 file added"


def new_files(settings: WarehouseSettings, since: Position, *loaded: Position) -> list[str]:
    """Return the files that a reader who lets changes pass loads now."""
    pin = Pin(TableName("raw"), head(settings, source("json")), since=since, is_past_changes=True, loaded=loaded)
    return [entry.path for entry in appended_files(settings, source("json"), since=since, pin=pin)]


def test_a_file_that_was_away_is_new_only_with_other_bytes(settings: WarehouseSettings) -> None:
    file, both = two_files(settings)
    file.unlink()
    without = head(settings, source("json"))

    text(settings, "a", JSON_TIMES[0])
    assert new_files(settings, without) == ["a"]
    assert new_files(settings, without, both) == []

    text(settings, "a", JSON_TIMES[1])
    assert new_files(settings, without, both) == ["a"]


def test_new_files_are_not_known_without_a_list_of_those_that_were_loaded(settings: WarehouseSettings) -> None:
    _, both = two_files(settings)
    with pytest.raises(NotAppended):
        new_files(settings, both, Position("lost"))


def test_a_lost_list_of_files_may_hide_new_ones(settings: WarehouseSettings) -> None:
    two_files(settings)
    touch = changes(settings, source("json"), Position("lost"))
    assert (touch.extent, touch.is_append, touch.has_new_rows) == (Everything(), False, True)


def test_files_that_are_read_in_another_way_than_before_are_another_source(
    settings: WarehouseSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    text(settings, "a.csv", 'id\n"say ""hi"""\n')
    monkeypatch.setitem(FORMATS, "csv", replace(CSV, reading=None))
    before = file_head(settings, source("csv"), columns=()).position
    monkeypatch.undo()
    assert before is not None

    (touch,) = file_changes(settings, source("csv"), before, columns=())

    assert (touch.extent, touch.is_append) == (Everything(), False)
    assert touch.detail == "its files are read with different settings"


def test_options_of_ours_count_as_those_of_a_source_do(monkeypatch: pytest.MonkeyPatch) -> None:
    before = reading_of(source("csv"))
    monkeypatch.setitem(csv_format.RFC_4180, "escape", "'")

    assert reading_of(source("csv")) != before
    # Formats that are read as they always were keep the hash that stored lists of files have.
    assert reading_of(source("json")) == codec.content_hash(("json", [], []))
    assert reading_of(source("parquet")) == codec.content_hash(("parquet", [], []))
