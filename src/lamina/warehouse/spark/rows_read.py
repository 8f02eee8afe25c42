"""How many rows a batch reads of its inputs, by what their files say of themselves."""

from lamina.compiler.graph import CompiledModel, Graph
from lamina.values.batch import Batch, Pin
from lamina.values.names import ModelName
from lamina.warehouse.sources.iceberg import rows_in_reach
from lamina.warehouse.sources.kinds import kind_of
from lamina.warehouse.sources.port import ForSlices, Lake
from lamina.warehouse.spark.frame import slices_of, source_of


def rows_read(graph: Graph, lake: Lake, model: CompiledModel, batch: Batch) -> int | None:
    """Return how many rows the files of the inputs have that a batch reads; None if one does not say."""
    if batch.by_time is not None and batch.by_time.before is not None:
        return None  # Spark leaves out files by their bounds, and does not say which
    wanted = slices_of(model, batch)
    counts = [_rows_of(graph, lake, pin, wanted) for pin in batch.pins]
    known = [count for count in counts if count is not None]
    return sum(known) if counts and len(known) == len(counts) else None


def _rows_of(graph: Graph, lake: Lake, pin: Pin, wanted: ForSlices | None) -> int | None:
    if (source := source_of(graph, pin.input)) is not None:
        return kind_of(source).rows_read(source, lake, pin, wanted)
    table = graph.model(ModelName(pin.input)).target
    return rows_in_reach(table, lake.tables.metadata(table), pin, wanted)
