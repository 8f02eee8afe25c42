"""Processes that open a state file while another one restores it: they wait, and none leaves its log beside it."""

from collections.abc import Callable
from contextlib import closing, suppress
from datetime import UTC, datetime
from multiprocessing import get_context
from pathlib import Path

import pytest

from lamina.errors import LaminaError
from lamina.state import copies, place
from lamina.state.sqlite import Database
from lamina.values.names import TableName
from lamina.warehouse.catalog.file_lock import alone, beside_others

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OPENERS = 3
ROUNDS = 15

FORK = get_context("fork")


@pytest.fixture
def copy(path: Path) -> Path:
    """A copy of a state file."""
    with closing(Database(path)) as database:
        database.keep_copy(at=NOW)
    found = copies.newest_good_copy(path)
    assert found is not None
    return found


def identity_of(path: Path) -> str:
    with closing(Database(path)) as database, database.reading() as connection:
        return place.read_place(connection).identity


def count_in(path: Path) -> None:
    with closing(Database(path)) as database, database.writing() as connection:
        place.count_publication(connection, (TableName("a.b"),), warehouse=None)


def restore(path: Path, copy: Path, *, number: int, meanwhile: Callable[[], None]) -> None:
    with alone(path):
        copies.put_aside(path, at=NOW.replace(microsecond=number))
        with copies.put_in_place(copy, path):
            meanwhile()


def test_who_opens_a_file_that_is_being_restored_waits_for_it(path: Path, copy: Path) -> None:
    expected = identity_of(copy)
    trying, done, answers = FORK.Event(), FORK.Event(), FORK.Queue()

    def open_it() -> None:
        trying.set()
        count_in(path)
        answers.put(identity_of(path))
        done.set()

    opener = FORK.Process(target=open_it)

    def begin() -> None:
        opener.start()
        assert trying.wait(timeout=60)
        assert not done.wait(timeout=0.5), "it was opened although it is not there yet"

    restore(path, copy, number=0, meanwhile=begin)
    assert answers.get(timeout=60) == expected
    opener.join(timeout=60)
    assert copies.damage_of(path) is None
    with closing(Database(path)) as database, database.reading() as connection:
        assert place.read_place(connection).published == 1


def test_a_file_that_is_restored_again_and_again_under_its_writers_stays_whole(path: Path, copy: Path) -> None:
    expected, over = identity_of(copy), FORK.Event()

    def write() -> None:
        while not over.is_set():
            # Refused where the file was replaced between opening and writing.
            with suppress(LaminaError):
                count_in(path)

    writers = [FORK.Process(target=write) for _ in range(OPENERS)]
    for writer in writers:
        writer.start()
    try:
        for number in range(ROUNDS):
            restore(path, copy, number=number, meanwhile=lambda: None)
            assert identity_of(path) == expected
            with beside_others(path):
                assert copies.damage_of(path) is None
    finally:
        over.set()
        for writer in writers:
            writer.join(timeout=60)
    assert identity_of(path) == expected


def test_a_log_that_someone_left_beside_the_file_is_removed_before_it_is_put_in_place(path: Path, copy: Path) -> None:
    def leave() -> None:
        Path(f"{path}-wal").write_bytes(b"of another file")

    restore(path, copy, number=0, meanwhile=leave)
    assert not Path(f"{path}-wal").exists()
