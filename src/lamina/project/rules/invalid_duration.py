"""L124: a duration cannot be read.

Why: a window that is too short loses rows.
Fix: write a number and a unit: `6 days`, `36h`, `30s`.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L124", name="InvalidDuration")


def finding(key: str, *, place: Place, value: str) -> Diagnostic:
    """Return the finding for one duration."""
    return RULE.finding(f"`{key}` is not a duration: `{value}`", place=place, hint="write `6 days`, `36h` or `30s`")
