"""lamina: incremental data pipelines on Spark that rebuild exactly what changed, and can prove it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lamina.version import VERSION

if TYPE_CHECKING:
    from lamina.api.compiling import compile_project, compile_root, load_project
    from lamina.api.inspect import check_project, explain_model, list_models, load_config, render_model, trace_lineage
    from lamina.api.report import (
        model_intervals,
        project_history,
        project_status,
        query_tables,
        run_info,
        show_model,
        verify_project,
    )
    from lamina.api.rulebook import find_rule, rule_pages
    from lamina.api.run import Ask, accept_writes, apply_plan, drop_model, plan_project, retry_models, run_project
    from lamina.api.starter import start_project
    from lamina.api.upkeep import check_state, rebuild_state, relocate_state
    from lamina.errors import LaminaError

__version__ = VERSION

# Where each public name lives; imported when first used, so that `import lamina` costs nothing.
_HOMES = {
    "Ask": "api.run",
    "LaminaError": "errors",
    "accept_writes": "api.run",
    "apply_plan": "api.run",
    "check_project": "api.inspect",
    "check_state": "api.upkeep",
    "compile_project": "api.compiling",
    "compile_root": "api.compiling",
    "drop_model": "api.run",
    "explain_model": "api.inspect",
    "find_rule": "api.rulebook",
    "list_models": "api.inspect",
    "load_config": "api.inspect",
    "load_project": "api.compiling",
    "model_intervals": "api.report",
    "plan_project": "api.run",
    "rebuild_state": "api.upkeep",
    "relocate_state": "api.upkeep",
    "project_history": "api.report",
    "project_status": "api.report",
    "query_tables": "api.report",
    "render_model": "api.inspect",
    "retry_models": "api.run",
    "rule_pages": "api.rulebook",
    "run_info": "api.report",
    "run_project": "api.run",
    "show_model": "api.report",
    "start_project": "api.starter",
    "trace_lineage": "api.inspect",
    "verify_project": "api.report",
}

__all__ = [
    "Ask",
    "LaminaError",
    "__version__",
    "accept_writes",
    "apply_plan",
    "check_project",
    "check_state",
    "compile_project",
    "compile_root",
    "drop_model",
    "explain_model",
    "find_rule",
    "list_models",
    "load_config",
    "load_project",
    "model_intervals",
    "plan_project",
    "project_history",
    "project_status",
    "query_tables",
    "rebuild_state",
    "relocate_state",
    "render_model",
    "retry_models",
    "rule_pages",
    "run_info",
    "run_project",
    "show_model",
    "start_project",
    "trace_lineage",
    "verify_project",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module `lamina` has no attribute `{name}`")
    return getattr(import_module(f"lamina.{_HOMES[name]}"), name)
