"""Compiled models and graphs of simulated queries, so that the real planner and executor run on them."""

from collections.abc import Mapping
from typing import Literal

from tests.simulation.algebra import Expression, Read, columns_of, reads_of, to_sql, type_of

from lamina.compiler.graph import CompiledModel, Graph, InputUse
from lamina.project.limits import AnomalySettings, BudgetSettings
from lamina.project.model import CheckSettings, ModelSettings
from lamina.project.source import SourceTable
from lamina.project.strategy import Incremental, Merge, Strategy, TimeInterval
from lamina.strategies.table import traits_of
from lamina.values.codec import content_hash
from lamina.values.names import ColumnName, Fingerprint, ModelName, SourceName, TableName
from lamina.values.schema import Column, DataType

NO_GUARD = AnomalySettings()
NO_BUDGET = BudgetSettings()


def simulated_model(
    name: str,
    query: Expression,
    *,
    strategy: Strategy,
    start: str | None,
    cron: str | None = None,
    on_touch: Literal["rebuild", "keep"] = "rebuild",
    checks: tuple[CheckSettings, ...] = (),
    anomaly: AnomalySettings = NO_GUARD,
    budget: BudgetSettings = NO_BUDGET,
    layout: str = "0",
    is_partial: bool = False,
    is_forward: bool = False,
) -> CompiledModel:
    """Compile a simulated query; inputs that start with `raw.` are sources."""
    uses = tuple(use.replace(on_touch=on_touch) for use in _uses(query, strategy))
    return CompiledModel(
        name=ModelName(name),
        kind="sql",
        path=f"models/{name}.sql",
        text=to_sql(query),
        settings=ModelSettings(
            strategy=strategy,
            start=start,
            cron=cron,
            allow_partials=is_partial,
            checks=checks,
            anomaly=anomaly,
            budget=budget,
            timezone="UTC",
            on_foreign_write="rebuild",
            on_change="forward_only" if is_forward else "rebuild",
        ),
        target=TableName(name),
        layer=0,
        depends_on=tuple(use.name for use in uses),
        inputs=uses,
        columns=tuple(
            Column(ColumnName(column), DataType(type_of(column))) for column in table_columns(query, strategy)
        ),
        lineage=(),
        fingerprint=fingerprint_of(query, strategy, layout=layout),
        rows_fingerprint=Fingerprint(content_hash((repr(query), _rows_only(strategy)))),
        layout={"partitioned_by": layout},
        gridless_fingerprint=_gridless(query, strategy),
        looked_up={str(check.to): check.to for check in checks if check.to is not None},
        reads_parameters=("start_date", "end_date") if isinstance(strategy, TimeInterval) else (),
    )


def table_columns(query: Expression, strategy: Strategy) -> tuple[str, ...]:
    """Return the columns of a table: those of its query, and what its strategy adds."""
    return (*columns_of(query), *(str(column.name) for column in traits_of(strategy).added))


def fingerprint_of(query: Expression, strategy: Strategy, *, layout: str) -> Fingerprint:
    """Return the fingerprint of a simulated query."""
    return Fingerprint(content_hash((repr(query), _rows_only(strategy), layout)))


def _rows_only(strategy: Strategy) -> Strategy:
    if isinstance(strategy, Incremental) and strategy.position == "timestamp":
        return strategy.replace(safety_lag=None)
    if not isinstance(strategy, TimeInterval):
        return strategy
    return strategy.replace(batch_size="auto", lookback=0, rebuild="stale")


def _gridless(query: Expression, strategy: Strategy) -> Fingerprint | None:
    if not isinstance(strategy, TimeInterval):
        return None
    return Fingerprint(content_hash((repr(query), _rows_only(strategy).replace(granularity="day"), "gridless")))


def _uses(query: Expression, strategy: Strategy) -> tuple[InputUse, ...]:
    reads: dict[str, list[Read]] = {}
    for read in reads_of(query):
        reads.setdefault(read.table, []).append(read)
    driver = strategy.driver if isinstance(strategy, Incremental | Merge) else None
    return tuple(_use(name, found, is_driver=name == driver) for name, found in sorted(reads.items()))


def _use(name: str, reads: list[Read], *, is_driver: bool) -> InputUse:
    """Return the use of one input, sound for all places that read it."""
    filters = {read.by for read in reads}
    by = filters.pop() if len(filters) == 1 else None
    columns = {column for read in reads for column in read.columns} | {read.by for read in reads if read.by}
    return InputUse(
        name=TableName(name),
        is_model=not name.startswith("raw."),
        read_set=tuple(sorted(ColumnName(column) for column in columns)),
        filter_column=None if by is None else ColumnName(by),
        reach_seconds=max(read.back for read in reads) * 86400 if by is not None else 0,
        after_seconds=max(read.ahead for read in reads) * 86400 if by is not None else 0,
        is_driver=is_driver,
        is_read_whole=all(read.by is None for read in reads),
    )


def simulated_source(name: str, columns: tuple[str, ...], *, is_files: bool) -> SourceTable:
    """Return a source of the lake: a folder of files, or a table with versions."""
    return SourceTable(
        name=SourceName(name),
        type="files" if is_files else "iceberg",
        location=name,
        columns=tuple(Column(ColumnName(column), DataType(type_of(column))) for column in columns),
        time_column=ColumnName("ts") if "ts" in columns else None,
    )


def simulated_graph(models: tuple[CompiledModel, ...], sources: tuple[SourceTable, ...]) -> Graph:
    """Assemble a graph; models are given in an order in which each follows its inputs."""
    layers: dict[str, int] = {}
    for model in models:
        upstream = [
            layers[use.name] + 1 for use in model.inputs if use.name in layers and str(use.name) != str(model.name)
        ]
        layers[model.name] = max(upstream, default=0)
    placed = sorted((model.replace(layer=layers[model.name]) for model in models), key=lambda model: model.name)
    depth = max(layers.values(), default=-1) + 1
    return Graph(
        project="simulation",
        models=tuple(placed),
        sources=tuple(sorted(sources, key=lambda source: source.name)),
        layers=tuple(tuple(model.name for model in placed if model.layer == layer) for layer in range(depth)),
        diagnostics=(),
    )


Queries = Mapping[Fingerprint, Expression]
