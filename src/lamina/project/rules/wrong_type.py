"""L114: a setting has the wrong type.

Why: lamina does not guess what a value of another type means.
Fix: write a value of the type that is expected.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L114", name="WrongType")


def finding(key: str, *, place: Place, expected: str, actual: str) -> Diagnostic:
    """Return the finding for one value."""
    return RULE.finding(f"`{key}` must be {expected}, not {actual}", place=place)
