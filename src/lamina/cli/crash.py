"""A bug in lamina: the traceback goes to a file, the user gets one sentence and its path."""

import os
import sys

from lamina.errors import LaminaError
from lamina.values.diagnostic import Diagnostic


class InternalError(LaminaError):
    """A bug in lamina, not in the project; the traceback is in the file named.

    Why: something happened that no rule expects.
    Fix: look for a newer version; report the file, after checking it for private values.
    """

    code = "L699"

    def __init__(self, kind: str, *, path: str | None) -> None:
        details = f"the details are in `{path}`" if path else "LAMINA_DEBUG=1 prints the details"
        hint = f"this is a bug in lamina, not in the project; {details}"
        super().__init__(f"internal error: {kind}", hint=hint)


def crash_diagnostic(error: Exception, *, root: str, is_debug: bool) -> Diagnostic:
    """Write the traceback down and return the diagnostic that names the file."""
    import traceback  # only here: every command imports this file

    text = "".join(traceback.format_exception(error))
    if is_debug:
        sys.stderr.write(text)
    return InternalError(type(error).__name__, path=_write(text, root=root)).diagnostic()


def _write(text: str, *, root: str) -> str | None:
    """Write beside the run logs of the project, else where temporary files go; None if no file can be written."""
    import tempfile
    from datetime import UTC, datetime

    name = f"crash-{datetime.now(UTC):%Y%m%d-%H%M%S}-{os.getpid()}.log"
    folder = os.path.join(root, ".lamina", "logs")
    is_project = os.path.exists(os.path.join(root, "lamina.toml"))
    try:
        os.makedirs(folder if is_project else tempfile.gettempdir(), exist_ok=True)
        path = os.path.join(folder if is_project else tempfile.gettempdir(), name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError:
        return None
    return path
