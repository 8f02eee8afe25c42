"""Unit tests on Spark: a model over given rows that are literals of a query, so nothing is written anywhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.unit_tests.case import TrialRows, UnitCase, graph_of_case
from lamina.compiler.unit_tests.rows_sql import rows_sql
from lamina.values.batch import Batch, Pin
from lamina.values.interval import Interval
from lamina.values.names import ColumnName, CommitId, folded, folded_names
from lamina.values.schema import Column, DataType
from lamina.warehouse.failure import WarehouseFailure
from lamina.warehouse.sources.port import ForSlices, Lake
from lamina.warehouse.spark.errors import translated
from lamina.warehouse.spark.frame import Frames
from lamina.warehouse.spark.ranges import rows_in_reach
from lamina.warehouse.spark.session import Application, own_conf
from lamina.warehouse.sql import quote

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# A handful of rows: one task for each stage, and no second planning between stages.
_FEW_ROWS = {
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.leafNodeDefaultParallelism": "1",
    "spark.sql.adaptive.enabled": "false",
}
MOST_ROWS = 10_000  # that a test may give


class Trials:
    """Computes models over given rows, all in one session."""

    def __init__(self, application: Application, *, lake: Lake, graph: Graph) -> None:
        self._application = application
        self._lake = lake
        self._graph = graph

    def open(self) -> None:
        """Start Spark, unless it runs already."""
        self._application.session()

    def rows(self, case: UnitCase, parameters: dict[str, str]) -> TrialRows:
        """Return what the model of a case gives for its rows."""
        graph = graph_of_case(self._graph, case)
        model = graph.model(case.model)
        batch = Batch(
            commit=CommitId(f"test_{uuid4().hex}"),
            model=model.name,
            mode="replace_all",
            slices=(case.span,),
            pins=(),
            base=None,
            parameters=parameters,
        )
        lake = Lake(self._lake.settings.replace(variables=case.variables), self._lake.tables)
        with self._frames(model, lake, graph) as frames:
            given = {item.input: frames.query(rows_sql(item.columns, item.rows)) for item in case.given}
            found = _collected(frames.evaluate(model, batch, given), most=MOST_ROWS + 1)
            if len(found.rows) > MOST_ROWS:
                raise WarehouseFailure(
                    f"`{model.name}` gives more than {MOST_ROWS:,} rows for those of the test",
                    kind="data_rejected",
                    hint="give fewer rows, or rows that match fewer others",
                )
            return found

    def sample(self, pin: Pin, model: CompiledModel, span: Interval, *, most: int) -> TrialRows:
        """Return some current rows of one input of a model, of those that a slice reads."""
        with self._frames(model, self._lake, self._graph) as frames:
            frame = frames.read(pin)
            use = next((use for use in model.inputs if use.name == pin.input), None)
            if use is not None and model.traits.slices is not None:
                frame = rows_in_reach(frame, ForSlices(model=model, span=span), use)
            if use is not None and use.read_set is not None:
                wanted = folded_names(use.read_set)
                frame = frame.select(*(quote(name) for name in frame.columns if folded(name) in wanted))
            return _collected(frame, most=most)

    @contextmanager
    def _frames(self, model: CompiledModel, lake: Lake, graph: Graph) -> Iterator[Frames]:
        folder = Path(self._lake.settings.warehouse)
        with translated(model.name, folder=folder):
            session = self._application.session()
        frames = Frames(session, lake=lake, graph=graph)
        try:
            with (
                translated(model.name, folder=folder, place=frames.place_of),
                own_conf(session, {**model.settings.conf, **_FEW_ROWS}),
            ):
                yield frames
        finally:
            frames.close()


def _collected(frame: "DataFrame", *, most: int) -> TrialRows:
    kinds = [field.dataType for field in frame.schema]
    columns = tuple(
        Column(name=ColumnName(field.name), type=DataType(field.dataType.simpleString())) for field in frame.schema
    )
    rows = frame.limit(most).collect()
    return TrialRows(
        columns=columns, rows=tuple(tuple(_plain(*cell) for cell in zip(row, kinds, strict=True)) for row in rows)
    )


def _plain(value: Any, kind: Any) -> Any:
    """Return a value that Spark gave in the plain form of its type."""
    match value:
        case datetime():
            # Spark gives an instant in the zone of this host, a time without zone as it is.
            return value if kind.typeName() == "timestamp_ntz" else value.astimezone(UTC)
        case dict():
            pairs = [(_plain(key, kind.keyType), _plain(item, kind.valueType)) for key, item in value.items()]
            return tuple(sorted(pairs, key=lambda pair: str(pair[0])))
        case tuple():
            return tuple(_plain(item, field.dataType) for item, field in zip(value, kind, strict=True))
        case list():
            return tuple(_plain(item, kind.elementType) for item in value)
        case bytearray():
            return bytes(value)
        case _:
            return value
