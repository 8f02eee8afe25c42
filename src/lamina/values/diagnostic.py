"""What is wrong with a user's project: a code, a place, a hint; collected, never raised one by one."""

from typing import Literal

from lamina.values.value import Value

Severity = Literal["error", "warning", "info"]


class Place(Value, frozen=True):
    """Where in the project something stands; lines and columns count from 1."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Diagnostic(Value, frozen=True):
    """One finding about a project; `suggestion` is text that could stand in place of the bad one."""

    code: str
    name: str
    severity: Severity
    message: str
    place: Place | None = None
    model: str | None = None
    hint: str | None = None
    suggestion: str | None = None


def sort_diagnostics(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Order findings by file, line, column and code, without repeats."""
    return tuple(sorted(set(found), key=_order))


def _order(item: Diagnostic) -> tuple[str, int, int, str, str]:
    place = item.place or Place(file="")
    return (place.file, place.line, place.column, item.code, item.message)
