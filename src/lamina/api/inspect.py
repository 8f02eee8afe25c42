"""The verbs that look at a compiled project: they need neither its state nor its tables."""

from datetime import datetime
from typing import TYPE_CHECKING

from lamina.api.opened import Opened
from lamina.compiler.graph import CompiledModel, Graph
from lamina.errors import LaminaError, ProjectInvalid
from lamina.planner.select import find_model, select, unknown_column, unknown_model
from lamina.values.diagnostic import sort_diagnostics
from lamina.values.names import folded

if TYPE_CHECKING:
    from lamina.compiler.lineage import Lineage
    from lamina.compiler.report import CompileReport, Explanation, ListedModel
    from lamina.planner.preview import Rendered


def check_project(project: Opened) -> "CompileReport":
    """Return the models of a project and everything that is wrong with it: what another command would refuse, too."""
    from lamina.compiler.report import report_compile

    graph = project.graph
    config, problems = project.settings
    more = [*problems]
    # A project that cannot be read made no promises.
    unread = (item.code[:2] == "L1" and item.severity == "error" for item in (*graph.diagnostics, *problems))
    if not any(unread):
        from lamina.api.promoted import change_findings, load_promoted, promoted_findings

        if graph.has_promises():
            more += promoted_findings(project, lambda: load_promoted(config))
        more += change_findings(project, config)
    more += project.unit_tests.found
    if more:
        graph = graph.replace(diagnostics=sort_diagnostics([*graph.diagnostics, *more]))
    return report_compile(graph)


def list_models(project: Opened, *, include: tuple[str, ...], exclude: tuple[str, ...]) -> tuple["ListedModel", ...]:
    """Return the models of a selection, in the order they are built."""
    from lamina.compiler.report import report_list
    from lamina.planner.broken import find_broken

    graph = project.graph
    unread = tuple(item for item in graph.diagnostics if item.severity == "error" and item.code.startswith("L1"))
    if find_broken(graph, unread) is None:
        raise ProjectInvalid(unread)
    broken = find_broken(graph, graph.diagnostics)
    listed = report_list(graph, select(graph, include, exclude))
    return tuple(item.replace(fault=broken and broken.reason(item.model)) for item in listed)


def explain_model(project: Opened, model: str) -> "Explanation":
    """Return what a model does, reads and proves; a model with errors is explained too."""
    from lamina.compiler.report import explain

    return explain(project.graph, _model(project.graph, model))


def render_model(project: Opened, model: str, *, partition: str | None, execution_time: datetime) -> "Rendered":
    """Return the query of a model as it would run for one partition."""
    from lamina.planner.preview import preview

    catalog, graph = project.config.catalog.name, project.graph
    found = _model(graph, model)
    return preview(graph, found, partition=partition, execution_time=execution_time, catalog=catalog)


def trace_lineage(project: Opened, target: str) -> "Lineage":
    """Return what a model or column is made of and what is made of it."""
    from lamina.compiler.lineage import Lineage, find_point, find_table, trace_down, trace_up

    graph = project.graph
    start = find_point(graph, target)
    if start is None:
        table, _, column = target.rpartition(".")
        found = find_table(graph, folded(table))
        raise _unknown(graph, target) if found is None else unknown_column(graph, found, column)
    return Lineage(of=start, up=trace_up(graph, start), down=trace_down(graph, start))


def _model(graph: Graph, name: str) -> CompiledModel:
    found = find_model(graph, name)
    if found is None:
        raise _unknown(graph, name)
    return found


def _unknown(graph: Graph, name: str) -> LaminaError:
    """Say that there is no such model; a project with errors may be the reason, so those are shown instead."""
    errors = tuple(item for item in graph.diagnostics if item.severity == "error")
    if errors:
        return ProjectInvalid(errors)
    return unknown_model(graph, name)
