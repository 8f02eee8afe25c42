"""L125: a date cannot be read.

Why: a wrong start leaves days out, or builds days without data.
Fix: write `2026-01-31` or `2026-01-31T06:00:00`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L125", name="InvalidDate")


def finding(key: str, *, place: Place, value: str) -> Diagnostic:
    """Return the finding for one date."""
    hint = "write `2026-01-31` or `2026-01-31T06:00:00`"
    return RULE.finding(f"`{key}` is not a date: `{value}`", place=place, hint=hint)
