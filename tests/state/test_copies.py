"""Copies of the state file: few, whole, and used only if they are; a damaged file is never deleted."""

from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from lamina.state import copies, place
from lamina.state.errors import StateReplaced
from lamina.state.publications import Publications, read_publications
from lamina.state.sqlite import Database
from lamina.values.names import TableName

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return a state file that has published nothing."""
    path = tmp_path / "lamina.db"
    Database(path).close()
    return path


def copy_at(path: Path, minute: int) -> Path:
    with closing(Database(path)) as database:
        database.keep_copy(at=NOW + timedelta(minutes=minute))
    copy = copies.newest_good_copy(path)
    assert copy is not None
    return copy


def test_the_newest_copies_are_kept(path: Path) -> None:
    made = [copy_at(path, minute) for minute in range(5)]
    assert [copy.exists() for copy in made] == [False, False, True, True, True]
    assert copies.newest_good_copy(path) == made[-1]


@pytest.mark.parametrize("damage", [b"", b"not a database\n" * 100, None])
def test_a_damaged_copy_is_passed_over(path: Path, damage: bytes | None) -> None:
    older, newer = copy_at(path, 1), copy_at(path, 2)
    newer.write_bytes(newer.read_bytes()[:5000] if damage is None else damage)
    assert copies.damage_of(newer) is not None
    assert copies.newest_good_copy(path) == older


def test_a_damaged_file_is_renamed_with_what_lies_beside_it(path: Path) -> None:
    path.write_bytes(b"damaged")
    Path(f"{path}-wal").write_bytes(b"log")
    aside = copies.put_aside(path, at=NOW)
    assert aside is not None
    assert (aside.read_bytes(), Path(f"{aside}-wal").read_bytes()) == (b"damaged", b"log")
    assert not path.exists()


def test_a_restoration_that_is_killed_leaves_no_half_file(path: Path) -> None:
    copy = copy_at(path, 1)
    path.unlink()
    with suppress(KeyboardInterrupt), copies.put_in_place(copy, path) as scratch:
        scratch.write_bytes(b"half")
        raise KeyboardInterrupt
    assert not path.exists()
    with copies.put_in_place(copy, path):
        pass
    assert copies.damage_of(path) is None


def test_publications_are_counted_in_the_store_and_beside_the_tables(path: Path, tmp_path: Path) -> None:
    with closing(Database(path)) as database:
        for _ in range(2):
            with database.writing() as connection:
                place.count_publication(connection, (TableName("a.b"),), warehouse=tmp_path)
        with database.reading() as connection:
            found = place.read_place(connection)
    assert found.published == 2
    expected = Publications(found.identity, number=2, table=TableName("a.b"), state=str(path.resolve()))
    assert read_publications(tmp_path, found.identity) == expected


def test_nothing_is_written_to_a_file_that_was_deleted_or_replaced(path: Path) -> None:
    with closing(Database(path)) as database:
        path.unlink()
        with pytest.raises(StateReplaced), database.writing():
            pass
        path.write_bytes(b"")
        with pytest.raises(StateReplaced), database.writing():
            pass
