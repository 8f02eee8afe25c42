"""What ends a command: a code, a sentence, a hint; transient or final by type."""

from lamina.values.diagnostic import Diagnostic, Place


class LaminaError(Exception):
    """The root of every error lamina raises on purpose."""

    code = "L600"
    exit_code = 1

    def __init__(self, message: str, *, hint: str | None = None, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.place = place

    def diagnostic(self) -> Diagnostic:
        """Return the error as a diagnostic for printing."""
        name = type(self).__name__
        found = Diagnostic(code=self.code, name=name, severity="error", message=self.message, hint=self.hint)
        return found.at(self.place)


class ProjectInvalid(LaminaError):
    """The project has errors; they are all listed."""

    code = "L100"

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        count = sum(1 for item in diagnostics if item.severity == "error")
        super().__init__(f"the project has {count} error{'s' if count != 1 else ''}")
        self.diagnostics = diagnostics


class UsageError(LaminaError):
    """The command line asks for something that does not exist."""

    code = "L101"
    exit_code = 64
