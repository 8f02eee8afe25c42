"""A project folder, its catalog and its tables, for tests of the warehouse: stage, publish, read."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lamina.compiler.graph import CompiledModel, Graph, InputUse
from lamina.project.model import ModelSettings
from lamina.project.source import SourceTable
from lamina.values.batch import Batch, Move, Pin, Staged
from lamina.values.coverage import Coverage, Mark
from lamina.values.event import Event
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ColumnName, CommitId, Fingerprint, ModelName, Position, SourceName, TableName
from lamina.values.plan import Mode
from lamina.values.schema import Column, DataType, Schema
from lamina.values.touch import Everything, Nothing, Touch
from lamina.warehouse.catalog.jdbc import JdbcCatalog
from lamina.warehouse.catalog.sqlite import CatalogFile
from lamina.warehouse.settings import WarehouseSettings
from lamina.warehouse.spark.session import Application
from lamina.warehouse.spark.warehouse import SparkWarehouse

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


class Borrowed(Application):
    """A share of the tests' one application with a catalog of its own."""

    def __init__(self, settings: WarehouseSettings, owner: Application) -> None:
        super().__init__(settings, emit=lambda _: None)
        self._owner = owner

    def _start(self) -> "SparkSession":
        return self._owner.session()

    def stop(self) -> None:
        """Leave the owner's Spark running."""


class Lake:
    """One warehouse over one graph, which grows as a test adds sources and models."""

    def __init__(self, folder: Path, owner: Application) -> None:
        self.folder = folder
        self.settings = WarehouseSettings(
            root=str(folder),
            database=str(folder / "lamina.db"),
            warehouse=str(folder / "warehouse"),
            logs=str(folder / "logs"),
        )
        self.application = Borrowed(self.settings, owner)
        self.graph = Graph(project="test", models=(), sources=(), layers=(), diagnostics=())
        self.events: list[Event] = []
        self._commits = 0
        self._warehouse: SparkWarehouse | None = None

    @property
    def spark(self) -> "SparkSession":
        """This lake's own session."""
        return self.application.session()

    @property
    def warehouse(self) -> SparkWarehouse:
        """The warehouse over the graph as it is now."""
        if self._warehouse is None:
            self._warehouse = SparkWarehouse(
                self.settings, self.graph, emit=self.events.append, application=self.application
            )
        return self._warehouse

    def close(self) -> None:
        """Close the connection to the catalog."""
        if self._warehouse is not None:
            self._warehouse.close()

    def add_source(self, name: str, *, columns: str = "", **fields: Any) -> SourceTable:
        """Add a source to the graph."""
        given = {"type": "files", "location": name.replace(".", "/"), **fields}
        source = SourceTable(name=SourceName(name), columns=schema(columns), **given)
        self._set(self.graph.replace(sources=(*self.graph.sources, source)))
        return source

    def add_model(
        self, name: str, text: str, *, inputs: tuple[str, ...] = (), columns: str = "", **fields: Any
    ) -> CompiledModel:
        """Add a model to the graph, or put another one in its place."""
        model = CompiledModel(
            name=ModelName(name),
            kind=fields.pop("kind", "sql"),
            path=f"models/{name}.sql",
            text=text,
            target=TableName(name),
            layer=0,
            depends_on=tuple(TableName(item) for item in inputs),
            inputs=fields.pop("uses", None) or tuple(self._use(item) for item in inputs),
            columns=schema(columns) or None,
            lineage=(),
            fingerprint=Fingerprint("f"),
            settings=ModelSettings(**fields),
        )
        others = (item for item in self.graph.models if item.name != name)
        self._set(self.graph.replace(models=tuple(sorted((*others, model), key=lambda item: item.name))))
        return model

    def pins(self, model: CompiledModel) -> tuple[Pin, ...]:
        """Pin every input of a model at its head."""
        sources = [source for source in self.graph.sources if TableName(source.name) in model.depends_on]
        models = [item for item in self.graph.models if TableName(item.name) in model.depends_on]
        heads = self.warehouse.source_heads(sources)
        targets = self.warehouse.heads([item.target for item in models])
        heads |= {TableName(item.name): targets[item.target] for item in models}
        return tuple(Pin(input=name, position=head.position or Position("")) for name, head in sorted(heads.items()))

    def stage(
        self,
        model: CompiledModel,
        mode: Mode = "replace_all",
        *,
        slices: tuple[Interval, ...] = (WHOLE,),
        pins: tuple[Pin, ...] | None = None,
        parameters: dict[str, str] | None = None,
        carried: tuple[Interval, ...] = (),
        carried_from: Position | None = None,
    ) -> Staged:
        """Stage one batch on the table as it is."""
        self._commits += 1
        batch = Batch(
            commit=CommitId(f"c{self._commits}"),
            model=model.name,
            mode=mode,
            slices=slices,
            pins=self.pins(model) if pins is None else pins,
            base=self.warehouse.heads([model.target])[model.target].pointer,
            parameters=parameters or {},
            carried=carried,
            carried_from=carried_from,
        )
        return self.warehouse.stage(batch, model, mark_of(batch))

    def publish(self, staged: Staged) -> Move:
        """Publish a stage as the state store does."""
        touch = Touch(table=TableName(staged.batch.model), position=staged.position, parent=None, extent=Everything())
        move = self.warehouse.prepare_publish(staged, mark_of(staged.batch), touch)
        self.apply(move)
        return move

    def mark(self, staged: Staged) -> Staged:
        """Publish a mark in the place of an equal result."""
        touch = Touch(table=TableName(staged.batch.model), position=staged.position, parent=None, extent=Nothing())
        marked, move = self.warehouse.prepare_mark(staged, mark_of(staged.batch), touch)
        self.apply(move)
        return marked

    def build(self, model: CompiledModel, mode: Mode = "replace_all", **rest: Any) -> Staged:
        """Stage and publish one batch."""
        staged = self.stage(model, mode, **rest)
        self.publish(staged)
        return staged

    def apply(self, move: Move) -> None:
        """Move a pointer in a transaction of its own."""
        with closing(CatalogFile(Path(self.settings.database))) as file, file.writing() as transaction:
            assert JdbcCatalog(self.settings.catalog).publish(transaction, (move,)) is None, "the target moved"

    def sql(self, text: str) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        return [tuple(row) for row in self.spark.sql(text).collect()]

    def write_csv(self, path: str, text: str) -> None:
        """Write a file of a source."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def _use(self, name: str) -> InputUse:
        is_model = any(item.name == name for item in self.graph.models)
        return InputUse(name=TableName(name), is_model=is_model, read_set=None)

    def _set(self, graph: Graph) -> None:
        self.close()
        self._warehouse = None
        self.graph = graph


def mark_of(batch: Batch) -> Mark:
    """Return a mark as the executor writes it."""
    return Mark(
        commit=batch.commit,
        run_id="run-1",
        token=1,
        project="test",
        environment="prod",
        store="store-1",
        model=batch.model,
        fingerprint=Fingerprint("f"),
        slices=batch.slices,
        pins={pin.input: pin.position for pin in batch.pins},
        coverage=Coverage(),
    )


def schema(text: str) -> Schema:
    """Return columns written as `name type, name type`; types with commas are in brackets of their own."""
    pairs = (part.strip().split(" ", 1) for part in text.split(", ") if part)
    return tuple(Column(name=ColumnName(name), type=DataType(kind)) for name, kind in pairs)


def day(number: int, *, month: int = 1) -> Interval:
    """Return one day of 2026."""
    return Interval(datetime(2026, month, number, tzinfo=UTC), datetime(2026, month, number + 1, tzinfo=UTC))
