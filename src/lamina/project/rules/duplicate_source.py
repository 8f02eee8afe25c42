"""L127: a source is declared twice.

Why: the two declarations could name different data.
Fix: merge the two blocks into one.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L127", name="DuplicateSource")


def finding(name: str, *, place: Place, other: str) -> Diagnostic:
    """Return the finding for the second declaration."""
    hint = f"it is already declared in `{other}`; merge the two blocks"
    return RULE.finding(f"source `{name}` is declared twice", place=place, hint=hint)
