"""How old the newest rows of tables are: the document of `freshness`."""

from typing import Literal

from lamina.values.diagnostic import Diagnostic
from lamina.values.value import Value

Freshness = Literal["fresh", "warn", "error", "unknown"]


class TableFreshness(Value, frozen=True):
    """The newest time in one table, and how old that is."""

    name: str
    status: Freshness
    column: str
    newest: str | None = None
    age_seconds: int | None = None
    warn_after: str | None = None
    error_after: str | None = None
    reason: str = ""  # why nothing is known
    is_fault: bool = False  # it could not be found out; a table that is not built or has no rows is no fault


class FreshnessResult(Value, frozen=True):
    """The document of `freshness`."""

    models: tuple[TableFreshness, ...]
    sources: tuple[TableFreshness, ...]
    diagnostics: tuple[Diagnostic, ...] = ()  # of models that do not compile

    @property
    def exit_code(self) -> int:
        """Return 1 where a table is older than `error_after`, or its age cannot be found out."""
        is_bad = any(item.status == "error" or item.is_fault for item in (*self.models, *self.sources))
        return 1 if is_bad or any(item.severity == "error" for item in self.diagnostics) else 0
