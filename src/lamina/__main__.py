"""The program `lamina`, also as `python -m lamina`: run the command line, then leave."""

import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn

from lamina.cli.app import INTERRUPTED, main


def start() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    # Whoever called may have closed them, as some schedulers do.
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - open to the end
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115 - as well
    try:
        code = main()
        sys.stdout.flush()
    except OSError as error:  # a command answers for its own faults, so this is about writing the answer
        code = 0 if isinstance(error, BrokenPipeError) else 1  # who closed the pipe has read enough
        if code:
            sys.stderr.write(f"error: the answer could not be written: {error.strerror}\n")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    leave(code)


def leave(code: int) -> NoReturn:
    """End the process; if nothing has to be shut down, without freeing every value one by one, which is slow."""
    is_busy = "pyspark" in sys.modules or threading.active_count() > 1
    # Who interrupts does not wait for threads that Spark or a model's own code still holds.
    if is_busy and code != INTERRUPTED:
        sys.exit(code)
    with suppress(OSError):
        sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    start()
