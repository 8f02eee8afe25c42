"""What the state has to know of a database beside standard SQL: one value, and the file that opens it.

Statements of the state are standard SQL with `?` for each value. To add a database is to write its dialect and its
`StateDatabase` in one file, as `sqlite.py` does.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from lamina.values.value import Value
from lamina.warehouse.catalog.port import Answer, Transaction


class Dialect(Value, frozen=True):
    """The words in which databases differ."""

    placeholder: str  # what the driver takes for each `?`
    find_table: str  # a query that has a row if there is a table of the name that is its one value
    row_number: str  # the column that grows with each inserted row, in tables declared `numbered`
    integer: str  # the type of whole numbers with 64 bits
    serial: str  # the type of a primary key that the database counts up
    keyed: str  # ends the declaration of a table whose rows are found by their primary key only
    numbered: str  # ends the columns of a table that is read in the order of insertion

    def marked(self, statement: str) -> str:
        """Return a statement as the driver takes it."""
        return statement if self.placeholder == "?" else statement.replace("?", self.placeholder)

    def declared(self, statement: str) -> str:
        """Return a statement of the schema in the types of this database."""
        words = {"integer": self.integer, "serial": self.serial, "keyed": self.keyed, "numbered": self.numbered}
        return statement.format_map(words)


class StateTransaction:
    """An open transaction of the state's database; the catalog's part of it is done in the same one."""

    def __init__(self, driver: Transaction, dialect: Dialect, *, location: str) -> None:
        self.dialect = dialect
        self.location = location  # of the database: the path of its file
        self._driver = driver

    def execute(self, statement: str, values: Sequence[Any] = (), /) -> Answer:
        """Run one statement."""
        return self._driver.execute(self.dialect.marked(statement), values)

    def executemany(self, statement: str, rows: Iterable[Sequence[Any]], /) -> Answer:
        """Run one statement for each row of values."""
        return self._driver.executemany(self.dialect.marked(statement), rows)

    def put(self, table: str, key: Mapping[str, Any], **rest: Any) -> None:
        """Insert a row, or update the one that has its key."""
        self.execute(_upsert(table, tuple(key), tuple(rest)), (*key.values(), *rest.values()))

    def has_table(self, name: str) -> bool:
        """Return whether there is a table of a name."""
        return self.execute(self.dialect.find_table, (name,)).fetchone() is not None


class StateDatabase(Protocol):
    """The database of the state, opened and brought up to date; shared by the threads of a process."""

    def reading(self) -> AbstractContextManager[StateTransaction]:
        """Give one consistent view of the database."""

    def writing(self) -> AbstractContextManager[StateTransaction]:
        """Give a transaction that waits for other writers; it is committed whole, or not at all if the block raises."""

    def keep_copy(self, *, at: datetime) -> None:
        """Copy the database to a safe place, whole as of one moment."""

    def close(self) -> None:
        """Release the database."""


def _upsert(table: str, key: tuple[str, ...], rest: tuple[str, ...]) -> str:
    """Return the text that SQLite and PostgreSQL share."""
    columns = (*key, *rest)
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        f" ON CONFLICT ({', '.join(key)}) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in rest)}"
    )
