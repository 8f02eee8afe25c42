"""What was not foreseen: a fault of lamina itself, as an error like any other."""

from lamina.errors import LaminaError
from lamina.warehouse.plain_sentence import plain_sentence


class InternalFailure(LaminaError):
    """Something unexpected ended one step, while the others go on, or the whole run.

    Why: this is a bug in lamina; the step published nothing.
    Fix: look for a newer version; report the log file of the run, after checking it for private values.
    """

    code = "L698"

    def __init__(self, error: BaseException) -> None:
        said = plain_sentence(next(iter(str(error).splitlines()), ""))
        super().__init__(
            f"{type(error).__name__}: {said}",
            hint="this is a bug in lamina; the log file of the run has the details",
        )
