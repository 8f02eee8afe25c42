"""L133: a number is out of range.

Why: the setting has no meaning outside its range.
Fix: use a number in the range shown.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L133", name="InvalidNumber")


def finding(key: str, *, place: Place, value: int | float, expected: str) -> Diagnostic:
    """Return the finding for one number."""
    return RULE.finding(f"`{key}` must be {expected}, not {value}", place=place)
