"""A unit test that was compared with its model: typed rows, the range of its slice, the values of its parameters."""

from typing import Any

from lamina.compiler.graph import Graph
from lamina.project.model import ModelSettings
from lamina.project.project import Variable
from lamina.project.unit_test import UnitTest
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ModelName, TableName
from lamina.values.schema import Schema
from lamina.values.value import Value

PlainRow = tuple[Any, ...]


class GivenRows(Value, frozen=True):
    """The rows of one input, as plain values of its columns."""

    input: TableName
    columns: Schema
    rows: tuple[PlainRow, ...] = ()


class UnitCase(Value, frozen=True):
    """What a unit test runs: a model over given rows."""

    test: UnitTest
    model: ModelName
    span: Interval = WHOLE
    parameters: dict[str, str] = {}  # `as_of` and `execution_time`, where the test gives them
    variables: tuple[Variable, ...] = ()
    given: tuple[GivenRows, ...] = ()  # of every input, those that the test leaves out included


class TrialRows(Value, frozen=True):
    """Rows that a query gave, as plain values."""

    columns: Schema
    rows: tuple[PlainRow, ...]


def graph_of_case(graph: Graph, case: UnitCase) -> Graph:
    """Return the graph that a case is computed in: an ephemeral model whose rows are given has a table in it."""
    given = {ModelName(rows.input) for rows in case.given}
    return graph.replace(
        models=tuple(
            model.replace(settings=ModelSettings()) if model.is_ephemeral and model.name in given else model
            for model in graph.models
        )
    )
