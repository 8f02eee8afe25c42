"""The verbs that look at a project and change nothing: wiring only, each returns the value its command prints."""

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from lamina.api.compiling import compile_root
from lamina.compiler.graph import CompiledModel, Graph
from lamina.errors import LaminaError, ProjectInvalid
from lamina.planner.broken import find_broken
from lamina.planner.select import find_model, select, unknown_column, unknown_model
from lamina.values.diagnostic import Diagnostic, sort_diagnostics
from lamina.version import VERSION

if TYPE_CHECKING:
    from lamina.compiler.lineage import Lineage
    from lamina.compiler.report import CompileReport, Explanation, ListedModel
    from lamina.config import Config
    from lamina.planner.preview import Rendered

SETTINGS = "settings.msgpack"


def load_config(root: str, environment_variables: Mapping[str, str], *, overrides: Mapping[str, str]) -> "Config":
    """Return every effective setting of the project at `root`."""
    config, found = _read_config(root, environment_variables, overrides=overrides)
    if found:
        raise ProjectInvalid(found)
    if not overrides:
        _remember(config)
    return config


def known_config(root: str, environment_variables: Mapping[str, str]) -> tuple["Config", tuple[Diagnostic, ...]]:
    """Return the settings to look at a project with: those last in order where they are not now, and what is wrong."""
    config, found = _read_config(root, environment_variables, overrides={})
    if not found:
        _remember(config)
        return config, ()
    last = _remembered(config.root)
    if last is None or last.root != config.root:
        raise ProjectInvalid(found)
    return last, found


def _remember(config: "Config") -> None:
    """Keep settings that are in order, without secrets."""
    from lamina.project.cache_file import cache_path, write_cached

    kept = config.without_secrets()
    if _remembered(config.root) != kept:
        write_cached(cache_path(config.root, SETTINGS), kept, written_by=VERSION)


def _remembered(root: str) -> "Config | None":
    from lamina.config import Config
    from lamina.project.cache_file import cache_path, read_cached

    return read_cached(cache_path(root, SETTINGS), Config, written_by=VERSION)


def _read_config(
    root: str, environment_variables: Mapping[str, str], *, overrides: Mapping[str, str]
) -> tuple["Config", tuple[Diagnostic, ...]]:
    """Return the settings of a project and everything that is wrong with them."""
    from lamina.config import build_config
    from lamina.project.read import load_project_file
    from lamina.project.scan import scan_project_file

    file = load_project_file(scan_project_file(root), environment_variables)
    config, problems = build_config(root, file, variables=environment_variables, overrides=overrides)
    return config, (*file.diagnostics, *problems)


def check_project(root: str, environment_variables: Mapping[str, str]) -> "CompileReport":
    """Return the models of a project and everything that is wrong with it: what another command would refuse, too."""
    from lamina.compiler.report import report_compile

    graph = compile_root(root, environment_variables)
    config, problems = _read_config(root, environment_variables, overrides={})
    found = (*graph.diagnostics, *problems)
    # A project that cannot be read made no promises.
    if graph.has_promises() and not any(item.code[:2] == "L1" and item.severity == "error" for item in found):
        from lamina.api.promoted import promoted_findings

        found = (*found, *promoted_findings(config, graph, environment_variables=environment_variables))
    return report_compile(graph.replace(diagnostics=sort_diagnostics(list(found))))


def list_models(
    root: str, environment_variables: Mapping[str, str], *, include: tuple[str, ...], exclude: tuple[str, ...]
) -> tuple["ListedModel", ...]:
    """Return the models of a selection, in the order they are built."""
    from lamina.compiler.report import report_list

    graph = compile_root(root, environment_variables)
    unread = tuple(item for item in graph.diagnostics if item.severity == "error" and item.code.startswith("L1"))
    if find_broken(graph, unread) is None:
        raise ProjectInvalid(unread)
    broken = find_broken(graph, graph.diagnostics)
    listed = report_list(graph, select(graph, include, exclude))
    return tuple(item.replace(fault=broken and broken.reason(item.model)) for item in listed)


def explain_model(root: str, environment_variables: Mapping[str, str], *, model: str) -> "Explanation":
    """Return what a model does, reads and proves; a model with errors is explained too."""
    from lamina.compiler.report import explain

    graph = compile_root(root, environment_variables)
    return explain(graph, _model(graph, model))


def render_model(
    root: str,
    environment_variables: Mapping[str, str],
    *,
    model: str,
    partition: str | None,
    execution_time: datetime,
) -> "Rendered":
    """Return the query of a model as it would run for one partition."""
    from lamina.planner.preview import preview

    catalog = load_config(root, environment_variables, overrides={}).catalog.name
    graph = compile_root(root, environment_variables)
    found = _model(graph, model)
    return preview(graph, found, partition=partition, execution_time=execution_time, catalog=catalog)


def trace_lineage(root: str, environment_variables: Mapping[str, str], *, target: str) -> "Lineage":
    """Return what a model or column is made of and what is made of it."""
    from lamina.compiler.lineage import Lineage, find_point, find_table, trace_down, trace_up

    graph = compile_root(root, environment_variables)
    start = find_point(graph, target)
    if start is None:
        table, _, column = target.rpartition(".")
        found = find_table(graph, table.lower())
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
