"""The catalog port over the tables of an Iceberg JDBC catalog (schema V1), in standard SQL that any database takes."""

from collections.abc import Callable
from dataclasses import dataclass

from lamina.values.batch import Move
from lamina.values.names import CommitId, TableName
from lamina.warehouse.catalog.port import STAGE_NAMESPACE, Transaction

# Iceberg creates the same tables when it starts first; the names and the order of columns are its own.
_TABLES = (
    "CREATE TABLE IF NOT EXISTS iceberg_tables(catalog_name VARCHAR(255) NOT NULL,"
    " table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000),"
    " previous_metadata_location VARCHAR(1000), iceberg_type VARCHAR(5),"
    " PRIMARY KEY (catalog_name, table_namespace, table_name))",
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties(catalog_name VARCHAR(255) NOT NULL,"
    " namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255), property_value VARCHAR(1000),"
    " PRIMARY KEY (catalog_name, namespace, property_key))",
)

_AT = "catalog_name = ? AND table_namespace = ? AND table_name = ?"


@dataclass(frozen=True)
class JdbcCatalog:
    """One catalog by its name; several may share the tables."""

    name: str

    def pointers(self, transaction: Transaction) -> dict[TableName, str]:
        """Return where the metadata of every table is, stages left out."""
        return self._named(transaction, "TABLE")

    def views(self, transaction: Transaction) -> dict[TableName, str]:
        """Return where the metadata of every view is, stages left out."""
        return self._named(transaction, "VIEW")

    def _named(self, transaction: Transaction, kind: str) -> dict[TableName, str]:
        rows = transaction.execute(
            "SELECT table_namespace, table_name, metadata_location FROM iceberg_tables"
            " WHERE catalog_name = ? AND table_namespace <> ? AND coalesce(iceberg_type, 'TABLE') = ?",
            (self.name, STAGE_NAMESPACE, kind),
        )
        return {TableName(f"{namespace}.{name}"): location for namespace, name, location in rows}

    def pointer(self, transaction: Transaction, table: TableName) -> str | None:
        """Return where the metadata of one table or view, or of a stage, is."""
        row = transaction.execute(
            f"SELECT metadata_location FROM iceberg_tables WHERE {_AT}", self._key(table)
        ).fetchone()
        return None if row is None else str(row[0])

    def publish(self, transaction: Transaction, moves: tuple[Move, ...]) -> Move | None:
        """Apply moves and drop their stages; return the first whose target is not at its base, to be rolled back."""
        return next((move for move in moves if not self._publish(transaction, move)), None)

    def register(self, transaction: Transaction, table: TableName, *, pointer: str) -> None:
        """Point a table or a stage at metadata, whether it is there or not; never to publish."""
        self.drop(transaction, table)
        transaction.execute(
            "INSERT INTO iceberg_tables(catalog_name, table_namespace, table_name, metadata_location, iceberg_type)"
            " VALUES (?, ?, ?, ?, 'TABLE')",
            (*self._key(table), pointer),
        )

    def drop(self, transaction: Transaction, table: TableName) -> None:
        """Forget a table or a stage, if it is there; files are left alone."""
        transaction.execute(f"DELETE FROM iceberg_tables WHERE {_AT}", self._key(table))

    def stages(self, transaction: Transaction) -> tuple[CommitId, ...]:
        """Return the batches that have a stage, in order."""
        rows = transaction.execute(
            "SELECT table_name FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ? ORDER BY table_name",
            (self.name, STAGE_NAMESPACE),
        )
        return tuple(CommitId(name) for (name,) in rows)

    def add_namespace(self, transaction: Transaction, namespace: str) -> None:
        """Create a namespace unless it is there; the JVM's own statement fails when two threads race for it."""
        transaction.execute(
            "INSERT INTO iceberg_namespace_properties(catalog_name, namespace, property_key, property_value)"
            " VALUES (?, ?, 'exists', 'true') ON CONFLICT DO NOTHING",
            (self.name, namespace),
        )

    def _publish(self, transaction: Transaction, move: Move) -> bool:
        if move.base is None:
            return self._rename_stage(transaction, move)
        moved = transaction.execute(
            "UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ?"
            f" WHERE {_AT} AND metadata_location = ?",
            (move.pointer, move.base, *self._key(move.target), move.base),
        )
        if moved.rowcount != 1:
            return False
        self.drop(transaction, TableName(move.stage))
        return True

    def _rename_stage(self, transaction: Transaction, move: Move) -> bool:
        """Give the stage row the target's name, so that a first build appears whole."""
        if move.view is not None:
            transaction.execute(
                f"DELETE FROM iceberg_tables WHERE {_AT} AND metadata_location = ? AND iceberg_type = 'VIEW'",
                (*self._key(move.target), move.view),
            )
        if self.pointer(transaction, move.target) is not None:
            return False
        _, namespace, name = self._key(move.target)
        renamed = transaction.execute(
            f"UPDATE iceberg_tables SET table_namespace = ?, table_name = ? WHERE {_AT} AND metadata_location = ?",
            (namespace, name, *self._key(TableName(move.stage)), move.pointer),
        )
        return renamed.rowcount == 1

    def _key(self, table: TableName) -> tuple[str, str, str]:
        namespace, _, name = table.rpartition(".")
        return self.name, namespace, name


def create_tables(transaction: Transaction) -> None:
    """Create the catalog tables where Iceberg has not done so yet."""
    for statement in _TABLES:
        transaction.execute(statement)


def has_rows(transaction: Transaction) -> bool:
    """Return whether any catalog names a table."""
    return transaction.execute("SELECT 1 FROM iceberg_tables").fetchone() is not None


def relocate(transaction: Transaction, moved: Callable[[str], str]) -> None:
    """Let every pointer of every catalog name the new folder of its file; stages in the old one are dropped."""
    transaction.execute("DELETE FROM iceberg_tables WHERE table_namespace = ?", (STAGE_NAMESPACE,))
    rows = transaction.execute(
        "SELECT catalog_name, table_namespace, table_name, metadata_location, previous_metadata_location"
        " FROM iceberg_tables"
    ).fetchall()
    for *key, current, previous in rows:
        transaction.execute(
            f"UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ? WHERE {_AT}",
            (moved(current), None if previous is None else moved(previous), *key),
        )
