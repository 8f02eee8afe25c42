"""L109: a TOML value is nested too deep.

Why: such a file is never written by hand and would take unbounded time to read.
Fix: use fewer levels of brackets and dots.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L109", name="DeepNesting")


def finding(place: Place, *, limit: int) -> Diagnostic:
    """Return the finding for the bracket or key that passes the limit."""
    return RULE.finding(f"more than {limit} levels of nesting", place=place, hint="use fewer brackets and dots")
