"""Manifests of file sources: what was added, removed or changed, and which times that touches; no JVM."""

import os
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Literal

import pytest
from tests.warehouse.files.raw_files import TS, after, changes, head, instant, ranges, source, text, write

from lamina.values import codec
from lamina.values.names import ColumnName, Position
from lamina.values.schema import Column, DataType
from lamina.values.touch import Everything, Nothing
from lamina.warehouse.failure import SourceUnreadable, WarehouseNotWritable
from lamina.warehouse.files import csv_format
from lamina.warehouse.files.csv_format import CSV
from lamina.warehouse.files.detect_files import file_changes, file_head, pinned_head
from lamina.warehouse.files.formats import FORMATS
from lamina.warehouse.files.manifest import SourceGone
from lamina.warehouse.files.reading import reading_of
from lamina.warehouse.settings import WarehouseSettings


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


def test_wide_file_with_few_rows_touches_their_minutes_not_all_between(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", instant(1))
    before = head(settings, source())
    write(settings, "b.parquet", instant(2, 5, 30), instant(2, 5, 40), instant(20, 7, 10))

    extent = changes(settings, source(), before).extent

    seconds = (instant(2, 5, 40), instant(2, 5, 41))
    assert extent == ranges(
        (instant(2, 5, 30), instant(2, 5, 31)), seconds, (instant(20, 7, 10), after(instant(20, 7, 10)))
    )


def test_wide_file_with_many_rows_touches_the_hours_it_holds(settings: WarehouseSettings) -> None:
    write(settings, "a.parquet", instant(1))
    before = head(settings, source())
    times = [instant(day, hour, minute) for day, hour in ((2, 5), (20, 7)) for minute in range(0, 60)]
    write(settings, "b.parquet", *times)

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
