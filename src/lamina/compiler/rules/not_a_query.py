"""L209: a model's file does not have exactly one query.

Why: a model is what one query returns; lamina writes the CREATE, INSERT and MERGE statements itself.
Fix: keep one SELECT (or WITH, VALUES, set operation) in the file.
"""

from lamina.values.diagnostic import Diagnostic, Place
from lamina.values.rule import Rule

RULE = Rule(code="L209", name="NotAQuery")


def finding(reason: str, *, place: Place) -> Diagnostic:
    """Return the finding for one file."""
    return RULE.finding(reason, place=place, hint="write one SELECT; lamina creates and fills the table")
