"""L111: a file is not valid TOML.

Why: nothing can be read from a file that cannot be parsed.
Fix: correct the syntax at the place shown.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L111", name="InvalidToml")


def finding(place: Place, *, reason: str) -> Diagnostic:
    """Return the finding for one syntax error."""
    return RULE.finding(f"not valid TOML: {reason}", place=place)
