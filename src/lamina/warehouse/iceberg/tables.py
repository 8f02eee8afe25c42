"""The tables of the catalog as they are now: pointers by one query, metadata read once for each pointer."""

from pathlib import Path

from lamina.values.facts import Head
from lamina.values.names import CommitId, TableName
from lamina.warehouse.catalog.jdbc import JdbcCatalog
from lamina.warehouse.catalog.port import STAGE_NAMESPACE, stage_of
from lamina.warehouse.catalog.sqlite import CatalogFile
from lamina.warehouse.iceberg.head_cache import HeadCache
from lamina.warehouse.iceberg.metadata import Metadata, MetadataUnreadable, read_metadata
from lamina.warehouse.iceberg.versions import TableGone
from lamina.warehouse.settings import WarehouseSettings


class Tables:
    """Owns the connection to the catalog's database; safe to use from several threads."""

    def __init__(self, settings: WarehouseSettings) -> None:
        self._catalog = JdbcCatalog(settings.catalog)
        self._file = CatalogFile(Path(settings.database))
        self._heads = HeadCache(Path(settings.root))

    def heads(self, names: tuple[TableName, ...]) -> dict[TableName, Head]:
        """Return where each table is; a table that does not exist has neither pointer nor position."""
        pointers = self.pointers()
        return {name: self._head(name, pointers.get(name)) for name in names}

    def pointers(self) -> dict[TableName, str]:
        """Return where the metadata of every table is."""
        if not self._file.path.exists():
            return {}
        with self._file.reading() as transaction:
            return self._catalog.pointers(transaction)

    def views(self) -> dict[TableName, str]:
        """Return where the metadata of every view is."""
        if not self._file.path.exists():
            return {}
        with self._file.reading() as transaction:
            return self._catalog.views(transaction)

    def pointer(self, table: TableName) -> str | None:
        """Return where a table's metadata is."""
        with self._file.reading() as transaction:
            return self._catalog.pointer(transaction, table)

    def metadata(self, table: TableName) -> Metadata:
        """Return the current metadata of a table, or raise if there is no such table."""
        pointer = self.pointer(table)
        if pointer is None:
            raise TableGone(table)
        return read_metadata(pointer)

    def make_stage_namespace(self) -> None:
        """Make sure that first builds can be created aside."""
        with self._file.writing() as transaction:
            self._catalog.add_namespace(transaction, STAGE_NAMESPACE)

    def set_stage(self, commit: CommitId, pointer: str | None) -> TableName:
        """Make the stage of a batch point at some metadata, or not exist."""
        stage = stage_of(commit)
        with self._file.writing() as transaction:
            if pointer is None:
                self._catalog.drop(transaction, stage)
            else:
                self._catalog.register(transaction, stage, pointer=pointer)
        return stage

    def close(self) -> None:
        """Close the connection, keeping what was seen for the next time."""
        self._heads.keep()
        self._file.close()

    def _head(self, table: TableName, pointer: str | None) -> Head:
        if pointer is None:
            return Head(table=table, pointer=None, position=None)
        try:
            return self._heads.head(table, pointer)
        except MetadataUnreadable as error:
            # One table that cannot be read must not hide the others.
            return Head(table=table, pointer=pointer, position=None, fault=error.fault)
