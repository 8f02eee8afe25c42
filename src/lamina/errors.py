"""What ends a command: a code, a sentence, a hint; transient or final by type."""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.words import counted

MOST_NOTES = 10  # findings that a traceback lists


class LaminaError(Exception):
    """The command cannot continue; its message says why.

    Why: something it needs is missing, or cannot be used as it is.
    Fix: follow the hint; nothing was changed.
    """

    code = "L600"
    exit_code = 1
    status = "error"  # of the command that it ends

    def __init__(self, message: str, *, hint: str | None = None, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.place = place
        if hint is not None:
            self.add_note(f"hint: {hint}")  # for a caller in Python, who sees a traceback

    def diagnostic(self) -> Diagnostic:
        """Return the error as a diagnostic for printing."""
        name = type(self).__name__
        found = Diagnostic(code=self.code, name=name, severity="error", message=self.message, hint=self.hint)
        return found.at(self.place)


class ProjectInvalid(LaminaError):
    """The project has errors; they are all listed.

    Why: nothing is planned or built from a project that does not compile.
    Fix: fix what is listed; `lamina rule CODE` explains each code, `lamina compile` checks again without Spark.
    """

    code = "L100"

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        count = sum(1 for item in diagnostics if item.severity == "error")
        super().__init__(f"the project has {counted(count, 'error')}")
        self.diagnostics = diagnostics
        errors = [item for item in diagnostics if item.severity == "error"]
        for item in errors[:MOST_NOTES]:
            self.add_note(str(item))
        if len(errors) > MOST_NOTES:
            self.add_note(f"and {counted(len(errors) - MOST_NOTES, 'error')} more")


class UsageError(LaminaError):
    """The command line asks for something that does not exist.

    Why: a guess could build the wrong tables.
    Fix: use the name the hint offers; `lamina list` shows the models, `lamina COMMAND --help` the options.
    """

    code = "L101"
    exit_code = 64
