"""lamina: incremental data pipelines on Spark that rebuild exactly what changed, and can prove it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lamina.version import VERSION

if TYPE_CHECKING:
    from lamina.api import compile_project, compile_root, load_project
    from lamina.errors import LaminaError
    from lamina.look import check_project, explain_model, list_models, load_config, render_model, trace_lineage
    from lamina.operate import Ask, accept_writes, apply_plan, drop_model, plan_project, retry_models, run_project
    from lamina.rulebook import find_rule, rule_pages
    from lamina.starter import start_project
    from lamina.survey import (
        model_intervals,
        project_history,
        project_status,
        query_tables,
        run_info,
        show_model,
        verify_project,
    )
    from lamina.upkeep import check_state, rebuild_state, relocate_state

__version__ = VERSION

# Where each public name lives; imported when first used, so that `import lamina` costs nothing.
_HOMES = {
    "Ask": "operate",
    "LaminaError": "errors",
    "accept_writes": "operate",
    "apply_plan": "operate",
    "check_project": "look",
    "check_state": "upkeep",
    "compile_project": "api",
    "compile_root": "api",
    "drop_model": "operate",
    "explain_model": "look",
    "find_rule": "rulebook",
    "list_models": "look",
    "load_config": "look",
    "load_project": "api",
    "model_intervals": "survey",
    "plan_project": "operate",
    "rebuild_state": "upkeep",
    "relocate_state": "upkeep",
    "project_history": "survey",
    "project_status": "survey",
    "query_tables": "survey",
    "render_model": "look",
    "retry_models": "operate",
    "rule_pages": "rulebook",
    "run_info": "survey",
    "run_project": "operate",
    "show_model": "survey",
    "start_project": "starter",
    "trace_lineage": "look",
    "verify_project": "survey",
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
