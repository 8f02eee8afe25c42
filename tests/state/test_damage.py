"""State files that are damaged, too new or out of reach end in a diagnostic with a hint."""

import sqlite3
from pathlib import Path

import pytest
from tests.behaviour.examples import PROD, lease_of, store_at

from lamina.errors import LaminaError
from lamina.state.errors import StateCorrupt, StateTooNew, StateUnavailable
from lamina.state.migrations import KNOWN
from lamina.state.store import SqlStore


def _edit(path: Path, statement: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def _assert_explained(error: LaminaError, path: Path) -> None:
    found = error.diagnostic()
    assert found.code.startswith("L7")
    assert str(path) in found.message
    assert found.hint


def test_newer_state_is_refused(path: Path, store: SqlStore) -> None:
    _edit(path, "UPDATE lamina_store SET version = 99")
    with pytest.raises(StateTooNew) as refused:
        store_at(path)
    _assert_explained(refused.value, path)
    assert f"up to {KNOWN}" in refused.value.message


def test_state_without_its_version_is_refused(path: Path, store: SqlStore) -> None:
    _edit(path, "DELETE FROM lamina_store")
    with pytest.raises(StateCorrupt) as refused:
        store_at(path)
    _assert_explained(refused.value, path)


def test_file_of_another_kind_is_named_and_left_alone(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database " * 300)
    with pytest.raises(StateCorrupt) as refused:
        store_at(path)
    _assert_explained(refused.value, path)
    assert path.read_bytes().startswith(b"this is no database")


def test_torn_page_is_noticed(path: Path) -> None:
    store_at(path).close()
    content = bytearray(path.read_bytes())
    content[100:] = b"\xff" * (len(content) - 100)
    path.write_bytes(content)
    with pytest.raises(StateCorrupt) as refused:
        store_at(path)
    _assert_explained(refused.value, path)


def test_row_that_lamina_did_not_write_is_noticed(path: Path, store: SqlStore) -> None:
    _edit(path, "INSERT INTO lamina_model VALUES ('shop', 'prod', 'a.b', '{\"model\": 1}', '')")
    with pytest.raises(StateCorrupt) as refused:
        store.view(PROD)
    _assert_explained(refused.value, path)


def test_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    path = tmp_path / "file" / "lamina.db"
    with pytest.raises(StateUnavailable) as refused:
        store_at(path)
    _assert_explained(refused.value, path)


def test_directory_in_place_of_the_file_is_named(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StateUnavailable) as refused:
        store_at(path)
    _assert_explained(refused.value, path)


def test_identity_survives_reopening(path: Path) -> None:
    first = store_at(path)
    first.adopt("the one before", lease_of(first))
    second = store_at(path)
    assert second.identity == "the one before"
    first.close()
    second.close()


def test_what_the_database_reports_is_translated(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("neither one nor the other\n" * 100)
    with pytest.raises(StateCorrupt, match="cannot be read: it is not a database"):
        store_at(path)
