"""The driving input is one table for the linker, the proof, the rules and the planner, however it is written."""

import pytest
from tests.compiler.projects import graph_of, model, source

from lamina.compiler.explanation import explain_incrementality
from lamina.compiler.graph import CompiledModel, Graph
from lamina.planner.batches import cut_batches
from lamina.project.strategy import Incremental, Merge, Strategy
from lamina.values.coverage import Coverage, Cursor
from lamina.values.interval import WHOLE
from lamina.values.names import ColumnName, CommitId, ModelName, Position, TableName
from lamina.values.plan import Build

ORDERS, SHOPS = TableName("sales.orders"), TableName("sales.shops")
JOINED = "SELECT o.id, o.ts, s.city FROM orders AS o LEFT JOIN shops AS s ON o.shop = s.shop"
AT = ColumnName("ts")
WAYS = ("sales.orders", "Sales.Orders", "orders", "ORDERS")


def compiled(strategy: Strategy, query: str = JOINED, *, schema: str = "sales") -> tuple[Graph, CompiledModel]:
    """Return a model that reads two tables of one schema, and its graph."""
    graph = graph_of(
        source("sales.orders", "id bigint, shop string, ts timestamp"),
        source("sales.shops", "shop string, city string"),
        model(f"{schema}.joined", query, strategy=strategy),
    )
    return graph, graph.model(ModelName(f"{schema}.joined"))


@pytest.mark.parametrize("schema", ["sales", "other"])
@pytest.mark.parametrize("written", WAYS)
def test_a_driver_is_the_same_table_however_it_is_written(written: str, schema: str) -> None:
    graph, found = compiled(Incremental(timestamp_column=AT, driver=TableName(written)), schema=schema)
    assert found.driver == ORDERS
    assert [item.code for item in graph.diagnostics if item.severity == "error"] == []
    assert f"`{ORDERS}` is the driver" in explain_incrementality(graph, found)[0]
    cursors = tuple(Cursor(input=name, position=Position("2")) for name in (ORDERS, SHOPS))
    work = Build(model=found.name, intervals=(WHOLE,), reason="", mode="append", since=Position("1"))
    (batch,) = cut_batches(
        work,
        found,
        coverage=Coverage(cursors=cursors),
        base=None,
        parameters={},
        new_commit=lambda: CommitId("c"),
        is_from_nothing=False,
        carries_rows=False,
    )
    assert {pin.input: pin.since for pin in batch.pins} == {ORDERS: "1", SHOPS: None}


@pytest.mark.parametrize("written", WAYS)
def test_the_driver_of_a_merge_is_found_alike(written: str) -> None:
    strategy = Merge(unique_key=(ColumnName("id"),), order_by=(AT,), driver=TableName(written))
    graph, found = compiled(strategy)
    assert found.driver == ORDERS
    assert [item.code for item in graph.diagnostics if item.severity == "error"] == []


def test_the_timestamp_column_is_looked_for_in_the_driver_that_was_found() -> None:
    graph, _ = compiled(Incremental(timestamp_column=ColumnName("city"), driver=TableName("orders")))
    assert "L250" in [item.code for item in graph.diagnostics]


@pytest.mark.parametrize("written", ["sales.customers", "customers", None])
def test_a_driver_that_is_not_read_is_refused(written: str | None) -> None:
    graph, found = compiled(Incremental(driver=TableName(written) if written else None))
    assert found.driver is None
    assert "L409" in [item.code for item in graph.diagnostics]


def test_the_only_input_is_the_driver() -> None:
    assert compiled(Incremental(), "SELECT id FROM orders")[1].driver == ORDERS
    whole = Merge(unique_key=(ColumnName("id"),))
    assert compiled(whole, "SELECT id FROM orders")[1].driver is None
    assert compiled(whole.replace(timestamp_column=AT), "SELECT id FROM orders")[1].driver == ORDERS
