"""L131: a `${` is not a reference to a variable.

Why: an incomplete reference would be taken as text.
Fix: write `${NAME}` or `${NAME:-default}`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L131", name="MalformedReference")


def finding(text: str, *, place: Place) -> Diagnostic:
    """Return the finding for one value."""
    hint = "write `${NAME}` or `${NAME:-default}`"
    return RULE.finding(f"not a reference to a variable: `{text}`", place=place, hint=hint)
