"""Transient failures are tried again within two limits, all others at once are final."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import stamina

from lamina.executor.retry import RetryBudget, Trail, with_retries
from lamina.executor.runtime import Runtime
from lamina.values.event import Event, Retrying
from lamina.values.names import EnvironmentName, ModelName
from lamina.warehouse.failure import FailureKind, WarehouseFailure


@pytest.fixture(autouse=True)
def _without_pauses() -> Iterator[None]:
    with stamina.set_testing(True, attempts=3, cap=True):
        yield


def _runtime(heard: list[Event]) -> Runtime:
    unused: Any = None
    return Runtime(
        store=unused,
        warehouse=unused,
        clock=unused,
        new_id=unused,
        emit=heard.append,
        environment=EnvironmentName("prod"),
        project="shop",
        compiling=unused,
    )


def _failing(times: int, kind: FailureKind) -> Callable[[], str]:
    left = [times]

    def work() -> str:
        if left[0]:
            left[0] -= 1
            raise WarehouseFailure("no answer", kind=kind)
        return "done"

    return work


def _try(work: Callable[[], str], *, budget: int = 20) -> tuple[str, Trail, list[Event]]:
    heard: list[Event] = []
    trail = Trail()
    runtime = _runtime(heard)
    done = with_retries(runtime, ModelName("a.b"), work, retries=2, budget=RetryBudget(budget), trail=trail)
    return done, trail, heard


def test_a_transient_failure_is_tried_again_and_reported() -> None:
    done, trail, heard = _try(_failing(2, "transient"))
    assert done == "done"
    assert [attempt.failure_kind for attempt in trail.attempts] == ["transient", "transient"]
    assert [type(event) for event in heard] == [Retrying, Retrying]


@pytest.mark.parametrize(
    ("times", "kind", "budget"), [(3, "transient", 20), (1, "query_rejected", 20), (2, "transient", 1)]
)
def test_limits_and_final_failures_end_the_step(times: int, kind: FailureKind, budget: int) -> None:
    with pytest.raises(WarehouseFailure, match="no answer"):
        _try(_failing(times, kind), budget=budget)
