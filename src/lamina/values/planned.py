"""What `plan` answers: the plan, and what a person wants to know beside it."""

from lamina.values.change import ModelChange
from lamina.values.diagnostic import Diagnostic
from lamina.values.names import ModelName
from lamina.values.plan import Plan
from lamina.values.value import Value


class Planned(Value, frozen=True):
    """A plan, and what changed in the project since it was last run."""

    plan: Plan
    changes: tuple[ModelChange, ...]
    diagnostics: tuple[Diagnostic, ...] = ()  # of sources that cannot be read: their readers are blocked
    findings: tuple[Diagnostic, ...] = ()  # of models that are left out because they do not compile
    zones: dict[ModelName, str] = {}  # of models whose days are not those of UTC
    allowed: dict[ModelName, tuple[str, ...]] = {}  # findings that a model is built in spite of, by their codes

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        from lamina.values.html import plan_html

        return plan_html(self)
