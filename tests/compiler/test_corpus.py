"""Queries that Spark accepts compile without an error, and every one of them is seen through."""

import tomllib

import pytest
from tests.compiler.projects import CORPUS, corpus_graph, graph_of, model, source
from tests.spark.agreement import read_column, read_expressions

from lamina.compiler.graph import Graph


@pytest.fixture(scope="module", params=["tpch", "constructs"])
def graph(request: pytest.FixtureRequest) -> Graph:
    """Return the compiled queries of one folder of the corpus."""
    return corpus_graph(request.param)


def test_no_valid_query_is_accused(graph: Graph) -> None:
    # Spark returns two columns of one name; only a table cannot hold them.
    errors = [item for item in graph.diagnostics if item.severity == "error" and item.code != "L215"]
    assert errors == []


def test_no_valid_expression_is_accused() -> None:
    columns = tomllib.loads((CORPUS / "expressions.toml").read_text())
    table = source("main.maybe", "").replace(columns=tuple(read_column(*item) for item in columns.items()))
    lines = [line for section in read_expressions() for line in section]
    queries = [f"SELECT {line} AS x FROM maybe{' GROUP BY label' * ('(sum(' in line)}" for line in lines]
    graph = graph_of(table, *(model(f"main.query_{number}", query) for number, query in enumerate(queries)))
    assert [(item.message, item.model) for item in graph.diagnostics if item.severity == "error"] == []


def test_every_query_reads_what_it_names(graph: Graph) -> None:
    for compiled in graph.models:
        assert {use.name for use in compiled.inputs} <= set(compiled.depends_on)


def test_nearly_every_read_set_is_known(graph: Graph) -> None:
    known = [use.read_set is not None for compiled in graph.models for use in compiled.inputs]
    assert sum(known) >= 0.85 * len(known)


def test_lineage_names_only_columns_that_exist(graph: Graph) -> None:
    columns = {(table.name, column.name) for table in graph.sources for column in table.columns}
    for compiled in graph.models:
        assert {(edge.input, edge.input_column) for edge in compiled.lineage} <= columns
        assert {edge.column for edge in compiled.lineage} <= {
            column.name for column in compiled.columns or ()
        } or compiled.columns is None
