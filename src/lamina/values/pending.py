"""What is not built or not read yet: ranges with their reason, and the rows that inputs brought since."""

from typing import Literal

from lamina.values.diagnostic import Diagnostic
from lamina.values.failing import Failing
from lamina.values.value import Value

# The words of `status`, of one range: never built, to be built again, or left as it is for now.
PendingStatus = Literal["not_built", "stale", "waiting", "held", "blocked", "failed"]


class OwedRows(Value, frozen=True):
    """The rows that one input brought to a range since it was built, at most; None: not counted."""

    input: str
    rows_on_time: int | None = None
    rows_late: int | None = None
    oldest_load: str | None = None  # of those rows, where known


class Pending(Value, frozen=True, rename={"is_deferred": "deferred", "is_requested": "requested"}):
    """A range that is not built, or not built again, with the reason."""

    model: str
    start: str | None  # None where a whole table has no bound
    end: str | None
    reason: str
    rows_on_time: int | None = None  # that its inputs brought since, at most; None: not counted
    rows_late: int | None = None
    oldest_load: str | None = None  # of those rows, where known
    status: PendingStatus = "stale"
    due_at: str | None = None  # when what it waits for becomes due, where that is known
    inputs: tuple[OwedRows, ...] = ()  # the same rows by input
    blocked_by: tuple[str, ...] = ()
    failing: Failing | None = None  # how often it has failed, and when it is tried again
    is_requested: bool = False  # by an earlier command, and not built since
    is_deferred: bool = False  # at most: it depends on what the next run writes
    timezone: str = "UTC"  # whose days the ranges are


class NextDue(Value, frozen=True):
    """When something becomes due next, by cadence."""

    cadence: str
    at: str
    models: int


class PendingResult(Value, frozen=True):
    """The document of `pending`."""

    environment: str
    execution_time: str
    pending: tuple[Pending, ...]
    next_due: tuple[NextDue, ...] = ()
    models: int = 0  # how many were looked at
    diagnostics: tuple[Diagnostic, ...] = ()  # of models that do not compile

    @property
    def exit_code(self) -> int:
        """Return what a run would end with: 2 where some models failed or are blocked, 1 where all are."""
        broken = {item.model for item in self.pending if item.status in ("failed", "blocked")}
        if not broken:
            # Errors that belong to no model stop them all.
            return 1 if any(item.severity == "error" for item in self.diagnostics) else 0
        return 1 if len(broken) == self.models else 2

    def _repr_html_(self) -> str:
        """Show it in a notebook."""
        from lamina.values.html import pending_html

        return pending_html(self)
