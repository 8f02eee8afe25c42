"""lamina: incremental data pipelines on Spark that rebuild exactly what changed, and can prove it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from lamina.version import VERSION

if TYPE_CHECKING:
    from lamina.api.project import Project
    from lamina.api.project import open_project as open
    from lamina.api.rulebook import RulePage, find_rule, rule_pages
    from lamina.api.starter import StartedProject, start_project
    from lamina.api.stopping import Stop
    from lamina.compiler.lineage import Lineage
    from lamina.compiler.report import CompileReport, Explanation, ListedModel
    from lamina.config import Config
    from lamina.errors import LaminaError
    from lamina.planner.preview import Rendered
    from lamina.values.custody import StateCheck, StateRebuild, StateRelocation
    from lamina.values.freshness import FreshnessResult
    from lamina.values.pending import PendingResult
    from lamina.values.planned import Planned
    from lamina.values.result import (
        CheckLine,
        CheckReport,
        DropResult,
        IntervalsResult,
        QueryResult,
        RunLine,
        RunResult,
        StatusResult,
        VerifyResult,
    )
    from lamina.values.table_diff import DiffResult
    from lamina.values.tested import UnitTestReport

__version__ = VERSION

# Where each public name lives; imported when first used, so that `import lamina` costs nothing.
_HOMES = {
    "CheckLine": "values.result",
    "CheckReport": "values.result",
    "CompileReport": "compiler.report",
    "Config": "config",
    "DiffResult": "values.table_diff",
    "DropResult": "values.result",
    "Explanation": "compiler.report",
    "FreshnessResult": "values.freshness",
    "IntervalsResult": "values.result",
    "LaminaError": "errors",
    "Lineage": "compiler.lineage",
    "ListedModel": "compiler.report",
    "PendingResult": "values.pending",
    "Planned": "values.planned",
    "Project": "api.project",
    "QueryResult": "values.result",
    "Rendered": "planner.preview",
    "RulePage": "api.rulebook",
    "RunLine": "values.result",
    "RunResult": "values.result",
    "StartedProject": "api.starter",
    "StateCheck": "values.custody",
    "StateRebuild": "values.custody",
    "StateRelocation": "values.custody",
    "StatusResult": "values.result",
    "Stop": "api.stopping",
    "UnitTestReport": "values.tested",
    "VerifyResult": "values.result",
    "find_rule": "api.rulebook",
    "open": "api.project",
    "rule_pages": "api.rulebook",
    "start_project": "api.starter",
}

__all__ = [
    "CheckLine",
    "CheckReport",
    "CompileReport",
    "Config",
    "DiffResult",
    "DropResult",
    "Explanation",
    "FreshnessResult",
    "IntervalsResult",
    "LaminaError",
    "Lineage",
    "ListedModel",
    "PendingResult",
    "Planned",
    "Project",
    "QueryResult",
    "Rendered",
    "RulePage",
    "RunLine",
    "RunResult",
    "StartedProject",
    "StateCheck",
    "StateRebuild",
    "StateRelocation",
    "StatusResult",
    "Stop",
    "UnitTestReport",
    "VerifyResult",
    "__version__",
    "find_rule",
    "open",
    "rule_pages",
    "start_project",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module `lamina` has no attribute `{name}`")
    # In its own file it is not called like a function of Python's.
    return getattr(import_module(f"lamina.{_HOMES[name]}"), "open_project" if name == "open" else name)
