"""What a caller in Python sees of an error in a traceback: the message, and below it what helps."""

from traceback import format_exception_only

from lamina.errors import LaminaError, ProjectInvalid
from lamina.values.diagnostic import Diagnostic

FAULT = Diagnostic(code="L203", name="X", severity="error", message="`id` can be null", file="models/a.sql", line=3)


def test_a_traceback_shows_the_hint() -> None:
    lines = format_exception_only(LaminaError("there is no plan `x`", hint="`lamina plan` makes one"))
    assert lines == ["lamina.errors.LaminaError: there is no plan `x`\n", "hint: `lamina plan` makes one\n"]


def test_a_traceback_lists_what_is_wrong_with_a_project() -> None:
    notice = FAULT.replace(severity="warning")
    lines = format_exception_only(ProjectInvalid((notice, FAULT)))
    assert lines[1:] == ["error[L203]: `id` can be null (models/a.sql:3:1)\n"]


def test_a_traceback_of_a_project_with_many_errors_stays_short() -> None:
    lines = format_exception_only(ProjectInvalid((FAULT,) * 25))
    assert lines[0].endswith("the project has 25 errors\n")
    assert lines[-1] == "and 15 errors more\n"
    assert len(lines) == 12
