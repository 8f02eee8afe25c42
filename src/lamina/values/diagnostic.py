"""What is wrong with a user's project: a code, a place, a hint; collected, never raised one by one."""

from typing import Literal

from lamina.values.value import Value

Severity = Literal["error", "warning", "info"]


class Place(Value, frozen=True):
    """Where in the project something is; lines and columns count from 1."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Diagnostic(Value, frozen=True):
    """One finding about a project; `suggestion` is text that could be in place of the bad one."""

    code: str
    name: str
    severity: Severity
    message: str
    file: str | None = None
    line: int | None = None
    column: int | None = None
    model: str | None = None
    hint: str | None = None
    suggestion: str | None = None

    def __str__(self) -> str:
        where = f" ({self.place})" if self.place is not None else ""
        return f"{self.severity}[{self.code}]: {self.message}{where}"

    @property
    def place(self) -> Place | None:
        """Where it is; None where it is nowhere in the project."""
        if self.file is None:
            return None
        return Place(file=self.file, line=self.line or 1, column=self.column or 1)

    def at(self, place: Place | None) -> "Diagnostic":
        """Return the same finding at another place."""
        if place is None:
            return self.replace(file=None, line=None, column=None)
        return self.replace(file=place.file, line=place.line, column=place.column)


def sort_diagnostics(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Order findings by file, line, column and code, without repeats."""
    return tuple(sorted(set(found), key=_order))


def _order(item: Diagnostic) -> tuple[str, int, int, str, str]:
    if item.file is None:
        return ("", 1, 1, item.code, item.message)
    return (item.file, item.line or 1, item.column or 1, item.code, item.message)
