"""L126: two settings cannot be used together.

Why: together they contradict each other.
Fix: remove or change one of them.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L126", name="ConflictingKeys")


def finding(message: str, *, place: Place, hint: str) -> Diagnostic:
    """Return the finding for settings that do not go together."""
    return RULE.finding(message, place=place, hint=hint)
