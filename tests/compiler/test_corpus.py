"""Queries that Spark accepts compile without an error, and every one of them is seen through."""

import pytest
from tests.compiler.projects import corpus_graph

from lamina.compiler.graph import Graph


@pytest.fixture(scope="module", params=["tpch", "constructs"])
def graph(request: pytest.FixtureRequest) -> Graph:
    """Return the compiled queries of one folder of the corpus."""
    return corpus_graph(request.param)


def test_no_valid_query_is_accused(graph: Graph) -> None:
    # Spark returns two columns of one name; only a table cannot hold them.
    errors = [item for item in graph.diagnostics if item.severity == "error" and item.code != "L215"]
    assert errors == []


def test_every_query_reads_what_it_names(graph: Graph) -> None:
    for model in graph.models:
        assert {use.name for use in model.inputs} <= set(model.depends_on)


def test_nearly_every_read_set_is_known(graph: Graph) -> None:
    known = [use.read_set is not None for model in graph.models for use in model.inputs]
    assert sum(known) >= 0.85 * len(known)


def test_lineage_names_only_columns_that_exist(graph: Graph) -> None:
    columns = {(table.name, column.name) for table in graph.sources for column in table.columns}
    for model in graph.models:
        assert {(edge.input, edge.input_column) for edge in model.lineage} <= columns
        assert {edge.column for edge in model.lineage} <= {
            column.name for column in model.columns or ()
        } or model.columns is None
