"""The verbs of lamina as functions: wiring only, each takes values and returns the value its command prints."""

from collections.abc import Mapping
from datetime import datetime

from lamina.compilation import compile_at, compile_project, load_project
from lamina.compiler.graph import CompiledModel, Graph
from lamina.compiler.lineage import Lineage, find_point, trace_down, trace_up
from lamina.compiler.report import Explanation, ListedModel, explain, report_list
from lamina.config import Config, build_config
from lamina.errors import LaminaError, ProjectInvalid, UsageError
from lamina.planner.preview import Rendered, preview
from lamina.planner.select import did_you_mean, find_model, select
from lamina.project.read import load_project_file
from lamina.project.scan import scan_project
from lamina.starter import StartedProject, start_project

__all__ = [
    "compile_at",
    "compile_project",
    "explain_model",
    "init_project",
    "list_models",
    "load_config",
    "load_project",
    "render_model",
    "trace_lineage",
]


def init_project(folder: str, template: str) -> StartedProject:
    """Start a project in a new or empty folder."""
    return start_project(folder, template)


def load_config(root: str, environment_variables: Mapping[str, str], *, overrides: Mapping[str, str]) -> Config:
    """Return every effective setting of the project at `root`."""
    file = load_project_file(scan_project(root), environment_variables)
    config, problems = build_config(root, file, variables=environment_variables, overrides=overrides)
    found = (*file.diagnostics, *problems)
    if found:
        raise ProjectInvalid(found)
    return config


def list_models(
    root: str, environment_variables: Mapping[str, str], *, include: tuple[str, ...], exclude: tuple[str, ...]
) -> tuple[ListedModel, ...]:
    """Return the models of a selection, in the order they are built."""
    graph = compile_at(root, environment_variables)
    if any(item.severity == "error" and item.code.startswith("L1") for item in graph.diagnostics):
        raise ProjectInvalid(graph.diagnostics)
    return report_list(graph, select(graph, include, exclude))


def explain_model(root: str, environment_variables: Mapping[str, str], *, model: str) -> Explanation:
    """Return what a model does, reads and proves; a model with errors is explained too."""
    graph = compile_at(root, environment_variables)
    return explain(graph, _model(graph, model))


def render_model(
    root: str,
    environment_variables: Mapping[str, str],
    *,
    model: str,
    partition: str | None,
    execution_time: datetime,
) -> Rendered:
    """Return the query of a model as it would run for one partition."""
    config = load_config(root, environment_variables, overrides={})
    graph = compile_at(root, environment_variables)
    return preview(
        graph,
        _model(graph, model),
        partition=partition,
        execution_time=execution_time,
        catalog=config.catalog.name,
    )


def trace_lineage(root: str, environment_variables: Mapping[str, str], *, target: str) -> Lineage:
    """Return what a model or column is made of and what is made of it."""
    graph = compile_at(root, environment_variables)
    start = find_point(graph, target)
    if start is None:
        raise _unknown(graph, target)
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
    return UsageError(f"no model `{name}`", hint=did_you_mean(graph, name))
