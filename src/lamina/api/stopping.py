"""Ask a run to end early, from another thread or from a signal."""

from collections.abc import Callable
from threading import Event, Thread


class Stop:
    """One request to end: nothing new is started, what Spark computes is cancelled, what was published stays."""

    def __init__(self) -> None:
        self.signal = Event()
        self._cancel: Callable[[], None] | None = None

    @property
    def is_requested(self) -> bool:
        """Return whether the run was asked to end."""
        return self.signal.is_set()

    @property
    def is_heard(self) -> bool:
        """Return whether there is a run that ends when it is asked to."""
        return self._cancel is not None

    def request(self) -> None:
        """Ask the run to end."""
        self.signal.set()
        if self._cancel is not None:
            # A signal comes in the middle of whatever a thread does, perhaps a talk with Spark: another one cancels.
            Thread(target=self._cancel, daemon=True, name="lamina-cancel").start()

    def attach(self, cancel: Callable[[], None]) -> None:
        """Let a run that begins be reached."""
        self._cancel = cancel
