"""The behaviour of the state port, on SQLite and in the words of another database."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.behaviour.examples import CATALOG, NOW, PROD, PROJECT, intent_of, lease_of, plan_of
from tests.behaviour.state_behaviour import StateBehaviour

from lamina.state import retention
from lamina.state.dialect import Dialect
from lamina.state.sqlite import SQLITE, Database
from lamina.state.store import SqlStore
from lamina.values.names import PlanId

SCHEMA = Path(__file__).parents[1] / "fixtures" / "state" / "schema.sql"

# As PostgreSQL differs from SQLite, as far as SQLite can play it.
OTHER = Dialect(
    placeholder="%s",
    find_table=SQLITE.find_table,
    row_number="entry",
    integer="BIGINT",
    serial="INTEGER PRIMARY KEY",
    keyed="",
    numbered=", entry BIGINT",
)


class TestSqlStore(StateBehaviour):
    """SQLite in the catalog's own file."""


class OtherDriver(sqlite3.Connection):
    """A driver that takes `%s` for each value, and nothing else."""

    def execute(self, statement: str, values: Any = (), /) -> Any:
        return super().execute(self._own(statement, values), values)

    def executemany(self, statement: str, rows: Any, /) -> Any:
        rows = list(rows)
        for values in rows:
            self._own(statement, values)
        return super().executemany(statement.replace("%s", "?"), rows)

    @staticmethod
    def _own(statement: str, values: Any) -> str:
        assert "?" not in statement, statement
        assert isinstance(values, tuple), f"values are given by their place: {statement}"
        assert statement.count("%s") == len(values), statement
        return statement.replace("%s", "?")


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, factory=OtherDriver)
    connection.execute("PRAGMA synchronous = OFF")
    return connection


class OtherDatabase(Database):
    """SQLite that plays another database; a trigger numbers rows, as a column of its own would there."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, connect=_connect, dialect=OTHER)
        with self.writing() as transaction:
            for table in ("lamina_plan", "lamina_intent"):
                transaction.execute(
                    f"CREATE TRIGGER number_{table} AFTER INSERT ON {table} BEGIN UPDATE {table} SET entry ="
                    f" (SELECT coalesce(max(entry), 0) + 1 FROM {table}) WHERE entry IS NULL; END"
                )


class TestOtherWords(StateBehaviour):
    """Another placeholder, other types, and no `rowid`: statements take these from the dialect alone."""

    @pytest.fixture
    def store(self, path: Path) -> Iterator[SqlStore]:
        """A store on a fresh file, in other words."""
        opened = SqlStore(OtherDatabase(path), CATALOG, project=PROJECT)
        yield opened
        opened.close()

    def test_plans_and_intents_have_an_order(self, store: SqlStore, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(retention, "KEPT_PLANS", 1)
        lease = lease_of(store)
        for name in ("b", "c", "a"):
            store.save_plan(plan_of(name))
            store.intend(intent_of(name), lease)
        store.expire(frozenset(), lease, now=NOW)
        assert [store.load_plan(PROD, PlanId(name)) is not None for name in ("b", "c", "a")] == [False, False, True]
        assert [intent.commit for intent in store.intents(PROD)] == ["b", "c", "a"]


def test_the_tables_of_a_new_file_are_those_of_every_release(tmp_path: Path) -> None:
    path = tmp_path / "lamina.db"
    Database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name LIKE 'lamina%' ORDER BY name"
        ).fetchall()
    assert "".join(f"{text};\n" for (text,) in rows) == SCHEMA.read_text()
