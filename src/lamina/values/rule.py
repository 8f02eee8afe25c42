"""A kind of finding: its code, its name, how bad it is; the docstring of its one file is its reference page."""

from typing import Literal

from lamina.values.diagnostic import Diagnostic, Place, Severity
from lamina.values.value import Value


class Rule(Value, frozen=True):
    """One kind of finding; codes are never reused, names name the bad pattern."""

    code: str
    name: str
    severity: Severity = "error"
    looks_at: Literal["model", "promotion", "change", "project"] = (
        "model"  # what its `violations` are given, if it has them
    )

    def finding(
        self,
        message: str,
        *,
        place: Place | None = None,
        at: tuple[int, int] | None = None,
        model: str | None = None,
        hint: str | None = None,
        suggestion: str | None = None,
    ) -> Diagnostic:
        """Return a diagnostic of this rule; `at` is a line and column of a file that the caller will name."""
        line, column = (place.line, place.column) if place is not None else at or (None, None)
        return Diagnostic(
            code=self.code,
            name=self.name,
            severity=self.severity,
            message=message,
            file=place.file if place is not None else None,
            line=line,
            column=column,
            model=model,
            hint=hint,
            suggestion=suggestion,
        )
