"""Small compiled models and facts to plan with."""

from datetime import UTC, datetime
from typing import Literal

from lamina.compiler.graph import CompiledModel, Graph, InputUse
from lamina.project.model import ModelSettings
from lamina.project.source import SourceTable
from lamina.project.strategy import FullRefresh, Strategy, TimeInterval
from lamina.values.coverage import Coverage, Cursor, Logic, Segment
from lamina.values.facts import Head, ModelFacts, TargetFacts
from lamina.values.interval import Interval
from lamina.values.names import (
    ColumnName,
    EnvironmentName,
    Fingerprint,
    ModelName,
    PlanId,
    Position,
    SourceName,
    TableName,
)
from lamina.values.plan import Action, Assumed, Plan, Selection
from lamina.values.schema import Column, DataType
from lamina.values.touch import ColumnRanges, Everything, Extent, Ranges, Refinement, Touch

ORDERS = TableName("raw.orders")
DAILY = TimeInterval(time_column=ColumnName("day"))


def day(number: int, *, month: int = 4, hour: int = 0) -> datetime:
    """Return an instant of 2026."""
    return datetime(2026, month, number, hour, tzinfo=UTC)


def days(first: int, last: int | None = None) -> Interval:
    """Return whole days of April 2026, both included."""
    return Interval(day(first), day((last or first) + 1) if (last or first) < 30 else day(1, month=5))


def use(
    name: str = "raw.orders",
    *,
    reads: tuple[str, ...] | None = None,
    by: str | None = None,
    window_days: int = 0,
    ahead_days: int = 0,
    of_dates: bool = False,
    on_touch: Literal["rebuild", "keep"] = "rebuild",
    is_driver: bool = False,
) -> InputUse:
    """Return the use of an input."""
    return InputUse(
        name=TableName(name),
        is_model=not name.startswith("raw."),
        read_set=None if reads is None else tuple(ColumnName(item) for item in reads),
        filter_column=None if by is None else ColumnName(by),
        filters_dates=of_dates,
        reach_seconds=window_days * 86400,
        after_seconds=ahead_days * 86400,
        on_touch=on_touch,
        is_driver=is_driver,
    )


def model(
    name: str = "sales.stats",
    *,
    inputs: tuple[InputUse, ...] = (),
    strategy: Strategy | None = None,
    fingerprint: str = "v1",
    column_type: str = "timestamp",
    reads_parameters: tuple[str, ...] = (),
    is_deterministic: bool = True,
    kind: Literal["sql", "python", "seed"] = "sql",
    layer: int = 0,
    **settings: object,
) -> CompiledModel:
    """Return a compiled model; keywords beyond are sidecar settings."""
    chosen = strategy or FullRefresh()
    return CompiledModel(
        name=ModelName(name),
        kind=kind,
        path=f"models/{name}.sql",
        text="",
        settings=ModelSettings(strategy=chosen).replace(**settings),
        target=TableName(name),
        layer=layer,
        depends_on=tuple(item.name for item in inputs),
        inputs=inputs,
        columns=(Column(ColumnName("day"), DataType(column_type)),),
        lineage=(),
        fingerprint=Fingerprint(fingerprint),
        is_deterministic=is_deterministic,
        reads_parameters=reads_parameters,
    )


def touch(
    position: str,
    parent: str | None,
    *spans: Interval,
    table: str = "raw.orders",
    column: str = "day",
    extent: Extent | None = None,
    is_append: bool = False,
    refinements: tuple[Refinement, ...] = (),
    rows_added: int | None = None,
) -> Touch:
    """Return a touch of ranges, or of everything where none are given."""
    ranges: Extent = Ranges(columns=(ColumnRanges(column=ColumnName(column), ranges=spans),)) if spans else Everything()
    return Touch(
        table=TableName(table),
        position=Position(position),
        parent=None if parent is None else Position(parent),
        extent=extent if extent is not None else ranges,
        is_append=is_append,
        refinements=refinements,
        rows_added=rows_added,
    )


def head(position: str | None, *columns: str, table: str = "raw.orders") -> Head:
    """Return the head of a table."""
    schema = tuple(Column(ColumnName(name), DataType("string")) for name in columns)
    pointer = None if position is None else f"{table}@{position}"
    return Head(
        table=TableName(table),
        pointer=pointer,
        position=None if position is None else Position(position),
        columns=schema,
    )


def built(subject: CompiledModel, *spans: Interval, positions: dict[str, str] | None = None) -> Coverage:
    """Return clean coverage by a model's current code."""
    return Coverage(
        segments=tuple(Segment(interval=span, logic=subject.fingerprint) for span in spans),
        cursors=tuple(
            Cursor(input=TableName(name), position=Position(position))
            for name, position in sorted((positions or {}).items())
        ),
        logics=(Logic(fingerprint=subject.fingerprint, reads={item.name: item.read_set for item in subject.inputs}),),
    )


def facts(coverage: Coverage | None = None, *, status: str = "ours") -> ModelFacts:
    """Return the facts of a model."""
    known = coverage if coverage is not None else Coverage()
    return ModelFacts(coverage=known, target=TargetFacts(status=status))  # type: ignore[arg-type]  # one word of the type


def graph(*models: CompiledModel, sources: tuple[str, ...] = ("raw.orders",)) -> Graph:
    """Return a graph of models given layer by layer."""
    depth = max(item.layer for item in models) + 1
    return Graph(
        project="shop",
        models=tuple(sorted(models, key=lambda item: item.name)),
        sources=tuple(SourceTable(name=SourceName(name), type="iceberg", location=name) for name in sources),
        layers=tuple(tuple(item.name for item in models if item.layer == layer) for layer in range(depth)),
        diagnostics=(),
    )


def plan(*actions: Action, selection: Selection | None = None, plan_id: str = "0123456789abcdef") -> Plan:
    """Return a plan of actions that assumes nothing."""
    return Plan(
        plan_id=PlanId(plan_id),
        environment=EnvironmentName("prod"),
        execution_time=day(1),
        selection=selection if selection is not None else Selection(),
        actions=actions,
        assumed=Assumed(fingerprints={}, pins={}, bases={}),
    )
