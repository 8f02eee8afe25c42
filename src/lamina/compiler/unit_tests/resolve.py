"""Compare unit tests with the compiled project: which model, which inputs, which types; every problem is noted."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.link.parameters import RUN_PARAMETERS
from lamina.compiler.rules import (
    unfit_test_partition,
    unknown_test_input,
    unknown_test_model,
    unknown_test_parameter,
    untyped_test_input,
)
from lamina.compiler.unit_tests.case import GivenRows, UnitCase
from lamina.compiler.unit_tests.inputs import columns_of, every_input, named, needed_inputs
from lamina.compiler.unit_tests.rows import expected_rows, given_rows
from lamina.project.project import Variable
from lamina.project.typed_text import is_value
from lamina.project.unit_test import UnitTest
from lamina.values.diagnostic import Diagnostic
from lamina.values.grid import Grid
from lamina.values.interval import WHOLE, Interval
from lamina.values.names import ModelName, TableName, folded
from lamina.values.nearest import nearest
from lamina.values.partition_key import example_key, parse_coarse_key
from lamina.values.schema import UNKNOWN

_SETTABLE = ("as_of", "execution_time")


class Resolved(NamedTuple):
    """The tests that can be run, and what is wrong with the others."""

    cases: tuple[UnitCase, ...]
    found: tuple[Diagnostic, ...]


def resolve_tests(graph: Graph, tests: Iterable[UnitTest]) -> Resolved:
    """Return a case for each test that fits its model, and everything that does not fit."""
    cases: list[UnitCase] = []
    found: list[Diagnostic] = []
    for test in tests:
        problems: list[Diagnostic] = []
        case = _resolve(graph, test, problems)
        found += problems
        if case is not None and not problems:
            cases.append(case)
    return Resolved(tuple(cases), tuple(found))


def _resolve(graph: Graph, test: UnitTest, found: list[Diagnostic]) -> UnitCase | None:
    name = named(test.model, (TableName(model.name) for model in graph.models))
    if name is None:
        names = [model.name for model in graph.models]
        close = nearest(test.model, [*names, *(item.partition(".")[2] for item in names)])
        found.append(unknown_test_model.finding(test.model, place=test.place("model"), nearest=close))
        return None
    model = graph.model(ModelName(name))
    if model.kind == "seed":
        found.append(unknown_test_model.finding_of_seed(model.name, place=test.place("model")))
        return None
    if model.columns is not None:
        found += _misfits(model, test)
    parameters = _parameters(graph, model, test, found)
    return UnitCase(
        test=test,
        model=model.name,
        span=_span(model, test, found),
        parameters={key: text for key, text in parameters.items() if key in _SETTABLE},
        variables=tuple(_variable(item, parameters) for item in graph.variables),
        given=_given(graph, model, test, found),
    )


def _misfits(model: CompiledModel, test: UnitTest) -> tuple[Diagnostic, ...]:
    """Return what is surely wrong with expected rows; types that are not known yet are looked at when it runs."""
    columns = tuple(model.given_columns or ())
    untyped = {folded(column.name) for column in columns if column.type == UNKNOWN}
    rows = tuple({name: value for name, value in row.items() if folded(name) not in untyped} for row in test.expect)
    return expected_rows(test.replace(expect=rows), columns, model=model.name).found


def _variable(variable: Variable, parameters: dict[str, str]) -> Variable:
    return variable.replace(value=parameters.get(variable.name, variable.value))


def _span(model: CompiledModel, test: UnitTest, found: list[Diagnostic]) -> Interval:
    """Return the range that a test is computed for."""
    slices, place = model.traits.slices, test.place("partition")
    if slices is None:
        if test.partition is not None:
            found.append(unfit_test_partition.finding_of_unsliced(place=place, model=model.name))
        return WHOLE
    grid = Grid(slices.unit, model.settings.timezone)
    example = example_key(grid)
    if test.partition is None:
        found.append(unfit_test_partition.finding_of_missing(place=test.place(), model=model.name, example=example))
        return WHOLE
    span = parse_coarse_key(grid, test.partition)
    if span is None:
        finding = unfit_test_partition.finding(test.partition, place=place, model=model.name, example=example)
        found.append(finding)
    return span or WHOLE


def _parameters(graph: Graph, model: CompiledModel, test: UnitTest, found: list[Diagnostic]) -> dict[str, str]:
    """Return the values of parameters as text, checked."""
    kinds = {name: RUN_PARAMETERS[name] for name in _SETTABLE}
    kinds |= {variable.name: variable.type for variable in graph.variables}
    texts: dict[str, str] = {}
    for name, value in test.parameters.items():
        place, text = test.place("parameters", name), _text(value)
        if name in kinds and is_value(text, kinds[name]):
            texts[name] = text
        elif name in kinds:
            finding = unknown_test_parameter.finding_of_value(
                name, text[:60], place=place, model=model.name, kind=kinds[name]
            )
            found.append(finding)
        elif name in RUN_PARAMETERS and name != "run_id":
            found.append(unknown_test_parameter.finding_of_bound(name, place=place, model=model.name))
        else:
            close = nearest(name, kinds)
            found.append(unknown_test_parameter.finding(name, place=place, model=model.name, nearest=close))
    return texts


def _text(value: Any) -> str:
    """Return a value of a file as text: dates and times as they are written."""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _given(graph: Graph, model: CompiledModel, test: UnitTest, found: list[Diagnostic]) -> tuple[GivenRows, ...]:
    """Return the rows of every input; those that the test leaves out are empty."""
    inputs = every_input(graph, model)
    written: dict[TableName, str] = {}
    for name in test.given:
        place, table = test.place("given", name), named(name, inputs)
        if table is None:
            finding = unknown_test_input.finding(
                name, place=place, model=model.name, nearest=nearest(name, inputs), inputs=inputs
            )
            found.append(finding)
        elif table in written:
            found.append(unknown_test_input.finding_of_repeated(table, place=place, model=model.name))
        else:
            written[table] = name
    needed = needed_inputs(graph, model, written)
    for table in sorted(written.keys() - set(needed)):
        place = test.place("given", written[table])
        found.append(unknown_test_input.finding_of_hidden(table, place=place, model=model.name))
    return tuple(_rows_of(graph, model, test, table, written=written, found=found) for table in needed)


def _rows_of(
    graph: Graph,
    model: CompiledModel,
    test: UnitTest,
    table: TableName,
    *,
    written: dict[TableName, str],
    found: list[Diagnostic],
) -> GivenRows:
    columns = columns_of(graph, table)
    if columns is None:
        place = test.place("given", written[table]) if table in written else test.place()
        is_model = any(TableName(item.name) == table for item in graph.models)
        found.append(untyped_test_input.finding(table, place=place, model=model.name, is_model=is_model))
        return GivenRows(input=table, columns=())
    if table not in written:
        return GivenRows(input=table, columns=columns)
    typed = given_rows(test, written[table], columns, model=model.name)
    found += typed.found
    return GivenRows(input=table, columns=columns, rows=typed.rows)
