"""Trying again what may pass a moment later, and keeping the trail of what failed."""

from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import TypeVar

from lamina.executor.runtime import Runtime
from lamina.values.event import Retrying
from lamina.values.names import ModelName
from lamina.values.result import Attempt
from lamina.warehouse.failure import WarehouseFailure

T = TypeVar("T")


class RetryBudget:
    """How many retries a whole run may still spend; shared by its threads."""

    def __init__(self, left: int) -> None:
        self._left = left
        self._lock = Lock()

    def spend(self) -> bool:
        """Take one retry, if any is left."""
        with self._lock:
            self._left -= 1
            return self._left >= 0


class Trail:
    """The failed attempts of one step, in order."""

    def __init__(self) -> None:
        self.attempts: list[Attempt] = []

    def add(self, error: WarehouseFailure, *, seconds: float) -> None:
        """Note one failed attempt."""
        attempt = Attempt(
            number=len(self.attempts) + 1, failure_kind=error.kind, error=error.message, seconds=round(seconds, 3)
        )
        self.attempts.append(attempt)


def with_retries(
    runtime: Runtime, model: ModelName, work: Callable[[], T], *, retries: int, budget: RetryBudget, trail: Trail
) -> T:
    """Do `work`, again after a pause while it fails for a transient reason."""
    # Imported here: a run with nothing to do never needs it.
    import stamina

    def is_worth_retrying(error: Exception) -> bool:
        return isinstance(error, WarehouseFailure) and error.is_transient and budget.spend()

    for attempt in stamina.retry_context(on=is_worth_retrying, attempts=retries + 1, timeout=None, wait_max=30.0):
        if attempt.num > 1:
            runtime.emit(Retrying(model=model, attempt=attempt.num - 1, seconds=0.0, error=trail.attempts[-1].error))
        started = monotonic()
        with attempt:
            try:
                return work()
            except WarehouseFailure as error:
                trail.add(error, seconds=monotonic() - started)
                raise
    raise AssertionError("a retry loop ends by returning or raising")
