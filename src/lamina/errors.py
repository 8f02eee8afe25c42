"""What ends a command: a code, a sentence, a hint; transient or final by type."""

from typing import Literal

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
        return Diagnostic(
            code=self.code, name=name, severity="error", message=self.message, place=self.place, hint=self.hint
        )


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


FailureKind = Literal[
    "auth_failed",
    "connection_failed",
    "query_rejected",
    "quota_exceeded",
    "not_found",
    "transient",
    "data_rejected",
    "conflict",
    "resources",
    "interrupted",
    "internal",
    "unknown",
]

# Worth another try: the same statement may pass a moment later.
TRANSIENT_KINDS: frozenset[FailureKind] = frozenset({"connection_failed", "transient", "quota_exceeded"})


class StepFailed(LaminaError):
    """One batch of one model could not be built; its kind says whether to try again."""

    code = "L601"

    def __init__(
        self,
        kind: FailureKind,
        message: str,
        *,
        hint: str | None = None,
        place: Place | None = None,
        sql: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint, place=place)
        self.kind: FailureKind = kind
        self.sql = sql

    @property
    def is_transient(self) -> bool:
        """Tell whether another try may succeed."""
        return self.kind in TRANSIENT_KINDS
