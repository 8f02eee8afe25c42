"""L112: a key is set twice.

Why: only one of the two values could count, and a reader cannot tell which.
Fix: remove one of them.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L112", name="DuplicateKey")


def finding(key: str, *, place: Place, first_line: int) -> Diagnostic:
    """Return the finding for the second of two equal keys."""
    hint = f"it is first set in line {first_line}; remove one of them"
    return RULE.finding(f"key `{key}` is set twice", place=place, hint=hint)
