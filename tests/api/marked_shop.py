"""A project folder with one table, as batches leave it: marked and sealed."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

from lamina.api.custody import open_state
from lamina.api.project import open_project
from lamina.config import Config
from lamina.state.port import Lease, ModelRecord
from lamina.state.sqlite import Database
from lamina.state.store import SqlStore
from lamina.values.codec import to_json
from lamina.values.coverage import Coverage, Mark
from lamina.values.interval import WHOLE
from lamina.values.names import EnvironmentName, Fingerprint, ModelName, Position, RunId, TableName
from lamina.values.touch import Everything, Touch
from lamina.warehouse.catalog.jdbc import JdbcCatalog
from lamina.warehouse.iceberg.metadata import MARK, TOUCH, local_path, write_properties

ORDERS = TableName("sales.orders")


COLUMNS = pa.schema([("id", pa.int64())])


class Shop:
    """A project folder with one table, written as a batch writes it: a marked snapshot, then a file that seals it."""

    def __init__(self, root: Path, *, lake: Path | None = None) -> None:
        self.root = root
        root.mkdir(exist_ok=True)
        where = "" if lake is None else f'[catalog]\nwarehouse = "{lake}"\n'
        (root / "lamina.toml").write_text(f'[project]\nname = "shop"\n{where}')
        folder = lake or root / ".lamina" / "warehouse"
        self.tables = SqlCatalog("lake", uri="sqlite:///:memory:", warehouse=f"file://{folder}")
        self.tables.create_namespace("sales")
        self.table = self.tables.create_table(ORDERS, schema=COLUMNS, location=f"file://{folder}/sales/orders")
        self.store = "lost"

    @property
    def config(self) -> Config:
        return open_project(str(self.root), variables={}).config

    def stage(self, token: int) -> str:
        """Write rows aside and return where the metadata of the stage is."""
        text = to_json(self.mark(token)).decode()
        self.table.append(pa.table({"id": [token]}, schema=COLUMNS), snapshot_properties={MARK: text})
        return self.table.metadata_location

    def seal(self, pointer: str, token: int) -> str:
        """Finish a stage."""
        position = Position(str(self.table.metadata.current_snapshot_id))
        touch = Touch(table=ORDERS, position=position, parent=None, extent=Everything())
        late = {MARK: to_json(self.mark(token)).decode(), TOUCH: to_json(touch).decode()}
        sealed = write_properties(pointer, late)
        self.tables.drop_table(ORDERS)
        self.table = self.tables.register_table(ORDERS, sealed)
        return sealed

    def mark(self, token: int) -> Mark:
        return Mark(
            commit=f"c{token}",
            run_id=f"run-{token}",
            token=token,
            project="shop",
            environment="prod",
            store=self.store,
            model=ORDERS,
            fingerprint=Fingerprint("f"),
            slices=(WHOLE,),
            pins={},
            coverage=Coverage(),
        )

    def pointer(self) -> str | None:
        """Return the name of the metadata file that the catalog names."""
        with closing(Database(Path(self.config.catalog.database))) as database, database.reading() as connection:
            found = JdbcCatalog("lake").pointer(connection, ORDERS)
        return None if found is None else local_path(found).name

    def drop(self) -> None:
        """Drop the table, and leave its files as a command does that is killed before it removes them."""
        with self.leased() as (store, lease):
            store.drop(ModelName(ORDERS), lease, table=ORDERS, pointer=None, at=datetime.now(UTC))

    def record(self, pointer: str) -> None:
        """Record where the table is, as a run does."""
        record = ModelRecord(model=ModelName(ORDERS), pointer=pointer, position=None, coverage=Coverage())
        with self.leased() as (store, lease):
            store.fold(lease.environment, lease, touches=(), models=(record,))

    @contextmanager
    def leased(self) -> Iterator[tuple[SqlStore, Lease]]:
        """Open the state to write."""
        with closing(open_state(self.config)) as store:
            lease = store.take_lease(
                EnvironmentName("prod"),
                RunId("run"),
                process="",
                now=datetime.now(UTC),
                ttl=timedelta(seconds=60),
                above=0,
            )
            try:
                yield store, lease
            finally:
                store.release_lease(lease)

    def execute(self, statement: str) -> None:
        """Change the catalog as another program does."""
        with closing(Database(Path(self.config.catalog.database))) as database, database.writing() as connection:
            connection.execute(statement)
