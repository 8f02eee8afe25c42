"""Files that look the same or come back: their bytes decide, and are read once, also in lists of earlier versions."""

import os
from pathlib import Path

import pytest
from tests.rewriting import move_ctime, rewrite
from tests.warehouse.files.raw_files import after, changes, head, instant, ranges, source, text

from lamina.values import codec
from lamina.values.batch import Pin
from lamina.values.names import Position, TableName
from lamina.values.touch import Everything
from lamina.values.value import Value
from lamina.warehouse.failure import NotAppended, SourceUnreadable
from lamina.warehouse.files import manifest
from lamina.warehouse.files.appended_files import appended_files
from lamina.warehouse.files.detect_files import pinned_head
from lamina.warehouse.files.file_digests import keep_digests
from lamina.warehouse.files.manifest import Manifest, SourceChanged
from lamina.warehouse.files.reading import reading_of
from lamina.warehouse.settings import WarehouseSettings

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
    assert (str(touch.files), touch.is_append, touch.has_new_rows) == ("1 file changed", False, False)
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
    assert str(changes(settings, source("json"), first).files) == "1 file changed"


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
    assert str(changes(settings, source("json"), before).files) == "1 file changed"


def test_a_list_without_ctimes_that_was_not_the_last_one_is_found_too(settings: WarehouseSettings) -> None:
    text(settings, "a", JSON_TIMES[0])
    text(settings, "b", JSON_TIMES[1])
    before = write_earlier_form(settings, "a", "b")
    write_earlier_form(settings, "b")

    assert head(settings, source("json")) == before
    text(settings, "c", JSON_TIMES[1])
    assert str(changes(settings, source("json"), before).files) == "1 file added"


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
