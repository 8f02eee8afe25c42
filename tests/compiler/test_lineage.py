"""Following columns and models: kinds along the way, both directions, deep and wide graphs."""

import time

import pytest

from lamina.compiler.graph import CompiledModel, EdgeKind, Graph, InputUse, LineageEdge
from lamina.compiler.lineage import Point, Trace, find_point, trace_down, trace_up
from lamina.project.model import ModelSettings
from lamina.project.source import SourceTable
from lamina.values.names import ColumnName, Fingerprint, ModelName, SourceName, TableName
from lamina.values.schema import Column

Edges = list[tuple[str, str, str, EdgeKind]]  # column, input, input column, kind


def model(name: str, edges: Edges) -> CompiledModel:
    return CompiledModel(
        name=ModelName(name),
        kind="sql",
        path="",
        text="",
        settings=ModelSettings(),
        target=TableName(name),
        layer=0,
        depends_on=tuple(sorted({TableName(edge[1]) for edge in edges})),
        inputs=(),
        columns=tuple(Column(name=ColumnName(column)) for column in dict.fromkeys(edge[0] for edge in edges)),
        lineage=tuple(
            LineageEdge(column=ColumnName(column), input=TableName(table), input_column=ColumnName(origin), kind=kind)
            for column, table, origin, kind in edges
        ),
        fingerprint=Fingerprint(""),
    )


def graph(*models: CompiledModel) -> Graph:
    raw = SourceTable(name=SourceName("raw.o"), type="files", location="", columns=(Column(name=ColumnName("Amount")),))
    return Graph(project="shop", models=models, sources=(raw,), layers=(), diagnostics=())


SHOP = graph(
    model("a.daily", [("revenue", "s.o", "amount", "aggregation"), ("day", "s.o", "day", "cast")]),
    model("a.ratio", [("x", "a.daily", "revenue", "direct"), ("x", "s.o", "amount", "expression")]),
    model("s.o", [("amount", "raw.o", "amount", "direct"), ("day", "raw.o", "ts", "cast")]),
)


def found(trace: Trace) -> list[tuple[str, str | None, int]]:
    return [(str(Point(item.model, item.column)), item.kind, item.distance) for item in trace.reached]


def test_a_column_is_followed_up_by_the_strongest_change_on_the_way() -> None:
    trace = trace_up(SHOP, Point(TableName("a.ratio"), ColumnName("x")))
    assert found(trace) == [
        ("a.daily.revenue", "direct", 1),
        ("s.o.amount", "aggregation", 1),
        ("raw.o.amount", "aggregation", 2),
    ]


def test_a_column_is_followed_down() -> None:
    trace = trace_down(SHOP, Point(TableName("raw.o"), ColumnName("AMOUNT")))
    assert [point for point, _, _ in found(trace)] == ["s.o.amount", "a.daily.revenue", "a.ratio.x"]


def test_code_that_cannot_be_seen_through_reads_every_column() -> None:
    use = InputUse(name=TableName("raw.o"), is_model=False, read_set=None)
    python = model("p.m", []).replace(kind="python", inputs=(use,))
    made = python.replace(name=ModelName("p.n"), columns=(Column(name=ColumnName("Mean")),))
    trace = trace_down(graph(python, made), Point(TableName("raw.o"), ColumnName("amount")))
    assert sorted(found(trace)) == [("p.m", None, 1), ("p.n.mean", "expression", 1)]


def test_whole_models_are_followed_without_kinds() -> None:
    trace = trace_up(SHOP, Point(TableName("a.ratio")))
    assert found(trace) == [("a.daily", None, 1), ("s.o", None, 1), ("raw.o", None, 2)]


@pytest.mark.parametrize(
    ("text", "point"),
    [
        ("a.daily", "a.daily"),
        ("daily", "a.daily"),
        ("A.Daily.Revenue", "a.daily.revenue"),
        ("daily.revenue", "a.daily.revenue"),
        ("o", "s.o"),
        ("raw.o.amount", "raw.o.amount"),
        ("daily.nope", None),
        ("nope", None),
    ],
)
def test_a_person_may_leave_out_the_schema(text: str, point: str | None) -> None:
    result = find_point(SHOP, text)
    assert (None if result is None else str(result)) == point


def test_a_chain_of_ten_thousand_models_is_followed_in_bounded_time() -> None:
    edges: list[Edges] = [[("x", f"m.t{number - 1}" if number else "raw.o", "x", "cast")] for number in range(10_000)]
    chain = graph(*(model(f"m.t{number}", item) for number, item in enumerate(edges)))
    start = time.process_time()
    assert len(trace_up(chain, Point(TableName("m.t9999"), ColumnName("x"))).reached) == 10_000
    assert time.process_time() - start < 5
