"""The query of a model as a run would send it, for one chosen range; for reading, nothing is run."""

from datetime import UTC, datetime

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.link.parameters import ParameterValue, quoted, variable_values
from lamina.compiler.render import render
from lamina.errors import UsageError
from lamina.planner.axis import grid_of
from lamina.planner.parameters import parameter_values
from lamina.planner.staleness import parameters_at
from lamina.values.grid import floor_unit, next_unit
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ModelName, RunId, TableName
from lamina.values.partition_key import example_key, parse_coarse_key
from lamina.values.value import Value


class Rendered(Value, frozen=True):
    """A rendered query and the values its parameters were given."""

    model: ModelName
    sql: str
    parameters: dict[str, ParameterValue]


def preview(
    graph: Graph, model: CompiledModel, *, partition: str | None, execution_time: datetime, catalog: str
) -> Rendered:
    """Render a model for one partition; without a key, for its first one."""
    if model.kind != "sql":
        raise UsageError(f"`{model.name}` is not a SQL model", hint=f"its text is `{model.path}`")
    span = _span(model, partition, execution_time=execution_time)
    run = parameters_at(execution_time, RunId("run-preview"))
    known = {**variable_values(graph.variables), **parameter_values(model, run, span=span)}
    sql = render(graph, model, relations=_relations(graph, catalog), parameters=known).sql
    used = {name: value for name, value in known.items() if name in model.reads_parameters}
    return Rendered(model=model.name, sql=sql, parameters=used)


def _relations(graph: Graph, catalog: str) -> dict[TableName, str]:
    """Name every table as Spark would: models by their place in the catalog, sources by their own name."""
    models = {TableName(model.name): f"{catalog}.{model.target}" for model in graph.models}
    sources = {TableName(table.name): str(table.name) for table in graph.sources}
    return {name: ".".join(quoted(part) for part in text.split(".")) for name, text in {**sources, **models}.items()}


def _span(model: CompiledModel, partition: str | None, *, execution_time: datetime) -> Interval:
    """Return the range of a partition, or of the model's first one."""
    grid, start = grid_of(model), model.settings.start
    if grid is None:
        if partition is not None:
            raise UsageError(
                f"`{model.name}` has no partitions", hint="only `time_interval` and `microbatch` models have"
            )
        return WHOLE
    if partition is None:
        first = datetime.fromisoformat(start) if start is not None else execution_time
        floor = floor_unit(grid, first if first.tzinfo is not None else first.replace(tzinfo=UTC))
        return Interval(floor, next_unit(grid, floor))
    span = parse_coarse_key(grid, partition)
    if span is None:
        raise UsageError(f"`{partition}` is not a partition key", hint=f"write it like `{example_key(grid)}`")
    return span
