"""lamina: incremental data pipelines on Spark that rebuild exactly what changed, and can prove it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lamina.version import VERSION

if TYPE_CHECKING:
    from lamina.api import compile_project, compile_root, load_project
    from lamina.operate import Ask, apply_plan, plan_project, run_project
    from lamina.survey import model_intervals, project_history, project_status, run_info, verify_project

__version__ = VERSION

# Where each public name lives; imported when first used, so that `import lamina` costs nothing.
_HOMES = {
    "Ask": "operate",
    "apply_plan": "operate",
    "compile_project": "api",
    "compile_root": "api",
    "load_project": "api",
    "model_intervals": "survey",
    "plan_project": "operate",
    "project_history": "survey",
    "project_status": "survey",
    "run_info": "survey",
    "run_project": "operate",
    "verify_project": "survey",
}

__all__ = [
    "Ask",
    "__version__",
    "apply_plan",
    "compile_project",
    "compile_root",
    "load_project",
    "model_intervals",
    "plan_project",
    "project_history",
    "project_status",
    "run_info",
    "run_project",
    "verify_project",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module `lamina` has no attribute `{name}`")
    return getattr(import_module(f"lamina.{_HOMES[name]}"), name)
