"""The tables of the catalog as they are now: pointers by one query, metadata read once for each pointer."""

import sqlite3
import threading
from pathlib import Path

from lamina.values.facts import Head
from lamina.values.names import CommitId, TableName
from lamina.warehouse.catalog import sqlite as catalog
from lamina.warehouse.iceberg.head_cache import HeadCache
from lamina.warehouse.iceberg.metadata import Metadata, MetadataUnreadable, read_metadata
from lamina.warehouse.iceberg.versions import TableGone
from lamina.warehouse.settings import WarehouseSettings


class Tables:
    """Owns the connection to the catalog's database; safe to use from several threads."""

    def __init__(self, settings: WarehouseSettings) -> None:
        self._catalog = settings.catalog
        self._path = Path(settings.database)
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._heads = HeadCache(Path(settings.root))

    def heads(self, names: tuple[TableName, ...]) -> dict[TableName, Head]:
        """Return where each table is; a table that does not exist has neither pointer nor position."""
        pointers = self.pointers()
        return {name: self._head(name, pointers.get(name)) for name in names}

    def pointers(self) -> dict[TableName, str]:
        """Return where the metadata of every table is."""
        with self._lock:
            return catalog.pointers(self._open(), self._catalog) if self._path.exists() else {}

    def pointer(self, table: TableName) -> str | None:
        """Return where a table's metadata is."""
        with self._lock:
            return catalog.pointer(self._open(), self._catalog, table)

    def metadata(self, table: TableName) -> Metadata:
        """Return the current metadata of a table, or raise if there is no such table."""
        pointer = self.pointer(table)
        if pointer is None:
            raise TableGone(table)
        return read_metadata(pointer)

    def make_stage_namespace(self) -> None:
        """Make sure that first builds can be created aside."""
        with self._lock:
            catalog.add_namespace(self._open(), self._catalog, catalog.STAGE_NAMESPACE)

    def set_stage(self, commit: CommitId, pointer: str | None) -> TableName:
        """Make the stage of a batch point at some metadata, or not exist."""
        stage = catalog.stage_of(commit)
        with self._lock:
            connection = self._open()
            connection.execute("BEGIN IMMEDIATE")
            try:
                catalog.drop_table(connection, self._catalog, table=stage)
                if pointer is not None:
                    catalog.add_table(connection, self._catalog, table=stage, pointer=pointer)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")
        return stage

    def close(self) -> None:
        """Close the connection, keeping what was seen for the next time."""
        with self._lock:
            self._heads.keep()
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _head(self, table: TableName, pointer: str | None) -> Head:
        if pointer is None:
            return Head(table=table, pointer=None, position=None)
        try:
            return self._heads.head(table, pointer)
        except MetadataUnreadable as error:
            # One table that cannot be read is no reason to know nothing of the others.
            return Head(table=table, pointer=pointer, position=None, fault=error.fault)

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = catalog.connect(self._path)
            catalog.create_tables(self._connection)
        return self._connection
