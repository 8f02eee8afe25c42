"""L111: a file is not valid TOML.

Why: a file that cannot be parsed holds no settings.
Fix: correct the syntax at the place shown.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L111", name="InvalidToml")


def finding(place: Place, *, reason: str) -> Diagnostic:
    """Return the finding for one syntax error."""
    return RULE.finding(f"not valid TOML: {reason}", place=place)
