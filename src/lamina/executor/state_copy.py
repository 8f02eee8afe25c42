"""Copy the state after what changed tables; a copy that fails does not make the command fail."""

from lamina.errors import LaminaError
from lamina.executor.runtime import Runtime
from lamina.values.event import Recovered


def keep_copy(runtime: Runtime) -> None:
    """Copy the state if a table was published or dropped; say so where that is not possible."""
    try:
        runtime.store.keep_copy(at=runtime.clock())
    except LaminaError as error:
        runtime.emit(Recovered(detail=f"the state could not be copied: {error.message}"))
