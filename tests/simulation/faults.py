"""What goes wrong in a simulated run: the process dies, an answer is lost, someone acts meanwhile."""

from collections.abc import Callable
from typing import Any, cast

from tests.simulation.memory_warehouse import MemoryWarehouse

from lamina.state.errors import StateUnavailable
from lamina.state.port import StateStore
from lamina.state.store import SqlStore
from lamina.values.plan import Plan
from lamina.warehouse.port import Warehouse


class SimulatedCrash(BaseException):
    """The process is gone; no handler of the program may answer."""


class Process:
    """A simulated process: once dead it cannot act any more, also not in its clean-up."""

    def __init__(self) -> None:
        self.is_dead = False
        self.is_paused = False
        self.records = 0
        self.plans: list[Plan] = []

    def die(self) -> None:
        """End the process here."""
        self.is_dead = True
        raise SimulatedCrash

    def check(self) -> None:
        """Raise in a dead process."""
        if self.is_dead:
            raise SimulatedCrash


class _Guarded:
    """Passes calls on as long as the process lives."""

    def __init__(self, inner: object, process: Process) -> None:
        self._inner = inner
        self._process = process

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            self._process.check()
            return found(*arguments, **named)

        return call


class _Forgetful(_Guarded):
    """Loses the answer to one publish that was recorded."""

    def __init__(self, inner: object, process: Process, lost: int | None) -> None:
        super().__init__(inner, process)
        self._lost = lost

    def record(self, *arguments: Any, **named: Any) -> Any:
        """Record, and perhaps fail to say so."""
        self._process.check()
        answer = cast(SqlStore, self._inner).record(*arguments, **named)
        self._process.records += 1
        if self._process.records == self._lost:
            raise StateUnavailable("lamina.db", "the answer was lost")
        return answer


def guarded_store(store: SqlStore, process: Process, *, lost: int | None) -> StateStore:
    """Return a store that dies with its process and may lose an answer."""
    return cast(StateStore, _Forgetful(store, process, lost))


def guarded_warehouse(warehouse: MemoryWarehouse, process: Process) -> Warehouse:
    """Return a warehouse that dies with its process."""
    return cast(Warehouse, _Guarded(warehouse, process))


def once_at(name: str, nth: int, act: Callable[[], None]) -> Callable[[str], None]:
    """Return a hook that acts when a failpoint is passed for the nth time, and never again."""
    left = nth

    def hook(passed: str) -> None:
        nonlocal left
        if passed != name:
            return
        left -= 1
        if left == 0:
            act()

    return hook
